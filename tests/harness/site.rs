//! A keyspace on a real cluster, and servers on it that share nothing but the cluster: each has a
//! session of its own.
//!
//! The cluster is the one that the tests were given, or nodes that a test started for itself.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use onced::{
    clock::{Clock, ManualClock, SystemClock, Timestamp},
    service::Bounds,
    store::cql::{Cql, Lwt, Options, Tally},
};
use scylla::client::{session::Session, session_builder::SessionBuilder};
use tokio::task::JoinSet;

use super::{calls::Calls, cluster, engine::Engine, in_process::InProcess, in_process::Setup};

/// Longest time that a call takes which says nothing of it.
pub const CALL_MAX: Duration = Duration::from_secs(8);
/// After which a request to the cluster counts as unheard. Longer than a node's own patience.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// The keyspace and where it is reached.
#[derive(Clone, Debug)]
pub struct Site {
    options: Options,
    call_max: Duration,
}

impl Site {
    /// On the cluster that the tests were given: none where they run on another engine, and what
    /// asks for it is left out.
    #[expect(clippy::print_stderr, reason = "what is left out is told")]
    pub async fn given() -> Option<Self> {
        if Engine::chosen() != Engine::Cluster {
            eprintln!("left out: ONCED_TEST_ENGINE is not cluster");
            return None;
        }
        let options = cluster::options().await;
        let options = Options { request_timeout: REQUEST_TIMEOUT, ..options };
        Some(Self { options, call_max: CALL_MAX })
    }

    /// On other nodes, with tables that are new.
    pub async fn on(contact_points: Vec<String>) -> Self {
        let options = Options {
            clock_margin: 1,
            request_timeout: REQUEST_TIMEOUT,
            ..Options::at(contact_points)
        };
        cluster::create_tables(&options).await;
        Self { options, call_max: CALL_MAX }
    }

    /// The same, reached otherwise.
    #[must_use]
    pub fn through(&self, contact_points: &[String]) -> Self {
        let contact_points = contact_points.to_vec();
        Self { options: Options { contact_points, ..self.options.clone() }, ..*self }
    }

    /// The same, with less patience before a request counts as unheard.
    #[must_use]
    pub fn hasty(&self, request_timeout: Duration) -> Self {
        Self { options: Options { request_timeout, ..self.options.clone() }, ..*self }
    }

    /// The same, with servers whose calls live no longer than this.
    #[must_use]
    pub fn answering_within(&self, call_max: Duration) -> Self {
        Self { call_max, ..self.clone() }
    }

    /// Where it is reached.
    pub fn contact_points(&self) -> &[String] {
        &self.options.contact_points
    }

    /// How it is reached.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// A session of somebody who is not onced.
    pub async fn session(&self) -> Session {
        let session = SessionBuilder::new().known_nodes(self.contact_points());
        let session = session.use_keyspace(&self.options.keyspace, false).build().await;
        session.expect("a session")
    }

    /// A server with this policy file.
    pub async fn server(&self, policies: &str) -> Replica {
        self.server_with(Setup { policies: policies.to_owned(), ..Setup::default() }).await
    }

    /// So many servers with this policy file.
    pub async fn servers<const N: usize>(&self, policies: &str) -> [Replica; N] {
        let mut servers = Vec::new();
        while servers.len() < N {
            servers.push(self.server(policies).await);
        }
        servers.try_into().ok().expect("as many as asked for")
    }

    /// A server set up so, on a clock that runs.
    pub async fn server_with(&self, setup: Setup) -> Replica {
        let clock = Arc::new(ManualClock::at(SystemClock::not_before(Timestamp(0)).now()));
        let counts = Counts::default();
        let engine = Cql::open(&self.options, clock.clone(), counts.tally()).await;
        let engine = Arc::new(engine.expect("an engine over the cluster"));
        let bounds = Bounds { call_max: self.call_max, ..setup.bounds.clone() };
        let setup = Setup { bounds, ..setup };
        let server = InProcess::over(engine.clone(), clock.clone(), setup).await;
        let mut beside = JoinSet::new();
        beside.spawn(run(clock));
        let tended = engine.clone();
        beside.spawn(async move { tended.tend().await });
        Replica { server, engine, counts, _beside: beside }
    }
}

/// Lets a clock run with the time.
async fn run(clock: Arc<ManualClock>) {
    let mut told = Instant::now();
    loop {
        tokio::time::sleep(Duration::from_millis(5)).await;
        let now = Instant::now();
        clock.advance(now - told);
        told = now;
    }
}

/// A server with a session of its own.
pub struct Replica {
    /// The server.
    pub server: InProcess,
    /// Its engine.
    pub engine: Arc<Cql>,
    /// What its engine has asked the cluster for.
    pub counts: Counts,
    _beside: JoinSet<()>,
}

impl Replica {
    /// Calls to it, over a connection of their own.
    pub fn calls(&self) -> Calls {
        self.server.calls()
    }
}

/// Conditional statements by what became of them.
#[derive(Clone, Debug, Default)]
pub struct Counts(Arc<[AtomicU64; 5]>);

impl Counts {
    /// Counts into these.
    pub fn tally(&self) -> Tally {
        let counts = self.clone();
        Tally::new(move |lwt| {
            counts.0[place(lwt)].fetch_add(1, Ordering::SeqCst);
        })
    }

    /// How many came to this so far.
    pub fn of(&self, lwt: Lwt) -> u64 {
        self.0[place(lwt)].load(Ordering::SeqCst)
    }

    /// How many there were in all, reads too.
    pub fn all(&self) -> u64 {
        self.0.iter().map(|count| count.load(Ordering::SeqCst)).sum()
    }
}

fn place(lwt: Lwt) -> usize {
    match lwt {
        Lwt::Applied => 0,
        Lwt::Lost => 1,
        Lwt::Uncertain => 2,
        Lwt::Failed => 3,
        Lwt::Read => 4,
    }
}
