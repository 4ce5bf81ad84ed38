//! etcd: a transaction that creates a key if it is absent, under the lease of its holder, and one
//! that puts its outcome if nobody has changed it since.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use tonic::transport::Channel;
use uuid::Uuid;

use self::messages::{
    Compare, LeaseGrantRequest, LeaseGrantResponse, PutRequest, RangeRequest, Request, RequestOp,
    Response, Target, TxnRequest, TxnResponse,
};
use super::{About, Answer, Contender, Work, unary::unary};
use crate::{
    claims::{self, HASH},
    process::{self, Process},
};

mod messages;

const PROGRAM: &str = "etcd";
/// Longer than any run: a holder keeps its lease, it does not make one for each key.
const LEASE_SECONDS: i64 = 6 * 3_600;
const HOLDERS: usize = 64;

/// The server and those who call it.
pub(crate) struct Etcd {
    process: Process,
    channels: Vec<Channel>,
    leases: Vec<i64>,
    version: String,
}

impl Etcd {
    /// Starts one node.
    pub(crate) async fn start(folder: &Path) -> Result<Self> {
        let version = process::version(PROGRAM, &["--version"])?;
        let [client, peer] = process::free_ports()?;
        let mut process = Process::start(&mut command(folder, client, peer), log(folder))?;
        process.listens(client).await?;
        let channels = claims::channels(process::loopback(client), claims::CONNECTIONS).await?;
        let lease = || lease(&channels[0]);
        let mut leases = vec![process.until(|| async { lease().await.ok() }).await?];
        while leases.len() < HOLDERS {
            leases.push(lease().await?);
        }
        Ok(Self { process, channels, leases, version })
    }

    async fn transact(&self, caller: usize, request: TxnRequest) -> Result<TxnResponse> {
        let channel = &self.channels[caller % self.channels.len()];
        unary(channel, "/etcdserverpb.KV/Txn", request).await
    }

    fn create(&self, caller: usize, key: &str, holder: &Uuid) -> TxnRequest {
        let value = format!("claimed {holder} {HASH}").into_bytes();
        let lease = self.leases[caller % HOLDERS];
        let put = PutRequest { key: key.into(), value, lease };
        let absent = Compare { target: 1, key: key.into(), value: Some(Target::CreateRevision(0)) };
        TxnRequest {
            compare: vec![absent],
            success: vec![operation(Request::Put(put))],
            failure: vec![operation(Request::Range(RangeRequest { key: key.into() }))],
        }
    }

    async fn settled(&self, caller: usize, key: &str) -> Result<()> {
        let holder = Uuid::new_v4();
        let claimed = self.transact(caller, self.create(caller, key, &holder)).await?;
        ensure!(claimed.succeeded, "there already");
        let revision = claimed.header.context("no header")?.revision;
        let unchanged =
            Compare { target: 2, key: key.into(), value: Some(Target::ModRevision(revision)) };
        let value = format!("succeeded {holder} {HASH} ch_1764518400000000").into_bytes();
        let put = PutRequest { key: key.into(), value, lease: 0 };
        let report = TxnRequest {
            compare: vec![unchanged],
            success: vec![operation(Request::Put(put))],
            failure: Vec::new(),
        };
        ensure!(self.transact(caller, report).await?.succeeded, "changed meanwhile");
        Ok(())
    }

    async fn many(&self, caller: usize, keys: &[String]) -> Result<usize> {
        let one = |key: &String| operation(Request::Txn(self.create(caller, key, &Uuid::new_v4())));
        let all = TxnRequest { success: keys.iter().map(one).collect(), ..TxnRequest::default() };
        let answer = self.transact(caller, all).await?;
        let is_won = |response: &Option<Response>| {
            matches!(response, Some(Response::Txn(TxnResponse { succeeded: true, .. })))
        };
        Ok(answer.responses.iter().filter(|it| is_won(&it.response)).count())
    }
}

fn log(folder: &Path) -> std::path::PathBuf {
    folder.join("etcd.log")
}

fn command(folder: &Path, client: u16, peer: u16) -> Command {
    let [client, peer] = [client, peer].map(|port| format!("http://127.0.0.1:{port}"));
    let mut command = Command::new(PROGRAM);
    command.arg("--data-dir").arg(folder.join("etcd"));
    command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
    command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
    command.args(["--initial-cluster", &format!("default={peer}")]);
    // The default of 2 GiB is filled within one long run.
    command.args(["--quota-backend-bytes", "8589934592"]);
    command
}

async fn lease(channel: &Channel) -> Result<i64> {
    let request = LeaseGrantRequest { ttl: LEASE_SECONDS };
    let granted: LeaseGrantResponse =
        unary(channel, "/etcdserverpb.Lease/LeaseGrant", request).await?;
    Ok(granted.id)
}

fn operation(request: Request) -> RequestOp {
    RequestOp { request: Some(request) }
}

/// The value that a refused creation has found.
fn found(answer: &TxnResponse) -> Option<&[u8]> {
    match answer.responses.first()?.response.as_ref()? {
        Response::Range(range) => range.kvs.first().map(|it| it.value.as_slice()),
        Response::Txn(_) => None,
    }
}

impl Contender for Etcd {
    fn about(&self) -> About {
        About {
            version: self.version.clone(),
            durability: "one node: fdatasync of the raft log before an answer, shared by those \
                         that wait",
            clients: "4 gRPC connections, 64 leases that last",
            is_loaded: false,
        }
    }

    fn form(&self, work: Work) -> Option<&'static str> {
        Some(match work {
            Work::Fresh | Work::Duplicate | Work::Stampede => {
                "Txn: put under the holder's lease if absent, else read"
            }
            Work::Settle => "the same Txn, and a second: put the outcome if unchanged",
            Work::Batch => "a Txn of 100 such Txns",
        })
    }

    fn claim<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, bool> {
        Box::pin(async move {
            let request = self.create(caller, key, &Uuid::new_v4());
            Ok(self.transact(caller, request).await?.succeeded)
        })
    }

    fn settle<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, ()> {
        Box::pin(self.settled(caller, key))
    }

    fn duplicate<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            let request = self.create(caller, key, &Uuid::new_v4());
            let answer = self.transact(caller, request).await?;
            let is_settled = found(&answer).is_some_and(|it| it.starts_with(b"succeeded"));
            ensure!(is_settled && !answer.succeeded, "not settled");
            Ok(())
        })
    }

    fn batch<'a>(&'a self, caller: usize, keys: &'a [String]) -> Answer<'a, usize> {
        Box::pin(self.many(caller, keys))
    }

    fn processes(&self) -> Vec<u32> {
        vec![self.process.id()]
    }
}
