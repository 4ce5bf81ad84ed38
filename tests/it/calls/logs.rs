//! Logs: a fault names its intent by the provider key; no line ever shows a key, a payload or a
//! result; duplicates are silent.

use std::{
    io,
    sync::{Arc, Mutex},
};

use onced_proto::v1::ClaimRequest;
use onced_tests::harness::{Binary, Gate, InProcess, Rule, RulingExt, Setup, request::*};
use tracing_subscriber::{fmt::MakeWriter, layer::SubscriberExt};

/// Lines that were logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("the lines").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Lines {
    /// Logs all that this thread's server says, at every level.
    fn capture(&self) -> tracing::subscriber::DefaultGuard {
        let filter = tracing_subscriber::EnvFilter::new("off,onced=trace");
        let lines = tracing_subscriber::fmt::layer().with_writer(self.clone()).with_ansi(false);
        let subscriber = tracing_subscriber::registry().with(filter).with(lines);
        tracing::subscriber::set_default(subscriber)
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("the lines").clone()).expect("text")
    }
}

const KEY: &str = "very-private-key";
const SECRETS: [&str; 5] =
    [KEY, "private-payload", "private-result", "private-failure", "private-holder"];

#[tokio::test]
async fn no_line_shows_a_key_a_payload_or_a_result() {
    let lines = Lines::default();
    let _guard = lines.capture();
    let gate = Gate::default();
    let server = InProcess::with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    let (calls, intent) = (server.calls(), charge(KEY));
    let request = ClaimRequest {
        payload: json(r#"{"a":"private-payload"}"#),
        holder: "private-holder".into(),
        ..claim(&intent)
    };
    let granted = calls.claim(request.clone()).await.expect("a ruling").granted();
    gate.set(Rule::Fail(onced::store::Error::Unavailable("down".into())));
    let report = complete(&intent, granted.fencing_token, succeeded("private-result"));
    calls.complete(report.clone()).await.expect_err("the store is down");
    gate.open();
    calls.complete(report).await.expect("a report");
    let other = complete(&intent, granted.fencing_token, failed("private-failure"));
    calls.complete(other).await.expect_err("a conflict");
    calls.claim(request).await.expect("a ruling").completed();
    calls.claim(claim(&intent)).await.expect_err("another payload");
    calls.claim(claim(&charge(&format!("{KEY}\n")))).await.expect_err("a violation");
    let text = lines.text();
    for secret in SECRETS {
        assert!(!text.contains(secret), "{secret} is in the log:\n{text}");
    }
    let fault = text.lines().find(|line| line.contains("WARN")).expect("the store's fault");
    assert!(fault.contains(&granted.provider_key), "a fault names its intent: {fault}");
    assert!(!text.contains("ERROR"), "{text}");
}

#[tokio::test]
async fn duplicates_write_no_line_that_is_kept() {
    let server = Binary::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.succeeded(&intent, "done").await;
    let before = server.log().len();
    let mut duplicates = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let (calls, intent) = (calls.clone(), intent.clone());
        duplicates.spawn(async move {
            for _ in 0..100 {
                calls.duplicate(&intent).await.succeeded();
                let other = ClaimRequest { payload: json("{}"), ..claim(&intent) };
                calls.claim(other).await.expect_err("a refusal");
            }
        });
    }
    duplicates.join_all().await;
    let log = server.log();
    assert!(log.len() - before < 1_000, "10 000 duplicates wrote:\n{}", &log[before..]);
}
