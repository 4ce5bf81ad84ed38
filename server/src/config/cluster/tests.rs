//! What a cluster's settings may be, which go together, and what they make.

use super::*;
use crate::config::{Flags, Purpose, Replication};

const STORE: &str = "cql://db1,db2:9043/records";

/// With `--store` and these flags, by name and value.
fn load(purpose: Purpose, flags: &[(&str, &str)]) -> Result<Config, Vec<String>> {
    use clap::{Args, FromArgMatches};
    let words = flags.iter().map(|(name, value)| format!("--{name}={value}"));
    let command = Flags::augment_args(clap::Command::new("serve").no_binary_name(true));
    let matches = command.try_get_matches_from(words).unwrap();
    let flags = Flags::from_arg_matches(&matches).unwrap();
    let faults = |faults: Vec<Fault>| faults.iter().map(ToString::to_string).collect();
    Config::load(purpose, &flags, |_| None).map_err(faults)
}

fn with(flags: &[(&str, &str)]) -> Result<Config, Vec<String>> {
    load(Purpose::Migrate, &[&[("store", STORE)], flags].concat())
}

/// Each fault must hold the words at its place, and there must be no other.
#[track_caller]
fn check(flags: &[(&str, &str)], expected: &[&str]) {
    let faults = with(flags).err().unwrap_or_default();
    let matches = faults.len() == expected.len()
        && faults.iter().zip(expected).all(|(fault, words)| fault.contains(words));
    assert!(matches, "{flags:?}: {faults:#?} are not {expected:#?}");
}

#[test]
fn a_place_is_read_and_told_in_full() {
    let told = |text: &str| Place::read(text).map(|place| place.to_string());
    for (text, expected) in [
        ("embedded", "embedded"),
        (STORE, "cql://db1:9042,db2:9043/records"),
        ("cql://10.0.0.1", "cql://10.0.0.1:9042/onced"),
        ("cql://10.0.0.1/", "cql://10.0.0.1:9042/onced"),
        ("cql://[::1],[fd00::2]:9043/k_2", "cql://[::1]:9042,[fd00::2]:9043/k_2"),
    ] {
        assert_eq!(told(text).unwrap(), expected, "{text}");
        assert_eq!(Place::read(expected), Place::read(text));
    }
    for (text, why) in [
        ("", "it is \"embedded\" or \"cql://"),
        ("sqlite", "it is \"embedded\" or \"cql://"),
        ("cql://", "no HOST"),
        ("cql://a,,b/k", "no HOST"),
        ("cql://a:0/k", "no HOST"),
        ("cql://a:x/k", "no HOST"),
        ("cql://::1/k", "no HOST"),
        ("cql://a/K", "a keyspace begins with"),
        ("cql://a/1k", "a keyspace begins with"),
        ("cql://a/k;drop", "a keyspace begins with"),
        ("cql://a/k/l", "a keyspace begins with"),
    ] {
        let wrong = told(text).unwrap_err();
        assert!(wrong.contains(why), "{text}: {wrong}");
    }
}

#[test]
fn a_password_in_the_place_is_refused_and_not_repeated() {
    let wrong = Place::read("cql://me:hush@db1/k").unwrap_err();
    assert!(wrong.contains("cql_password_file") && !wrong.contains("hush"), "{wrong}");
}

