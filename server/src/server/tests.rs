//! The whole server over loopback, with the embedded engine.

use std::{net::SocketAddr, time::Duration};

use onced_proto::v1::{
    self, claim_service_client::ClaimServiceClient, policy_service_client::PolicyServiceClient,
    reconciliation_service_client::ReconciliationServiceClient,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
};
use tonic::{Code, Request, Status, transport::Channel};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use super::{Drain, Error, serve};
use crate::service::trial::{
    Trial, claim, completed, fields, granted, in_progress, payload, reason, success, text, waiting,
};

struct Running {
    channel: Channel,
    address: SocketAddr,
    admin: SocketAddr,
    shutdown: oneshot::Sender<()>,
    served: JoinHandle<Result<(), Error>>,
    _trial: Trial,
}

const QUICK: Drain = Drain { delay: Duration::from_millis(200), grace: Duration::from_secs(5) };

impl Running {
    async fn start(drain: Drain) -> Self {
        Self::of(Trial::new(), drain).await
    }

    async fn of(trial: Trial, drain: Drain) -> Self {
        let grpc = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let pages = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, admin) = (grpc.local_addr().unwrap(), pages.local_addr().unwrap());
        let (shutdown, asked) = oneshot::channel();
        let served = tokio::spawn(serve(grpc, pages, trial.parts(drain), async {
            let _ = asked.await;
        }));
        let channel = Channel::from_shared(format!("http://{address}")).unwrap();
        let channel = channel.connect().await.unwrap();
        Self { channel, address, admin, shutdown, served, _trial: trial }
    }

    fn claims(&self) -> ClaimServiceClient<Channel> {
        ClaimServiceClient::new(self.channel.clone())
    }

    async fn page(&self, path: &str, accept: &str) -> String {
        page(self.admin, path, accept).await
    }
}

async fn page(admin: SocketAddr, path: &str, accept: &str) -> String {
    let mut connection = TcpStream::connect(admin).await.unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: onced\r\nAccept: {accept}\r\nConnection: close\r\n\r\n"
    );
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    answer
}

