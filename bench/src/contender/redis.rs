//! Redis: a key that is set if nobody has set it, and set again with its outcome.
//!
//! It has no lease, no payload check, no fencing and no evidence: it is told what it is told.

use std::{path::Path, process::Command};

use anyhow::{Result, ensure};
use redis::{AsyncConnectionConfig, Client, Cmd, Pipeline, aio::MultiplexedConnection, cmd};
use uuid::Uuid;

use super::{About, Answer, Contender, Work};
use crate::{
    claims, keys,
    process::{self, Process},
};

const PROGRAM: &str = "redis-server";
/// As many as onced is given: callers share them, and what waits goes out together.
const CONNECTIONS: usize = claims::CONNECTIONS;
const LOADED_AT_A_TIME: u64 = 10_000;

/// The server and those who call it.
pub(crate) struct Redis {
    process: Process,
    connections: Vec<MultiplexedConnection>,
    version: String,
}

impl Redis {
    /// Starts it with so many settled keys.
    pub(crate) async fn start(folder: &Path, keys: u64) -> Result<Self> {
        let version = process::version(PROGRAM, &["--version"])?;
        let [port] = process::free_ports()?;
        let data = folder.join("redis");
        std::fs::create_dir(&data)?;
        let mut command = Command::new(PROGRAM);
        command.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", ""]);
        command.args(["--appendonly", "yes", "--appendfsync", "always", "--dir"]).arg(&data);
        let mut process = Process::start(&mut command, folder.join("redis.log"))?;
        process.listens(port).await?;
        let client = Client::open(format!("redis://127.0.0.1:{port}"))?;
        let patient = AsyncConnectionConfig::new().set_response_timeout(None);
        let mut connections = Vec::new();
        for _ in 0..CONNECTIONS {
            let connection = client.get_multiplexed_async_connection_with_config(&patient);
            connections.push(connection.await?);
        }
        let redis = Self { process, connections, version };
        redis.load(keys).await?;
        Ok(redis)
    }

    /// Its own bulk means: pipelines, with the log not forced to disk until the end.
    async fn load(&self, count: u64) -> Result<()> {
        let mut connection = self.connection(0);
        set_fsync("no").exec_async(&mut connection).await?;
        let mut first = 0;
        while first < count {
            let next = count.min(first + LOADED_AT_A_TIME);
            let mut pipeline = Pipeline::new();
            for number in first..next {
                pipeline.set(keys::loaded(number), settled(&Uuid::new_v4())).ignore();
            }
            pipeline.exec_async(&mut connection).await?;
            first = next;
        }
        set_fsync("always").exec_async(&mut connection).await?;
        Ok(())
    }

    fn connection(&self, caller: usize) -> MultiplexedConnection {
        self.connections[caller % CONNECTIONS].clone()
    }

    /// Sets the key if nobody has; what stood there otherwise.
    async fn set(&self, caller: usize, key: &str, claimant: &Uuid) -> Result<Option<String>> {
        Ok(set_if_absent(key, claimant).query_async(&mut self.connection(caller)).await?)
    }
}

fn set_fsync(when: &str) -> Cmd {
    cmd("CONFIG").arg("SET").arg("appendfsync").arg(when).take()
}

fn set_if_absent(key: &str, claimant: &Uuid) -> Cmd {
    cmd("SET").arg(key).arg(claimed(claimant)).arg("NX").arg("GET").take()
}

fn claimed(claimant: &Uuid) -> String {
    format!("claimed {claimant} {}", claims::HASH)
}

fn settled(claimant: &Uuid) -> String {
    format!("succeeded {claimant} {} ch_1764518400000000", claims::HASH)
}

impl Contender for Redis {
    fn about(&self) -> About {
        About {
            version: self.version.clone(),
            durability: "appendfsync always: fdatasync of the log once per turn of its loop, \
                         before that turn's calls are answered",
            clients: "4 multiplexed connections, each sends together what waits",
            is_loaded: true,
        }
    }

    fn form(&self, work: Work) -> Option<&'static str> {
        Some(match work {
            Work::Fresh | Work::Duplicate | Work::Stampede => "SET NX GET",
            Work::Settle => "SET NX GET, SET XX with the outcome (unfenced)",
            Work::Batch => "a pipeline of 100 SET NX GET",
        })
    }

    fn claim<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, bool> {
        Box::pin(async move { Ok(self.set(caller, key, &Uuid::new_v4()).await?.is_none()) })
    }

    fn settle<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            let claimant = Uuid::new_v4();
            ensure!(self.set(caller, key, &claimant).await?.is_none(), "set already");
            let report = cmd("SET").arg(key).arg(settled(&claimant)).arg("XX").take();
            Ok(report.exec_async(&mut self.connection(caller)).await?)
        })
    }

    fn duplicate<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            let stood = self.set(caller, key, &Uuid::new_v4()).await?.unwrap_or_default();
            ensure!(stood.starts_with("succeeded"), "not settled: {stood:?}");
            Ok(())
        })
    }

    fn batch<'a>(&'a self, caller: usize, keys: &'a [String]) -> Answer<'a, usize> {
        Box::pin(async move {
            let mut pipeline = Pipeline::new();
            for key in keys {
                pipeline.add_command(set_if_absent(key, &Uuid::new_v4()));
            }
            let stood: Vec<Option<String>> =
                pipeline.query_async(&mut self.connection(caller)).await?;
            Ok(stood.iter().filter(|stood| stood.is_none()).count())
        })
    }

    fn processes(&self) -> Vec<u32> {
        vec![self.process.id()]
    }
}
