//! How a cell is kept as it is around a test: what people write for each kind of state.

use anyorder_model::{About, CellKind, State, Strength};

use super::text::{double_quoted, file, module, within};
use super::undo::Undo;
use super::{process, registered};

/// A cell that is kept as it is around a test. Texts may name modules that are resolved later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Keep {
    /// What is done before the test.
    pub(super) save: Vec<String>,
    /// What is done behind it.
    pub(super) undo: Vec<Undo>,
    /// A context manager that does both.
    pub(super) manager: Option<String>,
    /// A call of `monkeypatch`, at the start of the test, that does both.
    pub(super) pin: Option<String>,
    /// How far it can be trusted.
    pub(super) strength: Strength,
    /// Whether its lines have names of their own besides the one for what was there.
    pub(super) has_locals: bool,
}

impl Keep {
    pub(super) fn new(save: impl IntoIterator<Item = String>, undo: impl IntoIterator<Item = Undo>) -> Self {
        Keep {
            save: save.into_iter().collect(),
            undo: undo.into_iter().collect(),
            manager: None,
            pin: None,
            strength: Strength::Safe,
            has_locals: false,
        }
    }

    /// What a context manager keeps.
    pub(super) fn managed(manager: String) -> Self {
        Keep { manager: Some(manager), ..Keep::new([], []) }
    }

    pub(super) fn pinned(self, pin: String) -> Self {
        Keep { pin: Some(pin), ..self }
    }

    /// The same without a `with`: the context manager gets the name `manager`.
    pub(super) fn by_hand(&self, manager: &str) -> Self {
        let Some(made) = &self.manager else { return self.clone() };
        let is_patch = made.contains(".patch.");
        let enter = if is_patch { "start" } else { "__enter__" };
        let undo = if is_patch {
            Undo::call(format!("{manager}.stop"))
        } else {
            let function = format!("{manager}.__exit__");
            Undo::Call { function, arguments: vec!["None".to_owned(); 3] }
        };
        let save = [format!("{manager} = {made}"), format!("{manager}.{enter}()")];
        Keep {
            save: [&self.save[..], &save].concat(),
            undo: [&self.undo[..], &[undo]].concat(),
            manager: None,
            ..self.clone()
        }
    }

    /// Whether nothing is to be done: another cell's way takes care of it.
    pub(super) fn is_nothing(&self) -> bool {
        self.manager.is_none() && self.undo.is_empty()
    }

    /// What somebody should look at.
    pub(super) fn doubtful(self) -> Self {
        Keep { strength: Strength::Unsafe, ..self }
    }

    /// What has names of its own in its lines.
    pub(super) fn with_locals(self) -> Self {
        Keep { has_locals: true, ..self }
    }
}

/// A cell with what is known about it.
#[derive(Clone, Debug)]
pub(super) struct Known<'a> {
    pub(super) state: &'a State,
    pub(super) about: About,
    /// Whether it raises when it is asked for a value, as it was.
    pub(super) is_bare: bool,
}

impl Known<'_> {
    /// Whether nothing was there before.
    pub(super) fn was_absent(&self) -> bool {
        self.state.before == "<absent>"
    }

    /// What holds it, its module to be resolved.
    pub(super) fn holder(&self) -> Option<String> {
        let About { module, expression, .. } = &self.about;
        Some(double_quoted(&within(module.as_deref()?, expression.as_deref()?)))
    }

    /// The class of what holds it, without its module.
    fn holder_class(&self) -> &str {
        last(self.about.holder.as_deref().unwrap_or_default())
    }

    /// Whether what was there is data or a function, which an attribute gives as it is held.
    fn is_plain(&self) -> bool {
        let class = self.about.class.as_deref().unwrap_or("builtins.object");
        let is_descriptor = matches!(last(class), "staticmethod" | "classmethod" | "property");
        class.starts_with("builtins.") && !is_descriptor
    }

    /// What sort of place it is.
    pub(super) fn kind(&self) -> CellKind {
        self.about.kind.or(self.state.kind).unwrap_or(CellKind::Global)
    }
}

fn last(dotted: &str) -> &str {
    dotted.rsplit('.').next().unwrap_or(dotted)
}