async fn unary<Q, A>(channel: Channel, path: &'static str, request: Q) -> Result<A, Status>
where
    Q: prost::Message + Send + Sync + 'static,
    A: prost::Message + Default + Send + Sync + 'static,
{
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let codec = tonic_prost::ProstCodec::<Q, A>::default();
    let path = http::uri::PathAndQuery::from_static(path);
    client.unary(Request::new(request), path, codec).await.map(tonic::Response::into_inner)
}

#[tokio::test]
async fn a_claim_goes_all_the_way_over_the_wire_and_is_counted() {
    let server = Running::start(QUICK).await;
    let mut claims = server.claims();
    let grant = granted(claims.claim(claim("k")).await.unwrap().into_inner().ruling);
    in_progress(claims.claim(claim("k")).await.unwrap().into_inner().ruling);
    claims.complete(success("k", grant.fencing_token, "ch_1")).await.unwrap();
    let replay = completed(claims.claim(claim("k")).await.unwrap().into_inner().ruling);
    assert_eq!(text(&replay), "ch_1");

    let page = server.page("/metrics", "*/*").await;
    assert!(page.contains("text/plain; version=0.0.4"), "{page}");
    for line in [
        r#"onced_rulings_total{namespace="payments",operation="charge",verdict="granted"} 1"#,
        r#"onced_rulings_total{namespace="payments",operation="charge",verdict="completed"} 1"#,
        r#"onced_rulings_total{namespace="payments",operation="charge",verdict="in_progress"} 1"#,
        r#"onced_outcomes_total{namespace="payments",operation="charge",outcome="succeeded",late="false"} 1"#,
        r#"rpc_server_call_duration_seconds_count{rpc_method="onced.v1.ClaimService/Claim",rpc_status_code="OK"} 3"#,
        r#"onced_store_lwt_total{kind="applied"} 2"#,
    ] {
        assert!(page.contains(line), "no {line} in {page}");
    }
    let page = server.page("/metrics", "application/openmetrics-text;version=1.0.0").await;
    assert!(page.contains("application/openmetrics-text") && page.contains("# EOF"), "{page}");
}

/// A request whose texts are bytes, as a client without UTF-8 checks sends them.
#[derive(Clone, PartialEq, prost::Message)]
struct RawClaim {
    #[prost(message, optional, tag = "1")]
    intent: Option<RawId>,
    #[prost(bytes = "vec", tag = "3")]
    holder: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct RawId {
    #[prost(bytes = "vec", tag = "3")]
    key: Vec<u8>,
}

async fn claim_raw(server: &Running, request: RawClaim) -> Status {
    let path = "/onced.v1.ClaimService/Claim";
    unary::<_, v1::ClaimResponse>(server.channel.clone(), path, request).await.unwrap_err()
}

#[tokio::test]
async fn bytes_that_are_not_utf8_are_the_callers_fault_and_the_field_is_named() {
    let server = Running::start(QUICK).await;
    let key = RawClaim { intent: Some(RawId { key: vec![0xff] }), holder: Vec::new() };
    let holder = RawClaim { intent: None, holder: vec![0xc3, 0x28] };
    for (request, field) in [(key, "intent.key"), (holder, "holder")] {
        let status = claim_raw(&server, request).await;
        assert_eq!(status.code(), Code::InvalidArgument);
        assert_eq!(reason(&status).0, "INVALID_FIELD");
        assert_eq!(fields(&status), [field]);
    }
}

#[tokio::test]
async fn a_message_that_is_too_large_is_the_callers_fault() {
    let server = Running::start(QUICK).await;
    let large = v1::ClaimRequest { payload: Some(payload(&"x".repeat(5 << 20))), ..claim("k") };
    let status = server.claims().claim(large).await.unwrap_err();
    assert_eq!((status.code(), fields(&status)), (Code::InvalidArgument, vec!["request".into()]));
    let large = v1::ClaimRequest { payload: Some(payload(&"x".repeat(2 << 20))), ..claim("k") };
    let status = server.claims().claim(large).await.unwrap_err();
    assert_eq!(fields(&status), ["payload.bytes"]);
}

#[tokio::test]
async fn a_waiter_is_answered_before_its_deadline() {
    let server = Running::start(QUICK).await;
    granted(server.claims().claim(claim("k")).await.unwrap().into_inner().ruling);
    let mut request = Request::new(waiting("k"));
    request.set_timeout(Duration::from_millis(600));
    in_progress(server.claims().claim(request).await.unwrap().into_inner().ruling);
}

#[tokio::test]
async fn what_is_promised_and_not_served_is_unimplemented() {
    let server = Running::start(QUICK).await;
    let mut client = ReconciliationServiceClient::new(server.channel.clone());
    let status = client.get_drift(v1::GetDriftRequest::default()).await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
}

#[tokio::test]
async fn a_policy_is_shown_with_every_default() {
    let server = Running::start(QUICK).await;
    let mut client = PolicyServiceClient::new(server.channel.clone());
    let (namespace, operation) = ("payments".to_owned(), "charge".to_owned());
    let request = v1::GetPolicyRequest { namespace, operation };
    let policy = client.get_policy(request).await.unwrap().into_inner().policy.unwrap();
    assert_eq!(policy.effect_class(), v1::EffectClass::Keyed);
    assert_eq!(policy.lease.unwrap().seconds, 30);
}

#[tokio::test]
async fn going_down_says_so_first_then_ends_watches_then_stops() {
    let server = Running::start(QUICK).await;
    let mut health = HealthClient::new(server.channel.clone());
    let service = "onced.v1.ClaimService".to_owned();
    let mut told =
        health.watch(HealthCheckRequest { service: service.clone() }).await.unwrap().into_inner();
    assert_eq!(told.message().await.unwrap().unwrap().status, 1);
    assert!(server.page("/readyz", "*/*").await.contains("200 OK"));
    let intent = Some(crate::service::trial::id("k"));
    let request = v1::WatchRequest { intent, payload: None };
    let mut events = server.claims().watch(request).await.unwrap().into_inner();
    events.message().await.unwrap().unwrap();

    server.shutdown.send(()).unwrap();
    assert_eq!(told.message().await.unwrap().unwrap().status, 2);
    assert!(page(server.admin, "/readyz", "*/*").await.contains("503"));
    assert!(page(server.admin, "/livez", "*/*").await.contains("200 OK"));
    let mut claims = ClaimServiceClient::new(server.channel.clone());
    granted(claims.claim(claim("l")).await.unwrap().into_inner().ruling);

    let status = events.message().await.unwrap_err();
    assert_eq!(reason(&status).0, "DRAINING");
    drop((told, events, health, claims, server.channel));
    server.served.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_call_that_never_ends_does_not_hold_the_server_up() {
    let drain = Drain { delay: Duration::ZERO, grace: Duration::from_millis(200) };
    let server = Running::start(drain).await;
    let mut health = HealthClient::new(server.channel.clone());
    let request = HealthCheckRequest { service: String::new() };
    let mut told = health.watch(request).await.unwrap().into_inner();
    told.message().await.unwrap().unwrap();
    server.shutdown.send(()).unwrap();
    server.served.await.unwrap().unwrap();
}

/// A frame of HTTP/2: its type, and whatever it holds.
async fn frame(connection: &mut TcpStream) -> Option<u8> {
    let mut head = [0; 9];
    connection.read_exact(&mut head).await.ok()?;
    let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
    connection.read_exact(&mut vec![0; length]).await.ok()?;
    Some(head[3])
}

#[tokio::test]
async fn a_connection_that_is_old_is_asked_to_be_made_anew() {
    const EMPTY_SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    const GOAWAY: u8 = 7;
    let mut trial = Trial::new();
    trial.bounds.connection_age = Some(Duration::from_millis(50));
    let server = Running::of(trial, QUICK).await;
    let mut connection = TcpStream::connect(server.address).await.unwrap();
    connection.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.unwrap();
    connection.write_all(&EMPTY_SETTINGS).await.unwrap();
    let told = async {
        while let Some(kind) = frame(&mut connection).await {
            if kind == GOAWAY {
                return;
            }
        }
        panic!("the connection ended without a word");
    };
    tokio::time::timeout(Duration::from_secs(20), told).await.unwrap();
}
