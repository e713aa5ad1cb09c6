//! Starts the framework with an agent inside, and waits until the tests are collected.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::driver::AgentCall;
use crate::engine::Lab;
use crate::error::EngineError;
use crate::gate::Arrival;
use crate::guard::Guard;
use crate::link::Lost;
use crate::wire::{Message, Ready, VERSION};

/// A started command. When it is dropped it gets a moment to end; then its whole process group is ended.
#[derive(Debug)]
pub(crate) struct Launched {
    child: Child,
    program: String,
    node: u64,
    log: PathBuf,
    is_told: bool,
}

/// How long a command that was told to leave may take for its own clean-up.
const FAREWELL: Duration = Duration::from_secs(5);

/// How much of a log is worth showing.
const LOG_TAIL: usize = 4000;

impl Launched {
    pub(crate) fn start(lab: &Lab, node: u64) -> Result<Self, EngineError> {
        let nodes = lab.scratch.nodes();
        let call =
            AgentCall { socket: lab.gate.address(), node, nodes: &nodes, seed: lab.settings.hash_seed() };
        let log = lab.scratch.path().join(format!("{node}.log"));
        let mut command = lab.driver.agent_command(&call).map_err(EngineError::Scratch)?;
        let program = command.get_program().to_string_lossy().into_owned();
        let child = spawn_logged(&mut command, &log)
            .map_err(|source| EngineError::Start { command: program.clone(), source })?;
        crate::cost::Meter::count(&lab.meter.processes, 1);
        Ok(Launched { child, program, node, log, is_told: false })
    }

    /// The next framework session of this command that has come up; `None` if the command has ended well instead.
    pub(crate) fn next_session(&mut self, lab: &Lab) -> Result<Option<Arrival>, EngineError> {
        const LOOK: Duration = Duration::from_millis(20);
        let deadline = Instant::now() + lab.settings.timeout;
        loop {
            if let Some(arrival) = lab.gate.arrival(self.node, LOOK) {
                return Ok(Some(arrival));
            }
            if lab.halt.is_called() {
                return Err(EngineError::Cancelled);
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                // It may have connected and ended between the two looks.
                if let Some(arrival) = lab.gate.arrival(self.node, Duration::ZERO) {
                    return Ok(Some(arrival));
                }
                return if status.success() { Ok(None) } else { Err(self.silent(lab)) };
            }
            if Instant::now() > deadline {
                return Err(self.silent(lab));
            }
        }
    }

    pub(crate) fn silent(&mut self, lab: &Lab) -> EngineError {
        let status = self.child.try_wait().ok().flatten();
        let silence = lab.driver.explain_silence(status, &self.log_tail());
        EngineError::Silent { command: self.program.clone(), silence }
    }

    /// Waits until the session has collected its tests.
    pub(crate) fn ready(&mut self, lab: &Lab, arrival: &mut Arrival) -> Result<Ready, EngineError> {
        let version = arrival.hello.wire.unwrap_or(0);
        if version != VERSION {
            return Err(EngineError::Version(version));
        }
        let guard = Guard::new(&lab.halt, arrival.hello.pid, u64::MAX, lab.settings.timeout);
        match arrival.link.receive(&guard) {
            Ok(Message::Ready(ready)) => Ok(ready),
            Ok(Message::Trouble { text }) => Err(EngineError::Agent(text)),
            Err(Lost::Stopped(crate::guard::Stop::Cancelled)) => Err(EngineError::Cancelled),
            Ok(_) | Err(_) => {
                let status = self.wait_a_while(Duration::from_secs(2));
                let silence = lab.driver.explain_silence(status, &self.log_tail());
                Err(EngineError::NotCollected { command: self.program.clone(), silence })
            }
        }
    }

    /// From now on the command is expected to end by itself.
    pub(crate) fn told_to_leave(&mut self) {
        self.is_told = true;
    }

    /// Gives the command time to end by itself.
    pub(crate) fn wait_a_while(&mut self, patience: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + patience;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
                Ok(None) | Err(_) => return None,
            }
        }
    }

    pub(crate) fn kill(&mut self) -> Option<ExitStatus> {
        kill_group(i32::try_from(self.child.id()).expect("process ids are small"));
        self.child.wait().ok()
    }

    pub(crate) fn log_tail(&self) -> String {
        tail(&fs::read(&self.log).unwrap_or_default())
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        if self.is_told {
            self.wait_a_while(FAREWELL);
        }
        self.kill();
        let _ = fs::remove_file(&self.log);
    }
}

/// The last part of a log, from a line's beginning.
pub(crate) fn tail(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(LOG_TAIL)..]).into_owned();
    if bytes.len() <= LOG_TAIL {
        text
    } else {
        text.split_once('\n').map_or_else(String::new, |(_, rest)| rest.to_owned())
    }
}

/// Starts `command` in a process group of its own, reading nothing and writing to `log`.
pub(crate) fn spawn_logged(command: &mut Command, log: &PathBuf) -> io::Result<Child> {
    let file: File = OpenOptions::new().create(true).append(true).open(log)?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).process_group(0).spawn()
}

/// Ends every process of a group, if it still exists.
pub(crate) fn kill_group(leader: i32) {
    if let Some(leader) = Pid::from_raw(leader) {
        let _ = kill_process_group(leader, Signal::KILL);
        // A new child may not have made itself a group yet.
        let _ = kill_process(leader, Signal::KILL);
    }
}
