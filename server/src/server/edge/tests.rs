use std::{convert::Infallible, future, net::SocketAddr};

use onced_proto::v1::{self, claim_service_client::ClaimServiceClient};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::{Channel, Server};

use super::*;
use crate::service::trial::reason;

#[track_caller]
fn check(text: &str, expected: Option<Duration>) {
    assert_eq!(timeout(text), expected, "{text:?}");
}

#[test]
fn a_timeout_is_a_number_and_a_unit() {
    check("2H", Some(Duration::from_secs(7_200)));
    check("3M", Some(Duration::from_secs(180)));
    check("4S", Some(Duration::from_secs(4)));
    check("5m", Some(Duration::from_millis(5)));
    check("6u", Some(Duration::from_micros(6)));
    check("99999999n", Some(Duration::from_nanos(99_999_999)));
    for text in ["", "S", "1", "1s", "-1S", "+1S", "123456789S", "1 S", "1é"] {
        check(text, None);
    }
}

#[test]
fn a_call_has_its_own_time_less_the_way_back_and_never_more_than_the_longest() {
    let longest = Duration::from_secs(60);
    let time = |text: &'static str| {
        let mut headers = HeaderMap::new();
        headers.insert("grpc-timeout", text.parse().unwrap());
        time_for(&headers, longest)
    };
    assert_eq!(time("10S"), Duration::from_millis(9_980));
    assert_eq!(time("10m"), Duration::from_millis(9));
    assert_eq!(time("10H"), longest);
    assert_eq!(time("soon"), longest);
    assert_eq!(time_for(&HeaderMap::new(), longest), longest);
}

#[test]
fn a_method_that_nobody_serves_is_no_label() {
    assert_eq!(
        method_label("onced.v1.ClaimService/Claim", Code::Ok),
        "onced.v1.ClaimService/Claim"
    );
    assert_eq!(method_label("onced.v1.ClaimService/Guess", Code::Unimplemented), "_OTHER");
    assert_eq!(method_label("made.Up/Name", Code::Ok), "_OTHER");
}

/// Never answers.
#[derive(Clone)]
struct Never;

impl Service<Request<Body>> for Never {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = future::Pending<Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<Body>) -> Self::Future {
        future::pending()
    }
}

impl tonic::server::NamedService for Never {
    const NAME: &'static str = "onced.v1.ClaimService";
}

async fn never(call_max: Duration) -> (SocketAddr, Arc<Metrics>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let metrics = Arc::new(Metrics::new());
    let edge = Edge::new(call_max, metrics.clone());
    let incoming = TcpListenerStream::new(listener);
    tokio::spawn(Server::builder().layer(edge).add_service(Never).serve_with_incoming(incoming));
    (address, metrics)
}

#[tokio::test]
async fn a_call_that_outlives_its_deadline_is_told_so_and_counted() {
    let (address, metrics) = never(Duration::from_secs(60)).await;
    let channel = Channel::from_shared(format!("http://{address}")).unwrap();
    let mut client = ClaimServiceClient::new(channel.connect().await.unwrap());
    let mut request = tonic::Request::new(v1::ClaimRequest::default());
    request.set_timeout(Duration::from_millis(300));
    let status = client.claim(request).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).0.as_str()), (Code::DeadlineExceeded, "DEADLINE"));
    let line = r#"rpc_method="onced.v1.ClaimService/Claim",rpc_status_code="DEADLINE_EXCEEDED"} 1"#;
    assert!(metrics.prometheus().contains(line), "{}", metrics.prometheus());
}

#[tokio::test]
async fn a_call_without_a_deadline_has_the_servers() {
    let (address, _) = never(Duration::from_millis(50)).await;
    let channel = Channel::from_shared(format!("http://{address}")).unwrap();
    let mut client = ClaimServiceClient::new(channel.connect().await.unwrap());
    let status = client.claim(v1::ClaimRequest::default()).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).0.as_str()), (Code::DeadlineExceeded, "DEADLINE"));
}
