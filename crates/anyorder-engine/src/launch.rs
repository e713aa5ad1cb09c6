//! Starts the framework with an agent inside, and waits until the tests are collected.

use std::fs;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use crate::disk::DiskState;
use crate::driver::AgentCall;
use crate::error::EngineError;
use crate::gate::Arrival;
use crate::guard::Guard;
use crate::lab::Lab;
use crate::link::Lost;
use crate::ward::Ward;
use crate::wire::{Message, Ready, VERSION};

/// A started command. When it is dropped it gets a moment to end; then everything that came from it is ended.
#[derive(Debug)]
pub(crate) struct Launched {
    ward: Ward,
    program: String,
    node: u64,
    desk: usize,
    log: PathBuf,
    is_told: bool,
}

/// How long a command that was told to leave may take for its own clean-up.
const FAREWELL: Duration = Duration::from_secs(5);

/// How much of a log is worth showing.
const LOG_TAIL: usize = 4000;

impl Launched {
    /// Starts the framework at a desk, on the disk that the user has.
    pub(crate) fn start(lab: &Lab, node: u64, desk: usize) -> Result<Self, EngineError> {
        let nodes = lab.scratch.nodes();
        let value = |of: serde_json::Result<serde_json::Value>| {
            of.map_err(|error| EngineError::Scratch(error.into()))
        };
        let call = AgentCall {
            socket: lab.gate.address(),
            node,
            nodes: &nodes,
            seed: lab.settings.hash_seed(),
            draws: lab.settings.draws,
            moved: value(serde_json::to_value(lab.disk.moved(desk)))?,
            layers: value(serde_json::to_value(lab.disk.layers()))?,
            records: lab.settings.records,
        };
        let log = lab.scratch.path().join(format!("{node}.log"));
        let mut command = lab.driver.agent_command(&call).map_err(EngineError::Scratch)?;
        lab.bring_back(desk, DiskState::Pristine)?;
        lab.disk.seat(desk, &mut command);
        let program = command.get_program().to_string_lossy().into_owned();
        let ward = lab.start(&command, true, &log)?;
        Ok(Launched { ward, program, node, desk, log, is_told: false })
    }

    /// The next framework session of this command that has come up; `None` if the command has ended well instead.
    pub(crate) fn next_session(&mut self, lab: &Lab) -> Result<Option<Arrival>, EngineError> {
        const LOOK: Duration = Duration::from_millis(20);
        let deadline = Instant::now() + lab.limits().for_collecting();
        loop {
            if let Some(arrival) = lab.gate.arrival(self.node, LOOK) {
                return Ok(Some(arrival));
            }
            if lab.halt.is_called() {
                return Err(EngineError::Cancelled);
            }
            if let Some(status) = self.ward.try_wait() {
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
        let status = self.ward.try_wait();
        let silence = lab.driver.explain_silence(status, &self.log_tail());
        EngineError::Silent { command: self.program.clone(), silence }
    }

    /// Waits until the session has collected its tests.
    pub(crate) fn ready(&mut self, lab: &Lab, arrival: &mut Arrival) -> Result<Ready, EngineError> {
        let version = arrival.hello.wire.unwrap_or(0);
        if version != VERSION {
            return Err(EngineError::Version(version));
        }
        let guard = Guard::new(&lab.halt, arrival.hello.pid, u64::MAX, lab.limits().for_collecting());
        match arrival.link.receive(&guard) {
            Ok(Message::Ready(ready)) => Ok(ready),
            Ok(Message::Trouble { text }) => Err(EngineError::Agent(text)),
            Err(Lost::Stopped(crate::guard::Stop::Cancelled)) => Err(EngineError::Cancelled),
            Ok(_) | Err(_) => {
                let status = self.ward.wait_a_while(Duration::from_secs(2));
                let silence = lab.driver.explain_silence(status, &self.log_tail());
                Err(EngineError::NotCollected { command: self.program.clone(), silence })
            }
        }
    }

    /// From now on the command is expected to end by itself.
    pub(crate) fn told_to_leave(&mut self) {
        self.is_told = true;
    }

    /// Ends everything that came from the command; tells how the command ended.
    pub(crate) fn end(&mut self) -> Option<ExitStatus> {
        self.ward.end()
    }

    /// The number that it introduces itself with.
    pub(crate) fn node(&self) -> u64 {
        self.node
    }

    /// Where it runs.
    pub(crate) fn desk(&self) -> usize {
        self.desk
    }

    pub(crate) fn log_tail(&self) -> String {
        tail(&fs::read(&self.log).unwrap_or_default())
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        if self.is_told {
            self.ward.wait_a_while(FAREWELL);
        }
        self.ward.end();
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
