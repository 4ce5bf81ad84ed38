//! What is wrong with settings whose values are each well formed.
//!
//! Opens and binds nothing.

use std::{net::SocketAddr, time::Duration};

use super::{Config, Place, Purpose, cluster};

/// A contradiction: the settings it rests on, the guilty one first, and what it is.
pub(super) struct Finding {
    pub(super) settings: &'static [&'static str],
    pub(super) message: String,
}

/// Everything for which the settings are refused.
pub(super) fn findings(config: &Config, purpose: Purpose) -> Vec<Finding> {
    let mut found = match purpose {
        Purpose::Serve => serving(config),
        Purpose::Tend => Vec::new(),
        Purpose::Migrate => nothing_to_migrate(config).into_iter().collect(),
    };
    found.extend(cluster::findings(config));
    found
}

fn nothing_to_migrate(config: &Config) -> Option<Finding> {
    matches!(config.store, Place::Embedded).then(|| Finding {
        settings: &["store"],
        message: "store is embedded, which has nothing to migrate or audit: give --store \
                  cql://HOST/KEYSPACE"
            .to_owned(),
    })
}

fn serving(config: &Config) -> Vec<Finding> {
    let reach = [
        reachable(config, &["listen", "insecure"], config.listen),
        reachable(config, &["admin", "insecure"], config.admin),
    ];
    let mut found: Vec<Finding> = reach.into_iter().flatten().collect();
    found.extend(same_address(config));
    found.extend(no_policy(config));
    found.extend(zeros(config));
    found
}

fn reachable(
    config: &Config,
    settings: &'static [&'static str; 2],
    address: SocketAddr,
) -> Option<Finding> {
    let refused = !address.ip().is_loopback() && !config.insecure;
    let name = settings[0];
    refused.then(|| Finding {
        settings,
        message: format!(
            "{name} {address} is not loopback, and there are no credentials yet: whoever reaches \
             it could claim and report outcomes. Use a loopback address, or say insecure where \
             the network itself keeps others out"
        ),
    })
}

fn same_address(config: &Config) -> Option<Finding> {
    let same = config.listen == config.admin && config.listen.port() != 0;
    same.then(|| Finding {
        settings: &["admin", "listen"],
        message: format!("admin {} is the same as listen", config.admin),
    })
}

fn no_policy(config: &Config) -> Option<Finding> {
    (config.policy.is_none() && !config.dev).then(|| Finding {
        settings: &["policy", "dev"],
        message: "policy is required without dev: --policy FILE, ONCED_POLICY or policy = \"FILE\""
            .to_owned(),
    })
}

fn zeros(config: &Config) -> impl Iterator<Item = Finding> {
    let none = Duration::ZERO;
    let zeros: [(&'static [&'static str], bool); 5] = [
        (&["request_timeout"], config.request_timeout == none),
        (&["claims_in_flight_max"], config.claims_in_flight_max == 0),
        (&["waiters_max"], config.waiters_max == 0),
        (&["max_watch"], config.max_watch == none),
        (&["policy_reload"], config.policy_reload == none),
    ];
    zeros
        .into_iter()
        .filter(|(_, is_zero)| *is_zero)
        .map(|(settings, _)| Finding { settings, message: format!("{} is zero", settings[0]) })
}
