//! ClaimService: one method per call, all of the same shape.

use std::sync::Arc;

use onced_proto::v1::{self, claim_service_server::ClaimService};
use tonic::{Request, Response, Status};

use super::{Service, call::Call};
use crate::{ruling::Refusal, status::Denial, telemetry::key_use::Count};

mod batch;
mod claim;
mod look;
mod reclaim;
mod report;
mod watch;

/// ClaimService over a [`Service`].
#[derive(Clone)]
pub struct Claims(pub Arc<Service>);

type Answer<T> = Result<Response<T>, Status>;

/// Streams as the generated trait wants them.
type Stream<T> = tonic::codegen::BoxStream<T>;

impl Claims {
    fn call<T>(&self, request: Request<T>) -> (Call, T) {
        let call = Call::of(&request, self.0.bounds.call_max);
        (call, request.into_inner())
    }
}

impl Service {
    /// A denial as the end of a call: counted, its cause logged.
    fn end<T>(&self, answer: Result<T, Denial>, names: &Names) -> Answer<T> {
        answer.map(Response::new).map_err(|denial| self.denied(&denial, names))
    }

    fn denied(&self, denial: &Denial, names: &Names) -> Status {
        self.note(denial, names);
        denial.status()
    }

    fn note(&self, denial: &Denial, names: &Names) {
        denial.log();
        let scope = self.scope(&names.namespace, &names.operation);
        self.metrics.refused(&scope, denial.reason());
        if let Denial::Refused { refusal: Refusal::KeyReused { .. }, now, .. } = denial {
            self.metrics.key_use().count(&scope, Count::KeyReused, 1, *now);
        }
    }
}

/// Of which operation a call is, as far as its message says.
#[derive(Clone, Debug, Default)]
struct Names {
    namespace: String,
    operation: String,
}

impl Names {
    fn of(intent: Option<&v1::IntentId>) -> Self {
        intent.map_or_else(Self::default, |intent| Self {
            namespace: intent.namespace.clone(),
            operation: intent.operation.clone(),
        })
    }
}

#[tonic::async_trait]
impl ClaimService for Claims {
    async fn claim(&self, request: Request<v1::ClaimRequest>) -> Answer<v1::ClaimResponse> {
        let (call, request) = self.call(request);
        let names = Names::of(request.intent.as_ref());
        let ruling = self.0.claim(request, &call).await;
        let response = ruling.map(|ruling| v1::ClaimResponse { ruling: Some(ruling) });
        self.0.end(response, &names)
    }

    async fn complete(
        &self,
        request: Request<v1::CompleteRequest>,
    ) -> Answer<v1::CompleteResponse> {
        let (call, request) = self.call(request);
        let names = Names::of(request.intent.as_ref());
        self.0.end(self.0.complete(request, &call).await, &names)
    }

    async fn get(&self, request: Request<v1::GetRequest>) -> Answer<v1::GetResponse> {
        let (call, request) = self.call(request);
        let names = Names::of(request.intent.as_ref());
        self.0.end(self.0.get(request, &call).await, &names)
    }

    async fn reclaim(&self, request: Request<v1::ReclaimRequest>) -> Answer<v1::ReclaimResponse> {
        let (call, request) = self.call(request);
        let names = Names::of(request.intent.as_ref());
        let ruling = self.0.reclaim(request, &call).await;
        let response = ruling.map(|ruling| v1::ReclaimResponse { ruling: Some(ruling) });
        self.0.end(response, &names)
    }

    async fn renew(&self, request: Request<v1::RenewRequest>) -> Answer<v1::RenewResponse> {
        let (call, request) = self.call(request);
        let names = Names::of(request.intent.as_ref());
        self.0.end(self.0.renew(request, &call).await, &names)
    }

    async fn release(&self, request: Request<v1::ReleaseRequest>) -> Answer<v1::ReleaseResponse> {
        let (call, request) = self.call(request);
        let names = Names::of(request.intent.as_ref());
        self.0.end(self.0.release(request, &call).await, &names)
    }

    async fn watch(&self, request: Request<v1::WatchRequest>) -> Answer<Stream<v1::WatchResponse>> {
        let (call, request) = self.call(request);
        let names = Names::of(request.intent.as_ref());
        let watched = watch::watch(self.0.clone(), request, call).await;
        self.0.end(watched, &names)
    }

    async fn batch_claim(
        &self,
        request: Request<v1::BatchClaimRequest>,
    ) -> Answer<v1::BatchClaimResponse> {
        let (call, request) = self.call(request);
        let results = batch::claim(self.0.clone(), request.requests, call).await;
        let response = results.map(|results| v1::BatchClaimResponse { results });
        self.0.end(response, &Names::default())
    }

    async fn batch_complete(
        &self,
        request: Request<v1::BatchCompleteRequest>,
    ) -> Answer<v1::BatchCompleteResponse> {
        let (call, request) = self.call(request);
        let results = batch::complete(self.0.clone(), request.requests, call).await;
        let response = results.map(|results| v1::BatchCompleteResponse { results });
        self.0.end(response, &Names::default())
    }

    async fn batch_renew(
        &self,
        request: Request<v1::BatchRenewRequest>,
    ) -> Answer<v1::BatchRenewResponse> {
        let (call, request) = self.call(request);
        let results = batch::renew(self.0.clone(), request.requests, call).await;
        let response = results.map(|results| v1::BatchRenewResponse { results });
        self.0.end(response, &Names::default())
    }

    async fn batch_release(
        &self,
        request: Request<v1::BatchReleaseRequest>,
    ) -> Answer<v1::BatchReleaseResponse> {
        let (call, request) = self.call(request);
        let results = batch::release(self.0.clone(), request.requests, call).await;
        let response = results.map(|results| v1::BatchReleaseResponse { results });
        self.0.end(response, &Names::default())
    }
}
