//! A store is lost, and a backup is put in its place: what was answered since is forgotten, and
//! nothing of it is granted again in silence.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use onced_proto::{
    admin::v1::{AcceptMemoryRequest, admin_service_client::AdminServiceClient},
    v1::{ClaimRequest, IntentId, UnknownReason, ruling::Verdict},
};
use onced_tests::harness::{Binary, Calls, Engine, Ground, binary::program, request::*};
use tempfile::TempDir;
use tokio::{process::Command, time::timeout};

mod accepted;
mod cluster;
mod cut_off;
mod forgotten;
mod moved;
mod refused;
mod rolled_back;

/// Longest time for one command.
const BOUND: Duration = Duration::from_secs(60);

/// One operation of each class, and two that are first used after the backup.
const POLICY: &str = r#"
[namespaces.payments.operations.charge]
effect_class = "keyed"
provider_window = "24h"
[namespaces.payments.operations.payout]
effect_class = "external"
[namespaces.payments.operations.points]
effect_class = "accumulative"
[namespaces.payments.operations.label]
effect_class = "naturally_idempotent"
[namespaces.payments.operations.bonus]
effect_class = "accumulative"
[namespaces.shipping.operations.parcel]
effect_class = "external"
"#;

/// What a command said.
#[derive(Debug)]
struct Ran {
    status: ExitStatus,
    out: String,
    err: String,
}

impl Ran {
    /// Expects this exit code.
    #[track_caller]
    fn ended(self, code: i32) -> Self {
        assert_eq!(self.status.code(), Some(code), "{self:#?}");
        self
    }

    /// The text in a row of the page.
    #[track_caller]
    fn row(&self, name: &str) -> String {
        let row = self.out.lines().find_map(|line| line.trim_start().strip_prefix(name));
        row.unwrap_or_else(|| panic!("no {name}: {self:#?}")).trim().to_owned()
    }
}

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(words).stdin(Stdio::null()).kill_on_drop(true);
    command
}

async fn onced(words: &[&str]) -> Ran {
    let output = timeout(BOUND, command(words).output()).await;
    let output = output.expect("an end in time").expect("a process");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Ran { status: output.status, out: text(output.stdout), err: text(output.stderr) }
}

async fn onced_at(server: SocketAddr, words: &[&str]) -> Ran {
    let endpoint = format!("http://{server}");
    onced(&[words, &["--endpoint", &endpoint]].concat()).await
}

/// Has the server make a copy; where it lies.
async fn back_up(server: &Binary) -> PathBuf {
    PathBuf::from(onced_at(server.address, &["backup"]).await.ended(0).row("file"))
}

/// Restores into an empty folder.
async fn restore(copy: &Path, folder: &Path) -> Ran {
    onced(&["restore", text_of(copy), "--data", text_of(folder)]).await
}

/// A place for a restored store.
fn ground() -> Arc<Ground> {
    Arc::new(Ground::new(Engine::Embedded))
}

/// A server over a restored copy.
async fn restored(copy: &Path) -> Binary {
    let ground = ground();
    restore(copy, &ground.folder()).await.ended(0);
    Binary::over(ground, POLICY).await
}

fn text_of(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// A Claim that says when its intent was first sent.
fn sent_at(intent: &IntentId, seconds: i64) -> ClaimRequest {
    let first_sent_time = Some(prost_types::Timestamp { seconds, nanos: 0 });
    ClaimRequest { first_sent_time, ..claim(intent) }
}

#[track_caller]
fn in_gap(told: &Verdict) {
    let Verdict::Unknown(unknown) = told else { panic!("not unknown, but {told:?}") };
    assert_eq!(unknown.reason(), UnknownReason::MemoryGap, "{unknown:?}");
}

async fn accept(calls: &Calls, namespace: &str, operation: &str) {
    let request = AcceptMemoryRequest {
        namespace: namespace.to_owned(),
        operation: operation.to_owned(),
        others: operation.is_empty(),
        reason: "compared".to_owned(),
        etag: String::new(),
    };
    let mut admin = AdminServiceClient::new(calls.connection().channel());
    admin.accept_memory(request).await.expect("an acceptance");
}

/// A folder for copies.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}
