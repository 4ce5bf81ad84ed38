//! `onced bench`: how fast a running server is from here, measured by calls of its own.
//!
//! Bounded in number and time. Its keys have a prefix and a run id, so that it meets nobody's; what
//! it leaves behind is said. It performs no effect.

use std::{io::IsTerminal, sync::Arc, time::Duration};

use anyhow::bail;
use clap::{Args, ValueEnum};
use onced_client::Connection as Client;
use onced_proto::v1::{GetPolicyRequest, Policy};
use tokio::{
    task::JoinSet,
    time::{Instant, interval},
};
use tokio_util::sync::CancellationToken;
use tonic::Request;
use uuid::Uuid;

use super::{
    connection::Connection,
    exit::Exit,
    failure::{self, Refusal},
    span,
};

mod report;
mod tally;
mod work;

use tally::Tally;
use work::Run;

const EXAMPLE: &str = "\
Example: onced bench --namespace dev --operation bench --seconds 2
         onced bench --namespace dev --operation bench --work duplicate \\
           --count 1000 --in-flight 8 --output json
Its keys begin with bench:v1: and a run id. Each stays in the store until the
operation's retention is over (with duplicate, a few): give it an operation of
its own, without `reconcile` and with a short retention. On what others use,
doctor and metrics show these calls too.
Exit codes: 0 measured, 15 measured, but some calls failed, 64 usage or an
  operation that would keep the records, 69 no answer, 70 refused.";
/// Keys of all runs begin so.
const PREFIX: &str = "bench:v1:";
/// Calls under way over one connection.
const PER_CONNECTION: u16 = 32;

/// Measure a running server: rates and latencies of claims of its own
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
#[command(override_usage = "onced bench --namespace N --operation O [OPTIONS]")]
pub(super) struct Bench {
    /// Where the keys are made [env: ONCED_NAMESPACE]
    #[arg(long, value_name = "NAME", env = "ONCED_NAMESPACE", hide_env = true)]
    namespace: String,
    /// One that nobody needs [env: ONCED_OPERATION]
    #[arg(long, value_name = "NAME", env = "ONCED_OPERATION", hide_env = true)]
    operation: String,
    /// claim, claim-complete (default), duplicate, batch
    #[arg(long, value_enum, hide_possible_values = true, value_name = "WORK")]
    #[arg(default_value_t = Work::ClaimComplete, hide_default_value = true)]
    work: Work,
    /// Calls at once
    #[arg(long, value_name = "COUNT", default_value_t = 64)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1_024))]
    in_flight: u16,
    /// Ends after so long
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=600))]
    seconds: u16,
    /// Ends after so many intents
    #[arg(long, value_name = "COUNT", default_value_t = 100_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    count: u64,
    /// Go ahead although the server is on another machine
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    connection: Connection,
}

/// What is done again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Work {
    /// Claims new keys; completes them when nothing is measured any more.
    Claim,
    /// Claims new keys and completes them.
    ClaimComplete,
    /// Claims keys that are completed.
    Duplicate,
    /// Claims and completes new keys, a hundred at once.
    Batch,
}

impl Bench {
    /// Measures, and prints what came of it.
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        if !self.yes && !is_loopback(&self.connection.endpoint) {
            bail!(
                "{} is not on this machine: a bench takes from it what others need; --yes goes on",
                self.connection.endpoint
            );
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(self.measure())
    }

    async fn measure(self) -> anyhow::Result<Exit> {
        let policy = self.policy().await?;
        if policy.reconcile {
            bail!(
                "records of {}/{} wait for reconciliation and never expire: bench another one",
                self.namespace,
                self.operation
            );
        }
        let run = Arc::new(self.run_of(&policy)?);
        run.prepare().await.map_err(|status| self.refusal(status))?;
        let (tally, took) = self.work_off(&run).await;
        let told = report::Told {
            work: self.work,
            run: run.prefix(),
            in_flight: self.in_flight,
            took,
            retention: span::from_wire(policy.retention.as_ref()),
            tally: &tally,
        };
        super::print(&told.render(self.connection.output)?)?;
        Ok(exit(&tally))
    }

