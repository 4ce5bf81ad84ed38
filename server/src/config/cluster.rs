//! The settings of a cluster: what each may be, which of them go together, and what they make.
//!
//! Reads the files of credentials, and nothing else; asks no node.

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Duration,
};

pub use self::place::{Place, Replication};
use super::{
    Config, Source,
    judge::Finding,
    value::{Value, quoted},
};
use crate::{
    document::told,
    fault::Fault,
    store::cql::options::{Consistency, Credentials, Options, Serial, Tls},
};

mod place;

/// What is meant for a cluster alone.
pub(super) const FOR_A_CLUSTER: [&str; 14] = [
    "cql_datacenter",
    "cql_tls_ca",
    "cql_tls_cert",
    "cql_tls_key",
    "cql_username_file",
    "cql_password_file",
    "cql_consistency",
    "cql_serial_consistency",
    "cql_keys_homed",
    "cql_request_timeout",
    "cql_connect_timeout",
    "cql_connections",
    "cql_replication",
    "store_clock_margin",
];
/// What is meant for the embedded engine alone.
const FOR_A_FOLDER: [&str; 3] = ["data", "backups", "disk_reserve"];
/// A node gives up on a conditional write after about this; its own word has to come first.
const REQUEST_TIMEOUT_MIN: Duration = Duration::from_secs(2);

/// Everything for which the settings of a cluster are refused.
pub(super) fn findings(config: &Config) -> Vec<Finding> {
    let mut found = misplaced(config);
    if matches!(config.store, Place::Cluster { .. }) {
        found.extend(halves(config));
        found.extend(levels(config));
        found.extend(times(config));
    }
    found
}

/// A setting of the engine that is not chosen.
fn misplaced(config: &Config) -> Vec<Finding> {
    let (names, store): (&'static [&'static str], _) = match &config.store {
        Place::Embedded => (&FOR_A_CLUSTER, "store is embedded; it is for a cluster".to_owned()),
        place @ Place::Cluster { .. } => {
            (&FOR_A_FOLDER, format!("store is {place}; it is for the embedded store"))
        }
    };
    let given = names.chunks(1).filter(|name| *config.source(name[0]) != Source::Default);
    given
        .map(|name| Finding {
            settings: name,
            message: format!("{} is given, but {store}", name[0]),
        })
        .collect()
}

/// Whether it is the default of a setting of the engine that is not chosen.
pub(super) fn is_idle(config: &Config, name: &str) -> bool {
    let others: &[&str] = match config.store {
        Place::Embedded => &FOR_A_CLUSTER,
        Place::Cluster { .. } => &FOR_A_FOLDER,
    };
    others.contains(&name) && *config.source(name) == Source::Default
}

/// What is of no use without another.
fn halves(config: &Config) -> Vec<Finding> {
    let Config { cql_tls_ca: ca, cql_tls_cert: cert, cql_tls_key: key, .. } = config;
    let (user, password) = (&config.cql_username_file, &config.cql_password_file);
    let pairs: [(&'static [&'static str; 2], bool, bool); 5] = [
        (&["cql_tls_cert", "cql_tls_key"], cert.is_some(), key.is_some()),
        (&["cql_tls_key", "cql_tls_cert"], key.is_some(), cert.is_some()),
        (&["cql_tls_cert", "cql_tls_ca"], cert.is_some(), ca.is_some()),
        (&["cql_username_file", "cql_password_file"], user.is_some(), password.is_some()),
        (&["cql_password_file", "cql_username_file"], password.is_some(), user.is_some()),
    ];
    let lonely = pairs.into_iter().filter(|(_, given, other)| *given && !*other);
    lonely
        .map(|(names, ..)| Finding {
            settings: names,
            message: format!("{} is given without {}", names[0], names[1]),
        })
        .collect()
}

fn levels(config: &Config) -> Option<Finding> {
    let local = config.cql_serial_consistency == Serial::LocalSerial;
    (local && config.cql_datacenter.is_none()).then(|| Finding {
        settings: &["cql_serial_consistency", "cql_datacenter"],
        message: "cql_serial_consistency local_serial needs cql_datacenter: without it each \
                  request could be agreed on in another data centre"
            .to_owned(),
    })
}

fn times(config: &Config) -> Vec<Finding> {
    let Config { cql_request_timeout: request, store_clock_margin: margin, .. } = config;
    let early = (*request < REQUEST_TIMEOUT_MIN).then(|| Finding {
        settings: &["cql_request_timeout"],
        message: format!(
            "cql_request_timeout {} is under {}: a node says itself that a write came to nothing \
             or is uncertain, and has to be heard",
            told(*request),
            told(REQUEST_TIMEOUT_MIN)
        ),
    });
    let never = config.cql_connect_timeout.is_zero().then(|| zero(&["cql_connect_timeout"]));
    let none = (config.cql_connections == 0).then(|| zero(&["cql_connections"]));
    let uneven = (margin.as_secs() == 0 || margin.subsec_nanos() > 0).then(|| Finding {
        settings: &["store_clock_margin"],
        message: format!(
            "store_clock_margin {} is not in whole seconds, at least 1s",
            told(*margin)
        ),
    });
    [early, never, none, uneven].into_iter().flatten().collect()
}

