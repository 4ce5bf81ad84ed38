//! Restate: a handler that does nothing, called through the ingress with the key as its
//! idempotency key.
//!
//! It has no claim apart from the call: what is claimed is performed by the same call, and whoever
//! calls again is given the same answer. The handler runs in Node, as its users' do, and is counted
//! with the server.

use std::{env, path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use tonic::transport::Channel;
use uuid::Uuid;

use super::{About, Answer, Contender, Work, http::post};
use crate::{
    claims,
    process::{self, Process},
};

const PROGRAM: &str = "restate-server";
/// Where scripts/bench.sh says the handler is.
const HANDLER: &str = "ONCED_BENCH_RESTATE_HANDLER";

/// The server, its handler, and those who call it.
pub(crate) struct Restate {
    server: Process,
    handler: Process,
    channels: Vec<Channel>,
    version: String,
}

impl Restate {
    /// Starts both.
    pub(crate) async fn start(folder: &Path) -> Result<Self> {
        let version = process::version(PROGRAM, &["--version"])?;
        let [ingress, admin, node, service] = process::free_ports()?;
        let mut server =
            Process::start(&mut server(folder, ingress, admin, node), folder.join("restate.log"))?;
        let mut handler =
            Process::start(&mut handler(service)?, folder.join("restate-handler.log"))?;
        handler.listens(service).await?;
        server.listens(ingress).await?;
        server.listens(admin).await?;
        let document = format!("{{\"uri\":\"http://127.0.0.1:{service}\"}}");
        let [admin] = &claims::channels(process::loopback(admin), 1).await?[..] else {
            anyhow::bail!("no connection")
        };
        let register = || post(admin, "/deployments", &[], document.clone());
        server.until(|| async { register().await.ok() }).await?;
        let channels = claims::channels(process::loopback(ingress), claims::CONNECTIONS).await?;
        let ready = || perform(&channels[0], "ready");
        server.until(|| async { ready().await.ok() }).await?;
        Ok(Self { server, handler, channels, version })
    }

    fn channel(&self, caller: usize) -> &Channel {
        &self.channels[caller % self.channels.len()]
    }
}

fn server(folder: &Path, ingress: u16, admin: u16, node: u16) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["--bind-ip", "127.0.0.1", "--listen-mode", "tcp", "--no-logo", "--base-dir"]);
    command.arg(folder.join("restate"));
    for (name, port) in [
        ("RESTATE_INGRESS__BIND_PORT", ingress),
        ("RESTATE_ADMIN__BIND_PORT", admin),
        ("RESTATE_BIND_PORT", node),
    ] {
        command.env(name, port.to_string());
    }
    command.env("DO_NOT_TRACK", "1").env("RUST_LOG", "error");
    command
}

#[expect(clippy::disallowed_methods, reason = "the script knows where the tools are")]
fn handler(port: u16) -> Result<Command> {
    let handler = env::var(HANDLER).with_context(|| format!("{HANDLER} names no handler"))?;
    let mut command = Command::new("node");
    command.arg(handler).arg(port.to_string()).env("NODE_ENV", "production");
    command.env("RESTATE_LOGGING", "ERROR");
    Ok(command)
}

/// Calls the handler with a claimant of its own; whether it was this call that ran it.
async fn perform(channel: &Channel, key: &str) -> Result<bool> {
    let claimant = format!("\"{}\"", Uuid::new_v4());
    let headers = [("idempotency-key", key)];
    let performed = post(channel, "/effect/perform", &headers, claimant.clone()).await?;
    Ok(performed == claimant.as_bytes())
}

impl Contender for Restate {
    fn about(&self) -> About {
        About {
            version: self.version.clone(),
            durability: "one node: fdatasync of RocksDB's log, its default, shared by those that \
                         wait",
            clients: "4 HTTP/2 connections to the ingress; the handler in Node",
            is_loaded: false,
        }
    }

    fn form(&self, work: Work) -> Option<&'static str> {
        match work {
            Work::Fresh | Work::Settle => Some("one call with a fresh idempotency key"),
            Work::Duplicate => Some("the same call again: the stored answer"),
            Work::Stampede => Some("all wait for the one that runs, and get its answer"),
            Work::Batch => None,
        }
    }

    fn claim<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, bool> {
        Box::pin(perform(self.channel(caller), key))
    }

    fn settle<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            ensure!(perform(self.channel(caller), key).await?, "performed already");
            Ok(())
        })
    }

    fn duplicate<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            ensure!(!perform(self.channel(caller), key).await?, "not performed before");
            Ok(())
        })
    }

    fn processes(&self) -> Vec<u32> {
        vec![self.server.id(), self.handler.id()]
    }
}
