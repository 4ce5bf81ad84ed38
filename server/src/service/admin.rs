//! AdminService: what operators do to the service as a whole.
//!
//! What is not built yet (EraseResult) answers UNIMPLEMENTED.

use std::{sync::Arc, time::Duration};

use onced_proto::admin::v1::{self, admin_service_server::AdminService};
use tonic::{Request, Response, Status, Streaming};

use super::Service;
use crate::{
    intent::{RESERVED_NAMESPACE, name_fault},
    keeper::Hold,
    status::{Denial, operator},
    violation::Violation,
    wire::time::duration,
};

mod backup;
mod diagnose;
mod export;
mod import;
mod memory;

/// AdminService over a [`Service`].
#[derive(Clone)]
pub struct Admin(pub Arc<Service>);

type Answer<T> = Result<Response<T>, Status>;
type Stream<T> = tonic::codegen::BoxStream<T>;

#[tonic::async_trait]
impl AdminService for Admin {
    async fn backup(&self, request: Request<v1::BackupRequest>) -> Answer<v1::BackupResponse> {
        self.0.backup(request.into_inner()).await.map(Response::new)
    }

    async fn list_memories(
        &self,
        request: Request<v1::ListMemoriesRequest>,
    ) -> Answer<v1::ListMemoriesResponse> {
        self.0.list_memories(request.into_inner()).await.map(Response::new)
    }

    async fn accept_memory(
        &self,
        request: Request<v1::AcceptMemoryRequest>,
    ) -> Answer<v1::AcceptMemoryResponse> {
        self.0.accept_memory(request.into_inner()).await.map(Response::new)
    }

    async fn freeze(&self, request: Request<v1::FreezeRequest>) -> Answer<v1::FreezeResponse> {
        self.0.freeze(request.into_inner()).await.map(Response::new)
    }

    async fn export(
        &self,
        request: Request<v1::ExportRequest>,
    ) -> Answer<Stream<v1::ExportResponse>> {
        export::export(self.0.clone(), &request.into_inner()).map(Response::new)
    }

    async fn import(
        &self,
        request: Request<Streaming<v1::ImportRequest>>,
    ) -> Answer<v1::ImportResponse> {
        self.0.import(request.into_inner()).await.map(Response::new)
    }

    async fn diagnose(
        &self,
        request: Request<v1::DiagnoseRequest>,
    ) -> Answer<v1::DiagnoseResponse> {
        self.0.diagnose(request.into_inner()).await.map(Response::new)
    }
}

impl Service {
    async fn freeze(&self, request: v1::FreezeRequest) -> Result<v1::FreezeResponse, Status> {
        let (namespace, hold) = asked_hold(&request).map_err(|denial| denial.status())?;
        self.keeper.hold(namespace, hold).await.map_err(|error| operator::failed(&error))?;
        let scope = namespace.unwrap_or("all namespaces");
        tracing::warn!(namespace = scope, hold = ?hold, reason = request.reason, "held");
        let stands = self.keeper.held(namespace).await.map_err(|error| operator::failed(&error))?;
        let alone = match namespace {
            Some(_) => Vec::new(),
            None => self.keeper.held_alone().await.map_err(|error| operator::failed(&error))?,
        };
        let settle = (hold > Hold::Open).then(|| self.others_settle_in()).flatten();
        Ok(v1::FreezeResponse {
            settle: settle.map(duration),
            frozen: stands.hold >= Hold::Frozen,
            sealed: stands.hold == Hold::Sealed,
            held_namespaces: alone,
        })
    }

    fn others_settle_in(&self) -> Option<Duration> {
        self.keeper.others_settle_in(self.bounds.call_max)
    }
}

/// Of which namespace, all if absent, and which.
fn asked_hold(request: &v1::FreezeRequest) -> Result<(Option<&str>, Hold), Denial> {
    let mut violations = Vec::new();
    let namespace = scope(&request.namespace).unwrap_or_else(|violation| {
        violations.push(violation);
        None
    });
    if request.reason.trim().is_empty() {
        violations.push(Violation::new("", "reason", "is required"));
    }
    let hold = match (request.frozen, request.sealed) {
        (false, false) => Hold::Open,
        (true, false) => Hold::Frozen,
        (true, true) => Hold::Sealed,
        (false, true) => {
            violations.push(Violation::new("", "sealed", "goes with frozen"));
            Hold::Open
        }
    };
    if violations.is_empty() { Ok((namespace, hold)) } else { Err(Denial::Malformed(violations)) }
}

/// A namespace that was named; all if it is empty.
fn scope(namespace: &str) -> Result<Option<&str>, Violation> {
    let fault = match namespace {
        "" => return Ok(None),
        RESERVED_NAMESPACE => Some("is reserved for the server".to_owned()),
        _ => name_fault(namespace),
    };
    match fault {
        Some(fault) => Err(Violation::new("", "namespace", fault)),
        None => Ok(Some(namespace)),
    }
}

#[cfg(test)]
mod tests;
