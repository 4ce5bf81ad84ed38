//! Where the records are, and how many replicas of them there are to be, as people write it.
//!
//! Looks up no name and connects to nothing.

use std::{collections::BTreeMap, fmt, str::FromStr};

use crate::config::value::{Value, quoted};

/// The port of a node unless another is given.
const PORT: u16 = 9042;
/// The keyspace unless another is given.
const KEYSPACE: &str = "onced";
/// Longest name of a keyspace.
const KEYSPACE_CHARACTERS_MAX: usize = 48;
const FORM: &str = "\"embedded\" or \"cql://HOST[:PORT],HOST/KEYSPACE\"";

/// Where the records are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a folder of this machine.
    Embedded,
    /// In a cluster.
    Cluster {
        /// Where to begin, each `host:port`.
        contact_points: Vec<String>,
        /// Where the tables are.
        keyspace: String,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded => f.write_str("embedded"),
            Self::Cluster { contact_points, keyspace } => {
                write!(f, "cql://{}/{keyspace}", contact_points.join(","))
            }
        }
    }
}

impl Value for Place {
    const FORM: &str = "embedded|cql://…";

    fn read(text: &str) -> Result<Self, String> {
        if text == "embedded" {
            return Ok(Self::Embedded);
        }
        let Some(rest) = text.strip_prefix("cql://") else {
            return Err(format!("is {text:?}; it is {FORM}"));
        };
        let (hosts, keyspace) = rest.split_once('/').unwrap_or((rest, KEYSPACE));
        if hosts.contains('@') {
            return Err("has a name or password in it: they come from files alone, \
                        cql_username_file and cql_password_file"
                .to_owned());
        }
        let keyspace = if keyspace.is_empty() { KEYSPACE } else { keyspace };
        if !is_keyspace(keyspace) {
            return Err(format!(
                "has the keyspace {keyspace:?}; a keyspace begins with a letter a-z, and has at \
                 most {KEYSPACE_CHARACTERS_MAX} of a-z, 0-9 and _"
            ));
        }
        let contact_points = hosts.split(',').map(contact_point).collect::<Result<_, _>>()?;
        Ok(Self::Cluster { contact_points, keyspace: keyspace.to_owned() })
    }

    fn told(&self) -> String {
        quoted(self)
    }
}

fn is_keyspace(name: &str) -> bool {
    let begins_well = name.starts_with(|c: char| c.is_ascii_lowercase());
    let well_made = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    begins_well && name.len() <= KEYSPACE_CHARACTERS_MAX && name.chars().all(well_made)
}

/// `host:port`; an IPv6 address stands in brackets.
fn contact_point(text: &str) -> Result<String, String> {
    let in_brackets = text.ends_with(']');
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !in_brackets => (host, port.to_owned()),
        _ => (text, PORT.to_string()),
    };
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_host = match bare {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c))
        }
    };
    let port = port.parse::<u16>().ok().filter(|port| *port > 0);
    match port {
        Some(port) if is_host => Ok(format!("{host}:{port}")),
        _ => Err(format!("has the node {text:?}, which is no HOST or HOST:PORT; it is {FORM}")),
    }
}

/// How many replicas each data centre has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replication(pub BTreeMap<String, u32>);

impl Value for Replication {
    const FORM: &str = "DC:COUNT,…";

    fn read(text: &str) -> Result<Self, String> {
        let mut factors = BTreeMap::new();
        for part in text.split(',') {
            let (datacenter, factor) = factor(part).ok_or_else(|| {
                format!("is {text:?}; it is a count for each data centre: dc1:3,dc2:3")
            })?;
            if factors.insert(datacenter.to_owned(), factor).is_some() {
                return Err(format!("is {text:?}, which names {datacenter} twice"));
            }
        }
        Ok(Self(factors))
    }

    fn told(&self) -> String {
        quoted(self)
    }
}

/// A data centre and a count; the name goes into a statement, so that quotes have no place in it.
fn factor(part: &str) -> Option<(&str, u32)> {
    let (datacenter, count) = part.trim().rsplit_once(':')?;
    let named = !datacenter.is_empty()
        && datacenter.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
    let count = u32::from_str(count).ok().filter(|count| *count > 0)?;
    named.then_some((datacenter, count))
}

impl fmt::Display for Replication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> =
            self.0.iter().map(|(datacenter, count)| format!("{datacenter}:{count}")).collect();
        f.write_str(&parts.join(","))
    }
}