fn zero(settings: &'static [&'static str; 1]) -> Finding {
    Finding { settings, message: format!("{} is zero", settings[0]) }
}

/// A password that others on the network can read.
pub(super) fn warning(config: &Config) -> Option<String> {
    let Place::Cluster { contact_points, .. } = &config.store else { return None };
    let elsewhere = contact_points.iter().any(|point| !point.starts_with("127."));
    let bare = config.cql_password_file.is_some() && config.cql_tls_ca.is_none();
    (elsewhere && bare).then(|| {
        "the password of the cluster is sent in clear: cql_tls_ca encrypts the connection"
            .to_owned()
    })
}

impl Config {
    /// How the cluster is reached, with its credentials read; nothing where there is none.
    pub fn cluster(&self) -> Result<Option<Options>, Vec<Fault>> {
        let Place::Cluster { contact_points, keyspace } = &self.store else { return Ok(None) };
        Ok(Some(Options {
            contact_points: contact_points.clone(),
            keyspace: keyspace.clone(),
            datacenter: self.cql_datacenter.clone(),
            tls: self.tls(),
            credentials: self.credentials()?,
            consistency: self.cql_consistency,
            serial: self.cql_serial_consistency,
            homed: self.cql_keys_homed,
            request_timeout: self.cql_request_timeout,
            connect_timeout: self.cql_connect_timeout,
            connections: NonZeroUsize::new(self.cql_connections).unwrap_or(NonZeroUsize::MIN),
            clock_margin: u32::try_from(self.store_clock_margin.as_secs()).unwrap_or(u32::MAX),
        }))
    }

    fn tls(&self) -> Option<Tls> {
        let identity = self.cql_tls_cert.clone().zip(self.cql_tls_key.clone());
        self.cql_tls_ca.clone().map(|authorities| Tls { authorities, identity })
    }

    fn credentials(&self) -> Result<Option<Credentials>, Vec<Fault>> {
        let read = |name, path: Option<&PathBuf>| path.map(|path| self.secret(name, path));
        let username = read("cql_username_file", self.cql_username_file.as_ref());
        let password = read("cql_password_file", self.cql_password_file.as_ref());
        match (username, password) {
            (Some(Ok(username)), Some(Ok(password))) => {
                Ok(Some(Credentials { username, password }))
            }
            (username, password) => {
                let faults = [username, password].into_iter().flatten().filter_map(Result::err);
                let faults: Vec<Fault> = faults.collect();
                if faults.is_empty() { Ok(None) } else { Err(faults) }
            }
        }
    }

    /// One line; what it says is never told.
    fn secret(&self, name: &'static str, path: &Path) -> Result<String, Fault> {
        let fault =
            |why: String| self.source(name).fault(format!("{name} {}: {why}", path.display()));
        let text =
            fs::read_to_string(path).map_err(|cause| fault(format!("cannot be read: {cause}")))?;
        let line = text.strip_suffix('\n').unwrap_or(&text);
        let line = line.strip_suffix('\r').unwrap_or(line);
        match line {
            "" => Err(fault("is empty".to_owned())),
            line if line.contains('\n') => Err(fault("has more than one line".to_owned())),
            line => Ok(line.to_owned()),
        }
    }
}

impl Value for Consistency {
    const FORM: &str = "quorum|local_quorum";

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "quorum" => Ok(Self::Quorum),
            "local_quorum" => Ok(Self::LocalQuorum),
            "serial" | "local_serial" => Err(format!(
                "is {text:?}, which says who agrees on a write and is no level for its end: that \
                 is cql_serial_consistency. It is \"quorum\" or \"local_quorum\""
            )),
            other => Err(format!("is {other:?}; it is \"quorum\" or \"local_quorum\"")),
        }
    }

    fn told(&self) -> String {
        quoted(match self {
            Self::Quorum => "quorum",
            Self::LocalQuorum => "local_quorum",
        })
    }
}

impl Value for Serial {
    const FORM: &str = "serial|local_serial";

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "serial" => Ok(Self::Serial),
            "local_serial" => Ok(Self::LocalSerial),
            other => Err(format!("is {other:?}; it is \"serial\" or \"local_serial\"")),
        }
    }

    fn told(&self) -> String {
        quoted(match self {
            Self::Serial => "serial",
            Self::LocalSerial => "local_serial",
        })
    }
}

#[cfg(test)]
mod tests;
