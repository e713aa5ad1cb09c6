//! A real browser: Chromium without a window, told what to do by its debugging protocol over a pipe.
//!
//! Knows how to ask, and how to wait for answers and effects. What a page is for, its tests know.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// What has to be on the path.
pub const PROGRAM: &str = "chromium";

/// The protocol is spoken on descriptors 3 and 4. The browser leaves when the pipe is closed; then its files go.
const STARTED: &str = r#"
files=$(mktemp -d) || exit
"$@" --user-data-dir="$files" 3<&0 4>&1 </dev/null >/dev/null 2>&1
rm -rf "$files"
"#;

/// How long an answer, or an effect, is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often it is looked whether an effect is there.
const LOOK: Duration = Duration::from_millis(10);

static SHARED: LazyLock<Mutex<Browser>> = LazyLock::new(|| Mutex::new(Browser::start()));

/// A browser that runs.
#[derive(Debug)]
pub struct Browser {
    to: ChildStdin,
    from: Receiver<Value>,
    asked: u64,
}

impl Browser {
    /// The one browser of this process; whoever has it has it alone.
    pub fn shared() -> MutexGuard<'static, Browser> {
        SHARED.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start() -> Browser {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            STARTED,
            "sh",
            PROGRAM,
            "--headless",
            "--remote-debugging-pipe",
            "--disable-gpu",
        ]);
        command.args(["--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage"]);
        // Root cannot make the sandbox.
        if rustix::process::geteuid().is_root() {
            command.arg("--no-sandbox");
        }
        command.arg("about:blank").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a shell can be started");
        let to = child.stdin.take().expect("it is piped");
        let output = child.stdout.take().expect("it is piped");
        let (sender, from) = channel();
        thread::spawn(move || {
            hear(output, &sender);
            child.wait()
        });
        Browser { to, from, asked: 0 }
    }

    /// A new page, empty and listened to.
    pub fn page(&mut self) -> Page<'_> {
        let target = self.ask("", "Target.createTarget", &json!({"url": "about:blank"}), &mut vec![]);
        let target = text(&target["targetId"]);
        let attach = json!({"targetId": target, "flatten": true});
        let session = text(&self.ask("", "Target.attachToTarget", &attach, &mut vec![])["sessionId"]);
        let mut page = Page { browser: self, target, session, heard: vec![] };
        for part in ["Page", "Runtime", "Log", "Network"] {
            page.ask(&format!("{part}.enable"), &json!({}));
        }
        page
    }

    fn ask(&mut self, session: &str, method: &str, parameters: &Value, heard: &mut Vec<Value>) -> Value {
        self.asked += 1;
        let mut question = json!({"id": self.asked, "method": method, "params": parameters});
        if !session.is_empty() {
            question["sessionId"] = json!(session);
        }
        write!(self.to, "{question}\0").expect("the browser listens");
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let said = self.from.recv_timeout(left).unwrap_or_else(|_| panic!("{method} is not answered"));
            if said["id"] == json!(self.asked) {
                assert!(said["error"].is_null(), "{method}: {}", said["error"]);
                return said["result"].clone();
            }
            heard.push(said);
        }
    }
}