/// How a cell is kept; `saved` is the name of a variable for what was there.
pub(super) fn keep(known: &Known<'_>, saved: &str) -> Option<Keep> {
    match known.kind() {
        CellKind::Environment => Some(dict(&format!("{}.environ", module("os")))),
        // What is imported meanwhile is forgotten, too.
        CellKind::Module => Some(dict(&format!("{}.modules", module("sys"))).doubtful()),
        CellKind::Process | CellKind::LeftOver => {
            let path = &known.state.cell;
            process::keep(path, saved).or_else(|| registered::with_class(path, saved))
        }
        CellKind::File => of_file(known, saved),
        CellKind::Cache => Some(Keep::new([], [Undo::call(format!("{}.cache_clear", known.holder()?))])),
        CellKind::Context => context(known, saved),
        CellKind::Closure => closure(known, saved),
        CellKind::Item => item(known, saved),
        CellKind::Fixture | CellKind::Parameter => None,
        CellKind::Global
        | CellKind::Builtin
        | CellKind::ClassAttribute
        | CellKind::Attribute
        | CellKind::Default
        | CellKind::Patch => attribute(known, saved),
    }
}

/// A dict, with all of its items.
fn dict(container: &str) -> Keep {
    Keep::managed(format!("{}.patch.dict({container})", module("unittest.mock")))
}

fn attribute(known: &Known<'_>, saved: &str) -> Option<Keep> {
    let object = known.holder()?;
    let name = known.about.key.clone()?;
    if let Some(keep) = of_logging(known, &object, &name, saved).or_else(|| of_library(known, saved)) {
        return Some(keep);
    }
    if known.was_absent() {
        return Some(Keep::new([], [Undo::Unset { object, name }]));
    }
    let set = |value: &str| Undo::Set { object: object.clone(), name: name.clone(), value: value.to_owned() };
    if known.kind() == CellKind::ClassAttribute && !known.is_plain() {
        // What a class gives for such a name is not what it holds, and may replace itself.
        let put_back = format!("if {saved} is not None:\n    {object}.{name} = {saved}");
        let save = format!("{saved} = vars({object}).get(\"{name}\")");
        return Some(Keep::new([save], [Undo::Statement(put_back)]).doubtful());
    }
    let pin = format!("monkeypatch.setattr({object}, \"{name}\", {object}.{name})");
    Some(Keep::new([format!("{saved} = {object}.{name}")], [set(saved)]).pinned(pin))
}

/// Loggers remember what their level means.
fn of_logging(known: &Known<'_>, object: &str, name: &str, saved: &str) -> Option<Keep> {
    let logging = module("logging");
    match (known.holder_class(), name) {
        ("Logger" | "RootLogger", "level") => Some(Keep::new(
            [format!("{saved} = {object}.level")],
            [Undo::call_with(format!("{object}.setLevel"), saved)],
        )),
        ("Manager", "_disable" | "disable") => Some(Keep::new(
            [format!("{saved} = {logging}.root.manager.disable")],
            [Undo::call_with(format!("{logging}.disable"), saved)],
        )),
        _ => None,
    }
}

/// Globals of the standard library that have a door of their own.
fn of_library(known: &Known<'_>, saved: &str) -> Option<Keep> {
    match known.state.cell.as_str() {
        "warnings.filters" => Some(Keep::managed(format!("{}.catch_warnings()", module("warnings")))),
        "time.tzname" | "time.timezone" | "time.altzone" | "time.daylight" => {
            process::keep("time zone", saved)
        }
        "asyncio.events._event_loop_policy" => {
            let set = format!("{}.set_event_loop_policy", module("asyncio"));
            Some(Keep::new([], [Undo::call_with(set, "None")]))
        }
        _ => None,
    }
}