#[test]
fn a_replication_names_each_data_centre_once_with_a_count() {
    let read = |text: &str| Replication::read(text).map(|replication| replication.to_string());
    assert_eq!(read("dc2:3, dc1:1").unwrap(), "dc1:1,dc2:3");
    for text in ["", "3", "dc1", "dc1:0", "dc1:-1", "dc'1:3", "dc1:3,dc1:2", "dc1:3,"] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn settings_of_the_engine_that_is_not_chosen_are_named() {
    let faults = load(
        Purpose::Serve,
        &[
            ("dev", "true"),
            ("cql-datacenter", "dc1"),
            ("cql-keys-homed", "true"),
            ("store-clock-margin", "3s"),
        ],
    );
    let why = "is given, but store is embedded; it is for a cluster";
    assert_eq!(
        faults.unwrap_err(),
        [
            format!("--cql-datacenter: cql_datacenter {why}"),
            format!("--cql-keys-homed: cql_keys_homed {why}"),
            format!("--store-clock-margin: store_clock_margin {why}"),
        ]
    );
    let why = "is given, but store is cql://db1:9042,db2:9043/records";
    check(&[("data", "d"), ("disk-reserve", "1MiB")], &[why, why]);
    for name in FOR_A_CLUSTER.into_iter().chain(FOR_A_FOLDER) {
        assert!(crate::config::NAMES.contains(&name), "{name}");
    }
    for name in crate::config::NAMES.iter().filter(|name| name.starts_with("cql_")) {
        assert!(FOR_A_CLUSTER.contains(name), "{name}");
    }
}

#[test]
fn halves_are_refused() {
    check(&[("cql-tls-cert", "c")], &["without cql_tls_key", "without cql_tls_ca"]);
    check(&[("cql-tls-cert", "c"), ("cql-tls-key", "k")], &["without cql_tls_ca"]);
    check(&[("cql-tls-key", "k")], &["without cql_tls_cert"]);
    check(&[("cql-tls-ca", "a"), ("cql-tls-cert", "c"), ("cql-tls-key", "k")], &[]);
    check(&[("cql-username-file", "u")], &["without cql_password_file"]);
    check(&[("cql-password-file", "p")], &["without cql_username_file"]);
}

#[test]
fn a_serial_level_is_no_level_for_the_end_of_a_write() {
    for level in ["serial", "local_serial"] {
        check(&[("cql-consistency", level)], &["that is cql_serial_consistency"]);
    }
    check(&[("cql-consistency", "one")], &["it is \"quorum\" or \"local_quorum\""]);
    check(&[("cql-serial-consistency", "quorum")], &["it is \"serial\" or \"local_serial\""]);
}

#[test]
fn local_agreement_needs_a_data_centre() {
    let local = ("cql-serial-consistency", "local_serial");
    check(&[local], &["local_serial needs cql_datacenter"]);
    check(&[local, ("cql-datacenter", "dc1")], &[]);
}

#[test]
fn times_that_would_make_certain_things_uncertain_are_refused() {
    check(&[("cql-request-timeout", "1999ms")], &["1s 999ms is under 2s"]);
    check(&[("cql-request-timeout", "2s")], &[]);
    check(&[("cql-connect-timeout", "0s")], &["cql_connect_timeout is zero"]);
    check(&[("cql-connections", "0")], &["cql_connections is zero"]);
    for margin in ["0s", "500ms", "1500ms"] {
        check(&[("store-clock-margin", margin)], &["not in whole seconds, at least 1s"]);
    }
    check(&[("store-clock-margin", "1s")], &[]);
}

#[test]
fn only_a_cluster_is_migrated_and_no_policy_is_asked_for() {
    let faults = load(Purpose::Migrate, &[]).unwrap_err();
    assert_eq!(faults.len(), 1);
    assert!(faults[0].contains("nothing to migrate or audit"), "{faults:?}");
    check(&[], &[]);
    let faults = load(Purpose::Serve, &[("store", STORE)]).unwrap_err();
    assert!(faults[0].contains("policy is required"), "{faults:?}");
}

#[test]
fn the_settings_make_the_options_of_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (user, password) = (file("user", "onced\n"), file("password", "s3cret \r\n"));
    let config = with(&[
        ("cql-datacenter", "dc1"),
        ("cql-tls-ca", "ca.pem"),
        ("cql-tls-cert", "c.pem"),
        ("cql-tls-key", "k.pem"),
        ("cql-username-file", &user),
        ("cql-password-file", &password),
        ("cql-consistency", "quorum"),
        ("cql-serial-consistency", "local_serial"),
        ("cql-keys-homed", "true"),
        ("cql-request-timeout", "3s"),
        ("cql-connect-timeout", "4s"),
        ("cql-connections", "2"),
        ("store-clock-margin", "5s"),
    ]);
    let options = config.unwrap().cluster().unwrap().unwrap();
    let expected = "Options { contact_points: [\"db1:9042\", \"db2:9043\"], \
                    keyspace: \"records\", datacenter: Some(\"dc1\"), \
                    tls: Some(Tls { authorities: \"ca.pem\", identity: Some((\"c.pem\", \
                    \"k.pem\")) }), credentials: Some(Credentials { username: \"onced\", .. }), \
                    consistency: Quorum, serial: LocalSerial, homed: true, \
                    request_timeout: 3s, connect_timeout: 4s, connections: 2, clock_margin: 5 }";
    assert_eq!(format!("{options:?}"), expected);
    assert_eq!(options.credentials.unwrap().password, "s3cret ");
}

#[test]
fn credentials_that_cannot_be_read_are_told_together_without_what_is_in_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two");
    fs::write(&path, "hush\nhush\n").unwrap();
    let path = path.display().to_string();
    let config =
        with(&[("cql-username-file", "/nowhere/user"), ("cql-password-file", &path)]).unwrap();
    let faults: Vec<String> =
        config.cluster().unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(faults.len(), 2);
    assert!(faults[0].starts_with("--cql-username-file: cql_username_file /nowhere/user: cannot"));
    assert!(faults[1].ends_with(": has more than one line") && !faults[1].contains("hush"));
    fs::write(&path, "\n").unwrap();
    assert!(config.cluster().unwrap_err()[1].to_string().ends_with(": is empty"));
}

#[test]
fn a_password_in_clear_is_warned_of() {
    let warned = |store: &str, more: &[(&str, &str)]| {
        let flags = [("store", store), ("cql-username-file", "u"), ("cql-password-file", "p")];
        let config = load(Purpose::Migrate, &[&flags, more].concat()).unwrap();
        config.warnings().iter().any(|warning| warning.contains("in clear"))
    };
    assert!(warned("cql://db1/k", &[]));
    assert!(!warned("cql://db1/k", &[("cql-tls-ca", "a")]));
    assert!(!warned("cql://127.0.0.1/k", &[]));
}