fn hear(output: ChildStdout, sender: &Sender<Value>) {
    let mut output = BufReader::new(output);
    let mut said = vec![];
    while output.read_until(0, &mut said).is_ok_and(|length| length > 0) {
        said.pop();
        let Ok(message) = serde_json::from_slice(&said) else { return };
        if sender.send(message).is_err() {
            return;
        }
        said.clear();
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// One page of a browser. It is closed when it is dropped.
#[derive(Debug)]
pub struct Page<'a> {
    browser: &'a mut Browser,
    target: String,
    session: String,
    heard: Vec<Value>,
}

impl Page<'_> {
    /// Asks for something by the name that the protocol has for it.
    pub fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.browser.ask(&self.session, method, parameters, &mut self.heard)
    }

    /// Opens a file, and waits until its scripts have run. `part` is what follows `#`, or empty.
    pub fn open(&mut self, file: &Path, part: &str) {
        // Another `#` alone would not load the page anew.
        self.ask("Page.navigate", &json!({"url": "about:blank"}));
        self.wait_for("location.href === 'about:blank'");
        let hash = if part.is_empty() { "" } else { "#" };
        self.ask("Page.navigate", &json!({"url": format!("file://{}{hash}{part}", file.display())}));
        self.wait_for("location.protocol === 'file:' && document.readyState === 'complete'");
    }

    /// The value of an expression, or of its promise.
    pub fn value(&mut self, expression: &str) -> Value {
        let question = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.ask("Runtime.evaluate", &question);
        let error = &answer["exceptionDetails"];
        assert!(error.is_null(), "{expression}: {error}");
        answer["result"]["value"].clone()
    }

    /// The same, as a text.
    pub fn text(&mut self, expression: &str) -> String {
        text(&self.value(expression))
    }

    /// What its process has taken so far.
    pub fn seconds_of_cpu(&mut self) -> f64 {
        self.ask("Performance.enable", &json!({}));
        let told = self.ask("Performance.getMetrics", &json!({}));
        let metrics = told["metrics"].as_array().into_iter().flatten();
        let mut times = metrics.filter(|metric| metric["name"] == "ProcessTime");
        times.next().and_then(|metric| metric["value"].as_f64()).expect("browsers tell it")
    }

    /// Waits until an expression is true.
    pub fn wait_for(&mut self, expression: &str) {
        let until = Instant::now() + PATIENCE;
        while self.value(expression) != json!(true) {
            assert!(Instant::now() < until, "it does not become true: {expression}");
            thread::sleep(LOOK);
        }
    }

    /// Presses the mouse's button on the first element that a selector names, wherever that is.
    pub fn click(&mut self, selector: &str) {
        let place = self.value(&format!(
            "(() => {{ const element = document.querySelector({selector:?}); element.scrollIntoView({{block: 'center'}}); \
             const box = element.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event =
                json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.ask("Input.dispatchMouseEvent", &event);
        }
    }

    /// Presses a key: a character, or a name such as `Enter`.
    pub fn press(&mut self, key: &str) {
        let typed = match key {
            "Enter" => "\r",
            _ if key.chars().count() == 1 => key,
            _ => "",
        };
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "Tab" => 9,
            _ => 0,
        };
        let down = json!({"type": "keyDown", "key": key, "text": typed, "windowsVirtualKeyCode": code});
        self.ask("Input.dispatchKeyEvent", &down);
        self.ask(
            "Input.dispatchKeyEvent",
            &json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code}),
        );
    }

    /// Shows the page as a medium (`screen`, `print`) with a colour scheme (`light`, `dark`).
    pub fn show_as(&mut self, medium: &str, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.ask("Emulation.setEmulatedMedia", &json!({"media": medium, "features": features}));
    }

    /// What scripts, and the browser about them, have complained of: errors, warnings, breaches of policy.
    pub fn complaints(&mut self) -> Vec<Value> {
        self.value("true");
        let is_complaint = |said: &&Value| match said["method"].as_str() {
            Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled") => true,
            Some("Log.entryAdded") => said["params"]["entry"]["level"] != "verbose",
            _ => false,
        };
        self.heard.iter().filter(is_complaint).map(|said| said["params"].clone()).collect()
    }

    /// The addresses that anything was asked from.
    pub fn requests(&mut self) -> Vec<String> {
        self.value("true");
        let requests = self.heard.iter().filter(|said| said["method"] == "Network.requestWillBeSent");
        requests.map(|said| text(&said["params"]["request"]["url"])).collect()
    }
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        if !thread::panicking() {
            self.browser.ask("", "Target.closeTarget", &json!({"targetId": self.target}), &mut vec![]);
        }
    }
}
