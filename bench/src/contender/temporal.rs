//! Temporal's server for development: a workflow that is started under the key as its id, and
//! completed by its first task, which comes with the answer to the start.
//!
//! No SDK and no worker: both would cost more than what is called here.

use std::{path::Path, process::Command as Program};

use anyhow::{Context, Result, ensure};
use tonic::{Code, transport::Channel};
use uuid::Uuid;

use self::messages::{
    Attributes, Command, Complete, Execution, HistoryRequest, HistoryResponse, Named, Payload,
    Payloads, StartRequest, StartResponse, Task, TaskCompletedRequest,
};
use super::{
    About, Answer, Contender, Work,
    unary::{try_unary, unary},
};
use crate::{
    claims,
    process::{self, Process},
};

mod messages;

const PROGRAM: &str = "temporal";
const NAMESPACE: &str = "default";
const START: &str = "/temporal.api.workflowservice.v1.WorkflowService/StartWorkflowExecution";
const COMPLETED: &str =
    "/temporal.api.workflowservice.v1.WorkflowService/RespondWorkflowTaskCompleted";
const HISTORY: &str =
    "/temporal.api.workflowservice.v1.WorkflowService/GetWorkflowExecutionHistory";
const REJECT_DUPLICATE: i32 = 3;
const COMPLETE_WORKFLOW: i32 = 4;
const CLOSE_EVENT: i32 = 2;
const WORKFLOW_COMPLETED: i32 = 2;

/// The server and those who call it.
pub(crate) struct Temporal {
    process: Process,
    channels: Vec<Channel>,
    version: String,
}

impl Temporal {
    /// Starts it.
    pub(crate) async fn start(folder: &Path) -> Result<Self> {
        let version = process::version(PROGRAM, &["--version"])?;
        let [port, metrics] = process::free_ports()?;
        let mut command = Program::new(PROGRAM);
        command.args(["server", "start-dev", "--headless", "--ip", "127.0.0.1"]);
        command.args(["--port", &port.to_string(), "--metrics-port", &metrics.to_string()]);
        // Without the first it keeps a rollback journal, which syncs four times as often.
        command.args(["--sqlite-pragma", "journal_mode=WAL"]);
        command.args(["--sqlite-pragma", "synchronous=FULL", "--log-level", "error"]);
        command.arg("--db-filename").arg(folder.join("temporal.db"));
        command.env("DO_NOT_TRACK", "1");
        let mut process = Process::start(&mut command, folder.join("temporal.log"))?;
        process.listens(port).await?;
        let channels = claims::channels(process::loopback(port), claims::CONNECTIONS).await?;
        let started = || start(&channels[0], "ready", false);
        process.until(|| async { started().await.ok() }).await?;
        Ok(Self { process, channels, version })
    }

    fn channel(&self, caller: usize) -> &Channel {
        &self.channels[caller % self.channels.len()]
    }

    async fn settled(&self, caller: usize, key: &str) -> Result<()> {
        let channel = self.channel(caller);
        let Started::Now(task) = start(channel, key, true).await? else {
            anyhow::bail!("started already")
        };
        let token = task.context("its first task did not come with the answer")?.token;
        let payload = Payload { data: b"ch_1764518400000000".to_vec() };
        let result = Some(Payloads { payloads: vec![payload] });
        let complete = Command {
            kind: COMPLETE_WORKFLOW,
            attributes: Some(Attributes::Complete(Complete { result })),
        };
        let done = TaskCompletedRequest {
            token,
            commands: vec![complete],
            identity: "bench".to_owned(),
            namespace: NAMESPACE.to_owned(),
        };
        // Its answer has nothing that is needed here.
        unary::<_, Task>(channel, COMPLETED, done).await.map(drop)
    }

    async fn found(&self, caller: usize, key: &str) -> Result<()> {
        let channel = self.channel(caller);
        let started = start(channel, key, false).await?;
        ensure!(matches!(started, Started::Before), "not started before");
        let request = HistoryRequest {
            namespace: NAMESPACE.to_owned(),
            execution: Some(Execution { workflow_id: key.to_owned() }),
            filter: CLOSE_EVENT,
        };
        let found: HistoryResponse = unary(channel, HISTORY, request).await?;
        let events = found.history.unwrap_or_default().events;
        ensure!(events.iter().any(|event| event.kind == WORKFLOW_COMPLETED), "not completed");
        Ok(())
    }
}

enum Started {
    Now(Option<Task>),
    Before,
}

/// Starts a workflow under this id, unless one was started under it ever.
async fn start(channel: &Channel, id: &str, request_eager_execution: bool) -> Result<Started> {
    let named = |name: &str| Some(Named { name: name.to_owned() });
    let request = StartRequest {
        namespace: NAMESPACE.to_owned(),
        workflow_id: id.to_owned(),
        workflow_type: named("charge"),
        task_queue: named("bench"),
        identity: "bench".to_owned(),
        request_id: Uuid::new_v4().to_string(),
        id_reuse_policy: REJECT_DUPLICATE,
        request_eager_execution,
    };
    match try_unary::<_, StartResponse>(channel, START, request).await {
        Ok(started) => Ok(Started::Now(started.eager_workflow_task)),
        Err(status) if status.code() == Code::AlreadyExists => Ok(Started::Before),
        Err(status) => Err(status.into()),
    }
}

impl Contender for Temporal {
    fn about(&self) -> About {
        About {
            version: self.version.clone(),
            durability: "SQLite's log with synchronous=FULL, both set for it: fsync of each \
                         transaction, of which a start has several",
            clients: "4 gRPC connections, no SDK, no worker",
            is_loaded: false,
        }
    }

    fn form(&self, work: Work) -> Option<&'static str> {
        match work {
            Work::Fresh | Work::Stampede => {
                Some("StartWorkflowExecution, the key as workflow id, duplicates rejected")
            }
            Work::Settle => {
                Some("the same with its first task in the answer, RespondWorkflowTaskCompleted")
            }
            Work::Duplicate => {
                Some("StartWorkflowExecution is rejected, GetWorkflowExecutionHistory")
            }
            Work::Batch => None,
        }
    }

    fn claim<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, bool> {
        Box::pin(async move {
            let started = start(self.channel(caller), key, false).await?;
            Ok(matches!(started, Started::Now(_)))
        })
    }

    fn settle<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, ()> {
        Box::pin(self.settled(caller, key))
    }

    fn duplicate<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, ()> {
        Box::pin(self.found(caller, key))
    }

    fn processes(&self) -> Vec<u32> {
        vec![self.process.id()]
    }
}
