//! ListMemories and AcceptMemory: how far back is remembered, and the end of a gap.

use onced_proto::admin::v1;
use tonic::Status;
use uuid::Uuid;

use super::{super::Service, scope};
use crate::{
    gap::{self, Closed, Judged, REASON_MAX},
    intent::{RESERVED_NAMESPACE, name_fault},
    record::Revision,
    status::{Denial, operator},
    store::Memory,
    violation::Violation,
    wire::{memory, time::timestamp},
};

impl Service {
    pub(super) async fn list_memories(
        &self,
        request: v1::ListMemoriesRequest,
    ) -> Result<v1::ListMemoriesResponse, Status> {
        let namespace = scope(&request.namespace)
            .map_err(|violation| Denial::Malformed(vec![violation]).status())?;
        let all = self.keeper.store().memories(None).await;
        Ok(memory::listed(all.map_err(|error| operator::failed(&error))?, namespace))
    }

    pub(super) async fn accept_memory(
        &self,
        request: v1::AcceptMemoryRequest,
    ) -> Result<v1::AcceptMemoryResponse, Status> {
        let judged =
            judged(&request).map_err(|violations| Denial::Malformed(violations).status())?;
        let store = self.keeper.store();
        let failed = |error| operator::failed(&error);
        if self.is_made_up(&judged) {
            let known = store.memory(&judged.namespace, &judged.operation).await;
            if known.map_err(failed)?.is_none() {
                let (namespace, operation) = (judged.namespace, judged.operation);
                return Err(Denial::OperationUnknown { namespace, operation }.status());
            }
        }
        let closed = gap::close(&*store, &judged, self.clock.now()).await.map_err(failed)?;
        // Not that an old one is refused for a minute more.
        self.keeper.forget();
        match closed {
            Closed::Now(memory) => {
                let Judged { namespace, operation, reason, .. } = &judged;
                tracing::warn!(namespace, operation, reason, "the memory gap was accepted");
                Ok(accepted(&memory))
            }
            Closed::Already(memory) => Ok(accepted(&memory)),
            Closed::Moved(memory) => Err(operator::memory_moved(&memory.revision.0.to_string())),
            Closed::Unknown => Err(operator::no_memory()),
        }
    }

    /// No policy names it: it may be a misspelt one.
    fn is_made_up(&self, judged: &Judged) -> bool {
        let policies = self.policies.current();
        !judged.operation.is_empty()
            && policies.policy(&judged.namespace, &judged.operation).is_none()
    }
}

fn accepted(memory: &Memory) -> v1::AcceptMemoryResponse {
    v1::AcceptMemoryResponse { memory_start_time: Some(timestamp(memory.start)) }
}

/// What is asked for, or everything that is wrong with it.
fn judged(request: &v1::AcceptMemoryRequest) -> Result<Judged, Vec<Violation>> {
    let mut wrong = Vec::new();
    let mut fault = |field: &'static str, fault: String| {
        wrong.push(Violation::new("", field, fault));
    };
    let is_name = !(request.others && request.namespace.is_empty());
    match request.namespace.as_str() {
        RESERVED_NAMESPACE => fault("namespace", "is reserved for the server".to_owned()),
        name if is_name => name_fault(name).into_iter().for_each(|told| fault("namespace", told)),
        _ => {}
    }
    match (request.others, request.operation.as_str()) {
        (true, "") => {}
        (true, _) => fault("operation", "does not go with others".to_owned()),
        (false, name) => name_fault(name).into_iter().for_each(|told| fault("operation", told)),
    }
    if request.reason.trim().is_empty() {
        fault("reason", "is required".to_owned());
    }
    if request.reason.len() > REASON_MAX {
        let bytes = request.reason.len();
        fault("reason", format!("has {bytes} bytes; at most {REASON_MAX}"));
    }
    let revision = match request.etag.as_str() {
        "" => None,
        etag => Uuid::parse_str(etag).ok().map(Revision),
    };
    if revision.is_none() && !request.etag.is_empty() {
        fault("etag", "is none that ListMemories gave".to_owned());
    }
    let v1::AcceptMemoryRequest { namespace, operation, reason, .. } = request.clone();
    if wrong.is_empty() {
        Ok(Judged { namespace, operation, revision, reason })
    } else {
        Err(wrong)
    }
}

#[cfg(test)]
mod tests;
