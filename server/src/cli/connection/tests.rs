//! A server that answers from a script stands in for one that fails at the right moment.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use onced_proto::v1::{
    GetRequest, GetResponse,
    claim_service_server::{ClaimService, ClaimServiceServer},
};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic_types::ErrorDetails;

use super::*;

type Script = Arc<Mutex<VecDeque<Result<GetResponse, Status>>>>;

struct Scripted {
    answers: Script,
    seen: Arc<Mutex<Vec<GetRequest>>>,
}

#[tonic::async_trait]
impl ClaimService for Scripted {
    async fn get(&self, request: Request<GetRequest>) -> Result<Response<GetResponse>, Status> {
        self.seen.lock().unwrap().push(request.into_inner());
        let answer = self.answers.lock().unwrap().pop_front();
        answer.unwrap_or_else(|| Err(Status::unavailable("the script is over"))).map(Response::new)
    }
}

/// Asks a server that gives `answers`; tells the answer and how often the same request came.
async fn ask(answers: Vec<Result<GetResponse, Status>>) -> (Result<GetResponse, Status>, usize) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let seen = Arc::default();
    let scripted =
        Scripted { answers: Arc::new(Mutex::new(answers.into())), seen: Arc::clone(&seen) };
    let server = tonic::transport::Server::builder()
        .add_service(ClaimServiceServer::new(scripted))
        .serve_with_incoming(TcpListenerStream::new(listener));
    let server = tokio::spawn(server);
    let answer = connection(endpoint).ask(GetRequest::default(), Duration::ZERO, get).await;
    server.abort();
    let seen = seen.lock().unwrap();
    assert!(seen.iter().all(|request| *request == seen[0]), "re-sent unchanged");
    (answer.map(|answer| answer.message), seen.len())
}

fn connection(endpoint: String) -> Connection {
    Connection { endpoint, timeout: Duration::from_secs(10), output: Output::Text, profile: None }
}

async fn get(
    client: Client,
    request: Request<GetRequest>,
) -> Result<Response<GetResponse>, Status> {
    client.claims().get(request).await
}

#[tokio::test]
async fn what_is_indefinite_is_sent_again_until_a_definite_answer() {
    let answers = vec![
        Err(Status::unavailable("down")),
        Err(Status::internal("cut")),
        Ok(GetResponse::default()),
    ];
    let (answer, sends) = ask(answers).await;
    assert_eq!((answer.unwrap(), sends), (GetResponse::default(), 3));
}

#[tokio::test]
async fn a_refusal_is_never_sent_again() {
    let (answer, sends) =
        ask(vec![Err(Status::aborted("fenced")), Ok(GetResponse::default())]).await;
    assert_eq!((answer.unwrap_err().code(), sends), (Code::Aborted, 1));
}

#[tokio::test]
async fn sends_are_bounded() {
    let (answer, sends) = ask(Vec::new()).await;
    assert_eq!((answer.unwrap_err().code(), sends), (Code::Unavailable, 5));
}

#[tokio::test]
async fn where_nothing_listens_nothing_was_sent_and_the_address_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let mut connection = connection(endpoint.clone());
    connection.timeout = Duration::from_millis(300);
    let answer = connection.ask(GetRequest::default(), Duration::ZERO, get).await.unwrap_err();
    assert_eq!(answer.code(), Code::Unavailable);
    assert!(is_unheard(&answer));
    let told = format!("nothing answers at {endpoint}: is `onced serve` running? else --endpoint");
    assert_eq!(answer.message(), told);
}

#[tokio::test]
async fn what_one_server_may_have_heard_stays_in_doubt() {
    let (answer, _) = ask(Vec::new()).await;
    assert!(!is_unheard(&answer.unwrap_err()));
    // Takes the first connection, and is gone before it answers.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let connection = connection(format!("http://{}", listener.local_addr().unwrap()));
    let ends = tokio::spawn(async move { drop(listener.accept().await) });
    let answer = connection.ask(GetRequest::default(), Duration::ZERO, get).await.unwrap_err();
    ends.await.unwrap();
    assert!(!is_unheard(&answer), "{answer:?}");
}

#[test]
fn each_code_that_leaves_the_call_in_doubt_is_sent_again() {
    for number in 0..=16 {
        let code = Code::from_i32(number);
        let again = pause_before_resend(&Status::new(code, ""), 1, Duration::MAX).is_some();
        let in_doubt = ["Unavailable", "DeadlineExceeded", "Cancelled", "Unknown", "Internal"];
        assert_eq!(again, in_doubt.contains(&format!("{code:?}").as_str()), "{code:?}");
    }
}

#[test]
fn the_servers_wish_is_honoured_and_the_time_that_is_left_too() {
    let mut details = ErrorDetails::new();
    details.set_retry_info(Some(Duration::from_secs(3)));
    let status = Status::with_error_details(Code::Unavailable, "", details);
    let pause = |left| pause_before_resend(&status, 1, Duration::from_secs(left));
    assert_eq!(pause(4), Some(Duration::from_secs(3)));
    assert_eq!(pause(3), None);
}

#[test]
fn pauses_grow_and_differ_from_caller_to_caller() {
    let status = Status::unavailable("");
    let pauses: Vec<_> =
        (0..64).filter_map(|_| pause_before_resend(&status, 4, Duration::MAX)).collect();
    let bounds = Duration::from_millis(400)..=Duration::from_millis(800);
    assert!(pauses.iter().all(|pause| bounds.contains(pause)), "{pauses:?}");
    assert!(pauses.iter().any(|pause| *pause != pauses[0]));
}

#[test]
fn an_endpoint_with_tls_is_refused_and_never_spoken_to_in_plain_text() {
    for text in ["https://onced.example:7450", "HTTPS://onced.example:7450"] {
        let told = endpoint(text).unwrap_err();
        assert_eq!(told, "TLS is not there yet; write http://onced.example:7450");
    }
}

#[test]
fn an_endpoint_has_a_scheme_and_a_host_or_is_told_how_to_be_written() {
    for text in ["http://127.0.0.1:7450", "http://onced", "http://[::1]:7450", "http://[::1]/"] {
        assert_eq!(endpoint(text).as_deref(), Ok(text));
    }
    for text in [
        "127.0.0.1:7450",
        "onced:7450",
        "onced",
        "no address",
        "http://",
        "http://:7450",
        "http://onced:grpc",
        "http://onced:74500",
        "ftp://onced:7450",
        "/run/onced.sock",
        "",
    ] {
        let told = endpoint(text).unwrap_err();
        assert!(told.ends_with("host and port: http://127.0.0.1:7450"), "{text:?}: {told}");
    }
}
