//! How a cluster is reached and what is asked of it. Judged whole before the first connection.

use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

/// How an engine is opened over a cluster.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to begin, each `host:port`; the rest of the cluster is learned from there.
    pub contact_points: Vec<String>,
    /// Where the tables are.
    pub keyspace: String,
    /// The data centre to talk to; any if absent.
    pub datacenter: Option<String>,
    /// Encrypts the connection; plain if absent.
    pub tls: Option<Tls>,
    /// Who asks; nobody in particular if absent.
    pub credentials: Option<Credentials>,
    /// How many replicas a plain read or write, and the end of a conditional one, waits for.
    pub consistency: Consistency,
    /// Among which replicas a conditional write is agreed on.
    pub serial: Serial,
    /// Every key is written from one data centre alone: what makes `LocalSerial` right where the
    /// keyspace lies in several.
    pub homed: bool,
    /// How long one request may take before its outcome counts as uncertain.
    pub request_timeout: Duration,
    /// How long one connection may take to be made.
    pub connect_timeout: Duration,
    /// Connections to each node (or to each shard, where the node has them).
    pub connections: NonZeroUsize,
    /// By how many whole seconds the clocks of nodes may differ: so much longer a lease lasts than
    /// its holder is told.
    pub clock_margin: u32,
}

/// The certificates of a connection.
#[derive(Clone, Debug)]
pub struct Tls {
    /// Who vouches for the nodes, in PEM.
    pub authorities: PathBuf,
    /// The certificate to show, with its key, both in PEM; none if absent.
    pub identity: Option<(PathBuf, PathBuf)>,
}

/// A name and its password, never shown.
#[derive(Clone)]
pub struct Credentials {
    /// The role.
    pub username: String,
    /// Its password.
    pub password: String,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("username", &self.username).finish_non_exhaustive()
    }
}

/// A majority of the replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consistency {
    /// Of all data centres together.
    Quorum,
    /// Of the one that is talked to.
    LocalQuorum,
}

/// Who agrees on a conditional write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serial {
    /// The replicas of all data centres.
    Serial,
    /// Those of the one that is talked to.
    LocalSerial,
}

impl Options {
    /// The defaults, for these contact points.
    pub fn at(contact_points: Vec<String>) -> Self {
        Self {
            contact_points,
            keyspace: "onced".to_owned(),
            datacenter: None,
            tls: None,
            credentials: None,
            consistency: Consistency::LocalQuorum,
            serial: Serial::Serial,
            homed: false,
            request_timeout: Duration::from_secs(5),
            connect_timeout: Duration::from_secs(5),
            connections: NonZeroUsize::MIN,
            clock_margin: 2,
        }
    }
}
