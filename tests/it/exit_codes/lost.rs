//! Answers that are lost, and answers that say nothing: neither is ever taken for more than it is.

use std::{net::SocketAddr, time::Duration};

use onced_proto::v1::{
    ClaimRequest, ClaimResponse, Granted, ReclaimRequest, ReclaimResponse, Ruling,
    claim_service_server::{ClaimService, ClaimServiceServer},
    ruling::Verdict,
};
use onced_tests::harness::{InProcess, Proxy, request::*};
use tokio::{net::TcpListener, task::AbortHandle};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status, transport::Server};

use super::{BOUND, CHARGE, JSON, onced};

#[tokio::test]
async fn a_claim_whose_answer_is_lost_is_sent_again_and_granted_as_one_attempt() {
    let server = InProcess::start().await;
    let (calls, proxy) = (server.calls(), Proxy::before(server.address).await);
    let words = format!("claim {CHARGE} order-1 {JSON}");
    let way = proxy.address;
    let claiming = tokio::spawn(async move { onced(way, &words).await });
    let arrived = async {
        while calls.get(get(&charge("order-1"))).await.is_err() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(BOUND, arrived).await.expect("a claim that arrives");
    proxy.cut();
    let ended = claiming.await.expect("a command");
    assert_eq!(ended.code, 0, "{ended:?}");
    let shown = calls.get(get_whole(&charge("order-1"))).await.expect("an intent");
    assert_eq!((shown.attempt, shown.earlier_attempts.len()), (1, 0));
}

/// Answers without a verdict, as a newer server may in words that this version does not know.
struct Wordless {
    ruling: Option<Ruling>,
}

#[tonic::async_trait]
impl ClaimService for Wordless {
    async fn claim(&self, _: Request<ClaimRequest>) -> Result<Response<ClaimResponse>, Status> {
        Ok(Response::new(ClaimResponse { ruling: self.ruling.clone() }))
    }

    async fn reclaim(
        &self,
        _: Request<ReclaimRequest>,
    ) -> Result<Response<ReclaimResponse>, Status> {
        Ok(Response::new(ReclaimResponse { ruling: self.ruling.clone() }))
    }
}

/// Serves that answer to whoever asks.
async fn answering(ruling: Option<Ruling>) -> (SocketAddr, AbortHandle) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let service = ClaimServiceServer::new(Wordless { ruling });
    let serving = Server::builder()
        .add_service(service)
        .serve_with_incoming(TcpListenerStream::new(listener));
    (address, tokio::spawn(serving).abort_handle())
}

#[tokio::test]
async fn a_run_never_acts_on_a_repeated_grant_that_it_did_not_ask_for_again() {
    let lease = span(Duration::from_secs(30));
    for (repeated, code) in [(true, 13), (false, 17)] {
        let granted = Granted { repeated, fencing_token: 7, lease, ..Granted::default() };
        let verdict = Some(Verdict::Granted(granted));
        let (address, serving) = answering(Some(Ruling { verdict, warnings: Vec::new() })).await;
        let run = format!("run {CHARGE} order-1 --endpoint http://{address} --report-within 1s");
        let ended = onced(address, &format!("{run} -- true")).await;
        assert_eq!(ended.code, code, "{ended:?}");
        assert_eq!(ended.err.contains("the command was not run"), repeated, "{ended:?}");
        serving.abort();
    }
}

#[tokio::test]
async fn a_ruling_without_a_verdict_is_unknown_and_never_a_grant() {
    for ruling in [None, Some(Ruling::default())] {
        let (address, serving) = answering(ruling).await;
        let claimed = onced(address, &format!("claim {CHARGE} order-1 {JSON}")).await;
        assert_eq!(claimed.code, 12, "{claimed:?}");
        let words = format!("reclaim {CHARGE} order-1 {JSON} --reason holder-died");
        let reclaimed = onced(address, &words).await;
        assert_eq!(reclaimed.code, 12, "{reclaimed:?}");
        serving.abort();
    }
}
