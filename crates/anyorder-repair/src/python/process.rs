//! State of the process that no Python object holds: how it is asked for, and how it is set.

use super::keep::Keep;
use super::text::module;
use super::undo::Undo;

/// How a cell of the process is kept; `saved` is the name of a variable for what was there.
pub(super) fn keep(path: &str, saved: &str) -> Option<Keep> {
    let asked = |module_name: &str, get: &str, set: &str| {
        let name = module(module_name);
        Keep::new([format!("{saved} = {name}.{get}()")], [Undo::call_with(format!("{name}.{set}"), saved)])
    };
    Some(match path {
        "working directory" => asked("os", "getcwd", "chdir").pinned("monkeypatch.chdir(\".\")".to_owned()),
        "umask" => {
            let umask = format!("{}.umask", module("os"));
            let save = [format!("{saved} = {umask}(0)"), format!("{umask}({saved})")];
            Keep::new(save, [Undo::call_with(umask, saved)])
        }
        "locale" => {
            let locale = module("locale");
            let arguments = vec![format!("{locale}.LC_ALL"), saved.to_owned()];
            let undo = Undo::Call { function: format!("{locale}.setlocale"), arguments };
            Keep::new([format!("{saved} = {locale}.setlocale({locale}.LC_ALL)")], [undo])
        }
        "time zone" => time_zone(saved),
        "random numbers" => asked("random", "getstate", "setstate"),
        "recursion limit" => asked("sys", "getrecursionlimit", "setrecursionlimit"),
        "switch interval" => asked("sys", "getswitchinterval", "setswitchinterval"),
        "tracer" => asked("sys", "gettrace", "settrace"),
        "profiler" => asked("sys", "getprofile", "setprofile"),
        "default timeout of sockets" => asked("socket", "getdefaulttimeout", "setdefaulttimeout"),
        "garbage collector" => {
            let gc = module("gc");
            let undo = Undo::call_with(format!("{gc}.set_threshold"), format!("*{saved}"));
            Keep::new([format!("{saved} = {gc}.get_threshold()")], [Undo::call(format!("{gc}.enable")), undo])
        }
        "timer" => {
            let signal = module("signal");
            let arguments = vec![format!("{signal}.ITIMER_REAL"), "0".to_owned()];
            Keep::new([], [Undo::Call { function: format!("{signal}.setitimer"), arguments }])
        }
        _ => handler(path.strip_prefix("handler of ")?, saved),
    })
}

fn handler(name: &str, saved: &str) -> Keep {
    let signal = module("signal");
    let arguments = vec![format!("{signal}.{name}"), saved.to_owned()];
    let undo = Undo::Call { function: format!("{signal}.signal"), arguments };
    Keep::new([format!("{saved} = {signal}.getsignal({signal}.{name})")], [undo])
}

/// The C library takes the time zone from the environment, when it is told to look.
fn time_zone(saved: &str) -> Keep {
    let environ = format!("{}.environ", module("os"));
    let put_back = format!(
        "if {saved} is None:\n    {environ}.pop(\"TZ\", None)\nelse:\n    {environ}[\"TZ\"] = {saved}"
    );
    let undo = [Undo::Statement(put_back), Undo::call(format!("{}.tzset", module("time")))];
    Keep::new([format!("{saved} = {environ}.get(\"TZ\")")], undo)
}
