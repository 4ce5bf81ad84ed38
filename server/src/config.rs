//! The server's settings: default < file < `ONCED_…` variable < flag.
//!
//! Parsed and judged whole before anything is opened or bound; every fault is told at once. Nothing
//! else reads the environment. Each part of the server is passed what it needs, never the whole.

use std::{collections::BTreeMap, net::SocketAddr, path::PathBuf, time::Duration};

pub use self::{
    cluster::{Place, Replication},
    source::Source,
    value::{Endpoint, LogFormat, LogLevel, Size},
};
use self::{
    source::{File, Sources},
    value::Value,
};
use crate::{
    fault::Fault,
    store::cql::options::{Consistency, Serial},
};

mod cluster;
mod judge;
mod source;
mod value;

/// Read where no other file is named, if it is there.
pub const FILE: &str = "onced-server.toml";
/// How long a server that others can reach serves on after it has said that it will stop.
const DRAIN_DELAY_BEHIND_A_BALANCER: Duration = Duration::from_secs(5);
/// How long connections to such a server live, so that clients come to notice new replicas.
const CONNECTION_AGE_BEHIND_A_BALANCER: Duration = Duration::from_secs(300);

/// Declares every setting once: its field, its flag, its variable and its name in the file.
macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty = $default:literal;)+) => {
        /// The effective settings.
        #[derive(Clone, Debug)]
        pub struct Config {
            $($(#[doc = $doc])+ pub $name: $type,)+
            sources: BTreeMap<&'static str, Source>,
            warnings: Vec<String>,
        }

        /// What the command line gave, each as it was typed.
        #[derive(Clone, Debug, Default, clap::Args)]
        pub struct Flags {
            /// Settings file; `onced-server.toml` if it is there
            #[arg(long, value_name = "FILE")]
            pub config: Option<String>,
            $(
                $(#[doc = $doc])+
                #[arg(
                    long,
                    value_name = <$type>::FORM,
                    num_args = <$type>::arguments(),
                    require_equals = <$type>::IS_SWITCH,
                    default_missing_value = "true",
                    verbatim_doc_comment,
                )]
                pub $name: Option<String>,
            )+
        }

        /// The name of every setting, in the file's spelling.
        pub const NAMES: &[&str] = &[$(stringify!($name),)+];

        impl Config {
            fn read(sources: &mut Sources<'_, '_, '_>, flags: &Flags) -> Self {
                $(let $name = sources.value(stringify!($name), flags.$name.as_deref(), $default);)+
                sources.refuse_rest();
                let (sources, warnings) = (sources.told(), Vec::new());
                Self { $($name,)+ sources, warnings }
            }

            fn values(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($name), self.$name.told()),)+]
            }
        }
    };
}

settings! {
    /// Where gRPC is served
    listen: SocketAddr = "127.0.0.1:7450";
    /// Where health, readiness and metrics are served
    admin: SocketAddr = "127.0.0.1:7451";
    /// Where the records are: embedded, or cql://HOST,HOST/KEYSPACE
    store: Place = "embedded";
    /// Directory of the embedded store
    data: PathBuf = "./onced-data";
    /// Directory of backups; `backups` in data if absent
    backups: Option<PathBuf> = "";
    /// Policy file; required without dev
    policy: Option<PathBuf> = "";
    /// For a developer's machine: any operation name is accepted
    dev: bool = "false";
    /// Serve beyond loopback although there are no credentials
    insecure: bool = "false";
    /// How long to serve on, not ready, before draining; off loopback 5s
    drain_delay: Duration = "0s";
    /// How long calls under way may take to end while draining
    drain_grace: Duration = "10s";
    /// Longest time that one call is given, whatever its own deadline
    request_timeout: Duration = "1m";
    /// Longest age of a connection, 0s: any; off loopback 5m
    max_connection_age: Duration = "0s";
    /// Claims under way at once; more are refused as overload
    claims_in_flight_max: usize = "4096";
    /// Calls that wait for an outcome at once
    waiters_max: usize = "10000";
    /// Longest Watch
    max_watch: Duration = "10m";
    /// Disk that is kept free for outcomes; Claims are refused beyond it
    disk_reserve: Size = "64MiB";
    /// Form of the log
    log_format: LogFormat = "text";
    /// What is logged: a level, or directives such as info,onced=debug
    log_level: LogLevel = "info";
    /// Where traces are sent (OTLP over gRPC); nowhere if absent
    otlp_endpoint: Option<Endpoint> = "";
    /// How often the policy file is looked at
    policy_reload: Duration = "5s";
    /// The data centre whose nodes are asked; any if absent
    cql_datacenter: Option<String> = "";
    /// Certificates (PEM) that vouch for the nodes; plain without
    cql_tls_ca: Option<PathBuf> = "";
    /// Certificate (PEM) to show to the nodes
    cql_tls_cert: Option<PathBuf> = "";
    /// Key (PEM) of that certificate
    cql_tls_key: Option<PathBuf> = "";
    /// File with the name to log in with
    cql_username_file: Option<PathBuf> = "";
    /// File with its password
    cql_password_file: Option<PathBuf> = "";
    /// Replicas that a write waits for: quorum or local_quorum
    cql_consistency: Consistency = "local_quorum";
    /// Who agrees on a write: serial or local_serial
    cql_serial_consistency: Serial = "serial";
    /// Every key is written from one data centre alone
    cql_keys_homed: bool = "false";
    /// Longest request to a node; past it its outcome is uncertain
    cql_request_timeout: Duration = "5s";
    /// Longest time to make a connection to a node
    cql_connect_timeout: Duration = "5s";
    /// Connections to each node, or to each of its shards
    cql_connections: usize = "1";
    /// Replicas of a keyspace that migrate creates: dc1:3,dc2:3
    cql_replication: Option<Replication> = "";
    /// By how many whole seconds the clocks of nodes may differ
    store_clock_margin: Duration = "2s";
}

