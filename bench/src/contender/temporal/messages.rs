//! The few messages of Temporal's workflow service that are sent, with the fields that are used.

use prost::{Message, Oneof};

/// Starts a workflow.
#[derive(Clone, PartialEq, Message)]
pub(super) struct StartRequest {
    #[prost(string, tag = "1")]
    pub(super) namespace: String,
    #[prost(string, tag = "2")]
    pub(super) workflow_id: String,
    #[prost(message, optional, tag = "3")]
    pub(super) workflow_type: Option<Named>,
    #[prost(message, optional, tag = "4")]
    pub(super) task_queue: Option<Named>,
    #[prost(string, tag = "9")]
    pub(super) identity: String,
    #[prost(string, tag = "10")]
    pub(super) request_id: String,
    /// 3: whoever had this id before, running or ended, keeps it.
    #[prost(int32, tag = "11")]
    pub(super) id_reuse_policy: i32,
    /// Whoever starts it asks for its first task in the same answer.
    #[prost(bool, tag = "17")]
    pub(super) request_eager_execution: bool,
}

/// A type or a queue, by name.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Named {
    #[prost(string, tag = "1")]
    pub(super) name: String,
}

/// It is started.
#[derive(Clone, PartialEq, Message)]
pub(super) struct StartResponse {
    #[prost(message, optional, tag = "2")]
    pub(super) eager_workflow_task: Option<Task>,
}

/// A task of a workflow.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Task {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) token: Vec<u8>,
}

/// A task is done.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TaskCompletedRequest {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) token: Vec<u8>,
    #[prost(message, repeated, tag = "2")]
    pub(super) commands: Vec<Command>,
    #[prost(string, tag = "3")]
    pub(super) identity: String,
    #[prost(string, tag = "9")]
    pub(super) namespace: String,
}

/// What a workflow wants next.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Command {
    /// 4: to be completed.
    #[prost(int32, tag = "1")]
    pub(super) kind: i32,
    #[prost(oneof = "Attributes", tags = "4")]
    pub(super) attributes: Option<Attributes>,
}

/// With what.
#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Attributes {
    #[prost(message, tag = "4")]
    Complete(Complete),
}

/// Its result.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Complete {
    #[prost(message, optional, tag = "1")]
    pub(super) result: Option<Payloads>,
}

/// Values.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Payloads {
    #[prost(message, repeated, tag = "1")]
    pub(super) payloads: Vec<Payload>,
}

/// One value.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Payload {
    #[prost(bytes = "vec", tag = "2")]
    pub(super) data: Vec<u8>,
}

/// Asks for what happened in a workflow.
#[derive(Clone, PartialEq, Message)]
pub(super) struct HistoryRequest {
    #[prost(string, tag = "1")]
    pub(super) namespace: String,
    #[prost(message, optional, tag = "2")]
    pub(super) execution: Option<Execution>,
    /// 2: its end alone.
    #[prost(int32, tag = "6")]
    pub(super) filter: i32,
}

/// One run of a workflow; the latest, if no run is named.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Execution {
    #[prost(string, tag = "1")]
    pub(super) workflow_id: String,
}

/// What happened.
#[derive(Clone, PartialEq, Message)]
pub(super) struct HistoryResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) history: Option<History>,
}

/// Event by event.
#[derive(Clone, PartialEq, Message)]
pub(super) struct History {
    #[prost(message, repeated, tag = "1")]
    pub(super) events: Vec<Event>,
}

/// One event.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Event {
    /// 2: it was completed.
    #[prost(int32, tag = "3")]
    pub(super) kind: i32,
}
