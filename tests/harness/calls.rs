//! Calls to one server: the request in, the answer or the refusal out.

use std::net::SocketAddr;

use onced_client::{ClaimServiceClient, Connection};
use onced_proto::v1::{self, ruling::Verdict};
use tonic::{Request, Streaming, transport::Channel};

use super::{
    answer::{Refusal, RulingExt},
    request,
};

/// Calls to one server. Cheap to clone; all clones share a connection.
#[derive(Clone, Debug)]
pub struct Calls {
    connection: Connection,
}

type Answer<T> = Result<T, Refusal>;

/// Declares a call by its name and its messages.
macro_rules! calls {
    ($($(#[doc = $doc:literal])+ $name:ident: $request:ident -> $response:ident;)+) => {
        impl Calls {
            $(
                $(#[doc = $doc])+
                pub async fn $name(
                    &self,
                    request: impl tonic::IntoRequest<v1::$request>,
                ) -> Answer<v1::$response> {
                    Ok(self.claims().$name(request).await?.into_inner())
                }
            )+
        }
    };
}

calls! {
    /// Complete.
    complete: CompleteRequest -> CompleteResponse;
    /// Renew.
    renew: RenewRequest -> RenewResponse;
    /// Release.
    release: ReleaseRequest -> ReleaseResponse;
    /// Releases many.
    batch_release: BatchReleaseRequest -> BatchReleaseResponse;
    /// Completes many.
    batch_complete: BatchCompleteRequest -> BatchCompleteResponse;
    /// Renews many.
    batch_renew: BatchRenewRequest -> BatchRenewResponse;
}

impl Calls {
    /// Calls to the server at `address`.
    pub fn to(address: SocketAddr) -> Self {
        let connection = onced_client::connect(&format!("http://{address}")).expect("an address");
        Self { connection }
    }

    /// The generated client.
    pub fn claims(&self) -> ClaimServiceClient<Channel> {
        self.connection.claims()
    }

    /// The connection.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Claim.
    pub async fn claim(
        &self,
        request: impl tonic::IntoRequest<v1::ClaimRequest>,
    ) -> Answer<v1::Ruling> {
        let response = self.claims().claim(request).await?.into_inner();
        Ok(response.ruling.expect("a ruling"))
    }

    /// Reclaim.
    pub async fn reclaim(&self, request: v1::ReclaimRequest) -> Answer<v1::Ruling> {
        let response = self.claims().reclaim(request).await?.into_inner();
        Ok(response.ruling.expect("a ruling"))
    }

    /// Get.
    pub async fn get(&self, request: v1::GetRequest) -> Answer<v1::Intent> {
        let response = self.claims().get(request).await?.into_inner();
        Ok(response.intent.expect("an intent"))
    }

    /// Watch.
    pub async fn watch(&self, request: v1::WatchRequest) -> Answer<Watched> {
        Ok(Watched(self.claims().watch(request).await?.into_inner()))
    }

    /// Claims many.
    pub async fn batch_claim(
        &self,
        request: v1::BatchClaimRequest,
    ) -> Answer<Vec<Answer<v1::Ruling>>> {
        use v1::batch_claim_result::Result as One;
        let response = self.claims().batch_claim(Request::new(request)).await?.into_inner();
        let one = |result: v1::BatchClaimResult| match result.result.expect("a result") {
            One::Ruling(ruling) => Ok(ruling),
            One::Status(status) => Err(Refusal::of_message(status)),
        };
        Ok(response.results.into_iter().map(one).collect())
    }

    /// Claims, and expects a grant.
    pub async fn granted(&self, intent: &v1::IntentId) -> v1::Granted {
        let ruling = self.claim(request::claim(intent)).await.expect("a ruling");
        ruling.granted()
    }

    /// Claims and completes with a text; answers the token.
    pub async fn succeeded(&self, intent: &v1::IntentId, result: &str) -> i64 {
        let token = self.granted(intent).await.fencing_token;
        let report = request::complete(intent, token, request::succeeded(result));
        self.complete(report).await.expect("a report that is taken");
        token
    }

    /// What a duplicate is told.
    pub async fn duplicate(&self, intent: &v1::IntentId) -> Verdict {
        let ruling = self.claim(request::claim(intent)).await.expect("a ruling");
        ruling.verdict.expect("a verdict")
    }
}

/// An open Watch.
#[derive(Debug)]
pub struct Watched(Streaming<v1::WatchResponse>);

impl Watched {
    /// The next event; none at the end.
    pub async fn next(&mut self) -> Answer<Option<v1::WatchResponse>> {
        Ok(self.0.message().await?)
    }

    /// The next event.
    pub async fn event(&mut self) -> v1::WatchResponse {
        self.next().await.expect("no refusal").expect("one more event")
    }
}