/// Whether a setting is about a cluster.
pub fn is_for_cluster(name: &str) -> bool {
    name == "store" || cluster::FOR_A_CLUSTER.contains(&name)
}

/// What the settings are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Serving.
    Serve,
    /// Making or upgrading the tables of a cluster.
    Migrate,
    /// Work on the store itself, while nobody is served.
    Tend,
}

impl Config {
    /// Reads all sources. `env` answers the value of a variable.
    pub fn load(
        purpose: Purpose,
        flags: &Flags,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Vec<Fault>> {
        let (config, faults) = Self::look(purpose, flags, env)?;
        if faults.is_empty() { Ok(config) } else { Err(faults) }
    }

    /// The same with all faults beside the values; the default stands in for what cannot be read.
    /// Fails only where a file that was named cannot be read. For showing, never for serving.
    pub fn look(
        purpose: Purpose,
        flags: &Flags,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<(Self, Vec<Fault>), Vec<Fault>> {
        // An empty variable is how compose files and charts say "not given".
        let env = |name: &str| env(name).filter(|value| !value.is_empty());
        let file = source::file(flags.config.as_deref(), &env)?.unwrap_or_else(File::absent);
        let mut in_file = file.faults();
        let root = in_file.root();
        let mut sources = Sources::new(&file, in_file, &root, &env);
        let config = Self::read(&mut sources, flags);
        let (mut faults, unread) = sources.into_faults();
        faults.extend(config.judged(purpose, &unread));
        let warnings = warnings(&env).chain(cluster::warning(&config)).collect();
        Ok((Self { warnings, ..config.behind_a_balancer() }, faults))
    }

    /// What is wrong between settings, unless one of them could not be read.
    fn judged(&self, purpose: Purpose, unread: &[&str]) -> Vec<Fault> {
        let whole = |settings: &[&str]| !settings.iter().any(|name| unread.contains(name));
        let findings = judge::findings(self, purpose).into_iter();
        let findings = findings.filter(|finding| whole(finding.settings));
        findings.map(|found| self.source(found.settings[0]).fault(found.message)).collect()
    }

    /// Defaults of a server that others can reach.
    fn behind_a_balancer(mut self) -> Self {
        if self.listen.ip().is_loopback() {
            return self;
        }
        if self.source("drain_delay") == &Source::Default {
            self.drain_delay = DRAIN_DELAY_BEHIND_A_BALANCER;
        }
        if self.source("max_connection_age") == &Source::Default {
            self.max_connection_age = CONNECTION_AGE_BEHIND_A_BALANCER;
        }
        self
    }

    /// Where the value of a setting comes from.
    pub fn source(&self, name: &str) -> &Source {
        self.sources.get(name).unwrap_or(&Source::Default)
    }

    /// What is no fault, but surely not what was meant. For the log.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The effective values and the source of each, in the form that the file takes; what is meant
    /// for the other engine stands in comments.
    pub fn show(&self) -> String {
        let line = |(name, value): (&'static str, String)| {
            let setting = match &*value {
                "" => format!("# {name}"),
                value if cluster::is_idle(self, name) => format!("# {name} = {value}"),
                value => format!("{name} = {value}"),
            };
            format!("{setting:<44} # {}\n", self.source(name))
        };
        self.values().into_iter().map(line).collect()
    }
}

/// Variables that look like settings and are not read.
fn warnings(env: &impl Fn(&str) -> Option<String>) -> impl Iterator<Item = String> {
    let misnamed = |name: &str| format!("ONCED_SERVER_{}", name.to_uppercase());
    NAMES.iter().filter(move |name| env(&misnamed(name)).is_some()).map(move |name| {
        format!("{} is not read; the variable is {}", misnamed(name), variable(name))
    })
}

/// The variable of a setting.
pub fn variable(name: &str) -> String {
    format!("ONCED_{}", name.to_uppercase())
}

#[cfg(test)]
mod tests;
