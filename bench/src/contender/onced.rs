//! onced on the embedded engine: the release binary, as a process of its own.

use std::{env, net::SocketAddr, path::Path, process::Command};

use anyhow::{Context, Result};

use super::{About, Answer, Contender, Operations, Work, metrics::Metrics};
use crate::{
    claims::Claims,
    keys,
    process::{self, Process},
};

mod fill;

/// The server and those who call it.
pub(crate) struct Onced {
    process: Process,
    claims: Claims,
    /// Where it serves.
    pub(crate) address: SocketAddr,
    admin: SocketAddr,
    version: String,
}

impl Onced {
    /// Starts it with so many settled keys in its store.
    pub(crate) async fn start(folder: &Path, keys: u64) -> Result<Self> {
        let data = folder.join("onced-data");
        if keys > 0 {
            let like = Self::serve(folder, &data).await?.template().await?;
            let file = data.clone();
            tokio::task::spawn_blocking(move || fill::fill(&file, &like, keys)).await??;
        }
        let served = Self::serve(folder, &data).await?;
        if keys > 0 {
            served.check_loaded(keys).await?;
        }
        Ok(served)
    }

    async fn serve(folder: &Path, data: &Path) -> Result<Self> {
        let program = program()?;
        let version = process::version(&program, &["--version"])?;
        let mut command = Command::new(&program);
        command.args(["serve", "--dev", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]);
        command.args(["--log-level", "warn", "--data"]).arg(data);
        let mut process = Process::start(&mut command, folder.join("onced.log"))?;
        let log = process.log().to_owned();
        let look = || async { ready(&std::fs::read_to_string(&log).ok()?) };
        let (address, admin) = process.until(look).await?;
        let claims = Claims::connect(address).await?;
        Ok(Self { process, claims, address, admin, version })
    }

    /// Settles one key, after whose row others are made, and ends.
    async fn template(self) -> Result<String> {
        let key = crate::claims::fresh_key();
        let token = self.claims.granted(0, &key).await?;
        self.claims.complete(0, &key, token, String::new()).await?;
        Ok(key)
    }

    /// A row that was put there by another way is a row only if the server takes it for one.
    async fn check_loaded(&self, keys: u64) -> Result<()> {
        for n in [0, keys / 2, keys - 1] {
            let asked = self.claims.duplicate(0, &keys::loaded(n)).await;
            asked.context("a key that was put into the store directly")?;
        }
        Ok(())
    }

    /// What it counts of itself.
    pub(crate) async fn metrics(&self) -> Result<Metrics> {
        Metrics::of(self.admin).await
    }
}

/// The binary beside this one.
fn program() -> Result<String> {
    let own = env::current_exe()?;
    let folder = own.parent().context("no folder")?;
    Ok(folder.join("onced").to_string_lossy().into_owned())
}

/// Both addresses, once the line with them is printed.
fn ready(printed: &str) -> Option<(SocketAddr, SocketAddr)> {
    let (_, rest) = printed.split_once("gRPC on ")?;
    let (address, rest) = rest.split_once(", admin on http://")?;
    let (admin, _) = rest.split_once('\n')?;
    Some((address.parse().ok()?, admin.parse().ok()?))
}

impl Contender for Onced {
    fn about(&self) -> About {
        About {
            version: self.version.clone(),
            durability: "SQLite's log with synchronous=FULL: fsync of each group before its calls \
                         are answered",
            clients: "4 gRPC connections",
            is_loaded: true,
        }
    }

    fn form(&self, work: Work) -> Option<&'static str> {
        Some(match work {
            Work::Fresh | Work::Duplicate | Work::Stampede => "Claim",
            Work::Settle => "Claim, Complete",
            Work::Batch => "BatchClaim",
        })
    }

    fn claim<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, bool> {
        Box::pin(self.claims.wins(caller, key))
    }

    fn settle<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, ()> {
        Box::pin(self.claims.settle_key(caller, key))
    }

    fn duplicate<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, ()> {
        Box::pin(self.claims.duplicate(caller, key))
    }

    fn batch<'a>(&'a self, caller: usize, keys: &'a [String]) -> Answer<'a, usize> {
        Box::pin(self.claims.batch(caller, keys))
    }

    fn processes(&self) -> Vec<u32> {
        vec![self.process.id()]
    }

    fn operations(&self) -> Answer<'_, Option<Operations>> {
        Box::pin(async { Ok(Some(self.metrics().await?.operations())) })
    }
}