fn item(known: &Known<'_>, saved: &str) -> Option<Keep> {
    let path = &known.state.cell;
    if path.starts_with("warnings.filters[") {
        return Some(Keep::managed(format!("{}.catch_warnings()", module("warnings"))));
    }
    if path.starts_with("logging.") && path.contains("._cache[") {
        // `setLevel` empties it.
        return Some(Keep::new([], []));
    }
    if let Some((function, _)) = path.split_once(".<cache>") {
        // What is in a cache may have no name of its own.
        let function = within(known.about.module.as_deref()?, function);
        return Some(Keep::new([], [Undo::call(format!("{function}.cache_clear"))]));
    }
    if let Some(keep) = registered::with_function(known, saved) {
        return Some(keep);
    }
    let container = known.holder()?;
    let class = known.holder_class();
    let copied = |how: &str| format!("{saved} = {how}({container})");
    let refilled = |method: &str| {
        [Undo::call(format!("{container}.clear")), Undo::call_with(format!("{container}.{method}"), saved)]
    };
    let all = || Undo::Item { container: container.clone(), key: ":".to_owned(), value: saved.to_owned() };
    Some(match class {
        "list" | "bytearray" | "array" | "ndarray" => {
            let copy = if class == "ndarray" { ".copy()" } else { "[:]" };
            Keep::new([format!("{saved} = {container}{copy}")], [all()])
        }
        "set" => Keep::new([copied("set")], refilled("update")),
        "deque" => Keep::new([copied("list")], refilled("extend")),
        "Random" => Keep::new(
            [format!("{saved} = {container}.getstate()")],
            [Undo::call_with(format!("{container}.setstate"), saved)],
        ),
        // Anything else that is derived from a list looks like one from outside.
        _ if path.ends_with(":]") => Keep::new([format!("{saved} = {container}[:]")], [all()]),
        _ => dict(&container),
    })
    .map(|keep| if container.contains("__closure__") { keep.doubtful() } else { keep })
}

fn context(known: &Known<'_>, saved: &str) -> Option<Keep> {
    if known.state.cell == "context variable decimal_context" {
        return Some(Keep::managed(format!("{}.localcontext()", module("decimal"))));
    }
    let holder = known.holder()?;
    if !known.state.cell.starts_with("context variable ") {
        return attribute(known, saved);
    }
    let value = if known.is_bare { "None".to_owned() } else { format!("{holder}.get()") };
    let token = saved.replacen("saved", "token", 1);
    let set = format!("{token} = {holder}.set({value})");
    Some(Keep::new([set], [Undo::call_with(format!("{holder}.reset"), token)]))
}

/// A variable that functions share has no name outside of them.
fn closure(known: &Known<'_>, saved: &str) -> Option<Keep> {
    let function = known.holder()?;
    let (_, name) = known.state.cell.rsplit_once("<closure ")?;
    let name = name.strip_suffix('>')?;
    let find = format!("cell = {function}.__closure__[{function}.__code__.co_freevars.index(\"{name}\")]");
    let undo =
        Undo::Set { object: "cell".to_owned(), name: "cell_contents".to_owned(), value: saved.to_owned() };
    let keep = Keep::new([find, format!("{saved} = cell.cell_contents")], [undo]);
    Some(keep.doubtful().with_locals())
}

fn of_file(known: &Known<'_>, saved: &str) -> Option<Keep> {
    let path = known.state.cell.strip_prefix("file ")?;
    if path.contains(['"', '\\', '\n']) {
        return None;
    }
    let is_outside = path.starts_with('/');
    let path = file(path);
    if !known.was_absent() {
        let undo = Undo::call_with(format!("{path}.write_bytes"), saved);
        return Some(Keep::new([format!("{saved} = {path}.read_bytes()")], [undo]).doubtful());
    }
    let is_directory = known.state.after.contains("directory");
    Some(if is_directory {
        let arguments = vec![path, "ignore_errors=True".to_owned()];
        Keep::new([], [Undo::Call { function: format!("{}.rmtree", module("shutil")), arguments }]).doubtful()
    } else {
        let keep = Keep::new([], [Undo::call_with(format!("{path}.unlink"), "missing_ok=True")]);
        // It may be somewhere else on another machine.
        if is_outside { keep.doubtful() } else { keep }
    })
}

/// How far several can be trusted together.
pub(super) fn strength(keeps: &[Keep]) -> Strength {
    keeps.iter().map(|keep| keep.strength).max().unwrap_or(Strength::Safe)
}
