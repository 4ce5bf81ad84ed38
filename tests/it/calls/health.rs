//! Health, pages and reflection: what balancers, people and tools ask.

use onced_tests::harness::{Gate, InProcess, Rule, Setup, page, request::*};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

async fn status(server: &InProcess, service: &str) -> ServingStatus {
    let mut client = HealthClient::new(server.calls().connection().channel());
    let request = HealthCheckRequest { service: service.to_owned() };
    client.check(request).await.expect("an answer").into_inner().status()
}

#[tokio::test]
async fn a_server_that_is_ready_says_so_in_every_way() {
    let server = InProcess::start().await;
    for service in ["", "onced.v1.ClaimService", "onced.v1.PolicyService"] {
        assert_eq!(status(&server, service).await, ServingStatus::Serving, "{service:?}");
    }
    for path in ["/livez", "/readyz"] {
        assert_eq!(page::get(server.admin, path).await.expect("a page").status, 200);
    }
    assert_eq!(page::get(server.admin, "/secrets").await.expect("a page").status, 404);
}

#[tokio::test]
async fn a_server_that_drains_lives_and_is_not_ready() {
    let gate = Gate::default();
    let server = InProcess::with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    gate.set(Rule::HoldBefore);
    let calls = server.calls();
    let _claiming = tokio::spawn(async move { calls.claim(claim(&charge("1"))).await });
    gate.holds_one().await;
    server.drain();
    while status(&server, "").await == ServingStatus::Serving {
        tokio::task::yield_now().await;
    }
    assert_eq!(status(&server, "onced.v1.ClaimService").await, ServingStatus::NotServing);
    assert_eq!(page::get(server.admin, "/readyz").await.expect("a page").status, 503);
    assert_eq!(page::get(server.admin, "/livez").await.expect("a page").status, 200);
    gate.open();
}

/// Lists services and looks a symbol up, by one version of the protocol.
macro_rules! reflects {
    ($name:ident, $version:ident) => {
        #[tokio::test]
        async fn $name() {
            use tonic_reflection::pb::$version::{
                ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
                server_reflection_request::MessageRequest as Ask,
                server_reflection_response::MessageResponse as Told,
            };
            let server = InProcess::start().await;
            let mut client = ServerReflectionClient::new(server.calls().connection().channel());
            let asks = [
                Ask::ListServices(String::new()),
                Ask::FileContainingSymbol("onced.v1.ClaimService".into()),
                Ask::FileContainingSymbol("grpc.health.v1.Health".into()),
                Ask::FileContainingSymbol("google.rpc.BadRequest".into()),
            ]
            .map(|ask| ServerReflectionRequest { host: String::new(), message_request: Some(ask) });
            let answers = client.server_reflection_info(tokio_stream::iter(asks)).await;
            let mut answers = answers.expect("a stream").into_inner();
            let mut told = async || {
                let answer = answers.message().await.expect("no fault").expect("an answer");
                answer.message_response.expect("a message")
            };
            let Told::ListServicesResponse(list) = told().await else { panic!("no list") };
            let names: Vec<_> = list.service.into_iter().map(|service| service.name).collect();
            assert!(names.iter().any(|name| name == "onced.v1.ClaimService"), "{names:?}");
            assert!(names.iter().any(|name| name == "grpc.health.v1.Health"), "{names:?}");
            assert!(!names.iter().any(|name| name.contains("Provider")), "users serve that one");
            for _ in 0..3 {
                assert!(matches!(told().await, Told::FileDescriptorResponse(_)));
            }
        }
    };
}

reflects!(reflection_answers_tools_of_today, v1);
reflects!(reflection_answers_older_tools, v1alpha);