    fn run_of(&self, policy: &Policy) -> anyhow::Result<Run> {
        let connections = self.in_flight.div_ceil(PER_CONNECTION).min(8);
        let endpoint = &self.connection.endpoint;
        let clients: Result<Vec<_>, _> =
            (0..connections).map(|_| onced_client::connect(endpoint)).collect();
        Ok(Run {
            work: self.work,
            names: (self.namespace.clone(), self.operation.clone()),
            id: Uuid::new_v4().simple().to_string(),
            clients: clients?,
            patience: self.connection.timeout,
            lease: policy.max_lease,
            left: self.count.into(),
            next: 0.into(),
            stop: CancellationToken::new(),
        })
    }

    async fn policy(&self) -> Result<Policy, Refusal> {
        let (namespace, operation) = (self.namespace.clone(), self.operation.clone());
        let request = GetPolicyRequest { namespace, operation };
        let answer = self
            .connection
            .ask(request, Duration::ZERO, async |client: Client, request: Request<_>| {
                client.policies().get_policy(request).await
            })
            .await
            .map_err(|status| self.refusal(status))?;
        Ok(answer.message.policy.unwrap_or_default())
    }

    fn refusal(&self, status: tonic::Status) -> Refusal {
        Refusal { status, output: self.connection.output }
    }

    /// All workers, until the time or the number is up, or somebody presses Ctrl-C.
    async fn work_off(&self, run: &Arc<Run>) -> (Tally, Duration) {
        let mut workers = JoinSet::new();
        let began = Instant::now();
        for worker in 0..self.in_flight {
            let run = Arc::clone(run);
            workers.spawn(async move { run.work_off(usize::from(worker)).await });
        }
        let until = began + self.time(run);
        let watch = tokio::spawn(watch(Arc::clone(run), until, self.count));
        let (mut tally, mut granted) = (Tally::default(), Vec::new());
        while let Some(done) = workers.join_next().await {
            if let Ok((of_one, left)) = done {
                tally.join(of_one);
                granted.extend(left);
            }
        }
        let took = began.elapsed();
        run.stop.cancel();
        let _ = watch.await;
        run.complete_all(&granted, &mut tally).await;
        (tally, took)
    }

    /// What is claimed is completed in the end, while its lease is live.
    fn time(&self, run: &Run) -> Duration {
        let asked = Duration::from_secs(self.seconds.into());
        match self.work {
            Work::Claim => asked.min(span::from_wire(run.lease.as_ref()) / 2),
            Work::ClaimComplete | Work::Duplicate | Work::Batch => asked,
        }
    }
}

/// Ends the run in time, and shows how far it is where somebody watches.
async fn watch(run: Arc<Run>, until: Instant, count: u64) {
    let (began, is_watched) = (Instant::now(), std::io::stderr().is_terminal());
    let mut ticks = interval(Duration::from_millis(250));
    loop {
        tokio::select! {
            () = run.stop.cancelled() => break,
            () = tokio::time::sleep_until(until) => break,
            _ = tokio::signal::ctrl_c() => break,
            _ = ticks.tick() => if is_watched {
                let time = began.elapsed().as_secs_f64() / (until - began).as_secs_f64();
                failure::write(&report::bar(time, run.done(count), count));
            }
        }
    }
    run.stop.cancel();
    if is_watched {
        failure::write("\r\u{1b}[K");
    }
}

fn exit(tally: &Tally) -> Exit {
    match (tally.intents, tally.failures()) {
        (_, 0) => Exit::Done,
        (0, _) => Exit::Unavailable,
        (_, _) => Exit::Incomplete,
    }
}

/// Whether the server is on this machine, as far as its address says.
fn is_loopback(endpoint: &str) -> bool {
    let uri = endpoint.parse::<http::Uri>().ok();
    let host = uri.as_ref().and_then(http::Uri::host).unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests;
