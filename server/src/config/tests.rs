//! Which source counts, and what is refused.

use std::fs;

use super::*;

type Variables<'a> = &'a [(&'a str, &'a str)];

/// A settings file, named by the flag, and variables; flags are set by the caller.
fn load(file: &str, variables: Variables<'_>, mut flags: Flags) -> Result<Config, Vec<String>> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s.toml").display().to_string();
    fs::write(&path, file).unwrap();
    flags.config = Some(path.clone());
    let plain = |fault: &Fault| fault.to_string().replace(&path, "s.toml");
    Config::load(Purpose::Serve, &flags, of(variables))
        .map(|config| Config { sources: renamed(config.sources, "s.toml"), ..config })
        .map_err(|faults| faults.iter().map(plain).collect())
}

/// The same with settings that do not go together, as both engines' do not.
fn look(file: &str, variables: Variables<'_>, mut flags: Flags) -> Config {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s.toml").display().to_string();
    fs::write(&path, file).unwrap();
    flags.config = Some(path);
    let (config, faults) = Config::look(Purpose::Serve, &flags, of(variables)).unwrap();
    assert!(faults.iter().all(|fault| fault.message.contains("is given, but")), "{faults:?}");
    config
}

fn of(variables: Variables<'_>) -> impl Fn(&str) -> Option<String> {
    let map: BTreeMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    move |name| map.get(name).cloned()
}

fn renamed(sources: BTreeMap<&'static str, Source>, to: &str) -> BTreeMap<&'static str, Source> {
    let rename = |source| match source {
        Source::File { line, .. } => Source::File { path: to.to_owned(), line },
        other => other,
    };
    sources.into_iter().map(|(name, source)| (name, rename(source))).collect()
}

#[track_caller]
fn check(file: &str, variables: Variables<'_>, flags: Flags, expected: &[&str]) {
    let faults = load(file, variables, flags).err().unwrap_or_default();
    assert_eq!(faults, expected);
}

#[track_caller]
fn check_file(file: &str, expected: &[&str]) {
    check(&format!("policy = 'p.toml'\n{file}"), &[], Flags::default(), expected);
}

#[expect(clippy::unnecessary_wraps, reason = "it fills a field of Flags")]
fn flag(value: &str) -> Option<String> {
    Some(value.to_owned())
}

#[test]
fn a_later_source_wins_and_each_value_knows_where_it_comes_from() {
    let file = "policy = 'p.toml'\nlisten = '127.0.0.1:1'\nmax_watch = '1m'\n\
                waiters_max = 7\ndev = true";
    let variables = [("ONCED_LISTEN", "127.0.0.1:2"), ("ONCED_MAX_WATCH", "2m")];
    let flags = Flags { listen: flag("127.0.0.1:3"), ..Flags::default() };
    let config = load(file, &variables, flags).unwrap();
    assert_eq!(config.listen.port(), 3);
    assert_eq!(config.source("listen").to_string(), "--listen");
    assert_eq!(config.max_watch, Duration::from_secs(120));
    assert_eq!(config.source("max_watch").to_string(), "ONCED_MAX_WATCH");
    assert_eq!(config.waiters_max, 7);
    assert_eq!(config.source("waiters_max").to_string(), "s.toml:4");
    assert_eq!(config.claims_in_flight_max, 4_096);
    assert_eq!(config.source("claims_in_flight_max").to_string(), "default");
    assert!(config.dev);
}

#[test]
fn what_is_shown_is_a_settings_file_with_the_same_effect() {
    let variables = [("ONCED_OTLP_ENDPOINT", "http://[::1]:4317"), ("ONCED_INSECURE", "true")];
    let flags = Flags { listen: flag("0.0.0.0:7450"), dev: flag("true"), ..Flags::default() };
    let shown = load("", &variables, flags).unwrap();
    assert!(shown.show().contains("\nadmin = \"127.0.0.1:7451\""), "{}", shown.show());
    assert!(shown.show().contains("# --listen\n"), "{}", shown.show());
    let again = load(&shown.show(), &[], Flags::default()).unwrap();
    assert_eq!(again.values(), shown.values());
    let variables = [("ONCED_STORE", "cql://db1"), ("ONCED_DEV", "true")];
    let shown = load("", &variables, Flags::default()).unwrap();
    assert!(shown.show().contains("\n# data = \"./onced-data\""), "{}", shown.show());
    let again = load(&shown.show(), &[], Flags::default()).unwrap();
    assert_eq!(again.values(), shown.values());
}

#[test]
fn every_setting_can_come_from_each_source() {
    let example = |name: &str| match name {
        "listen" | "admin" => "'127.0.0.1:0'",
        "data" | "policy" => "'here'",
        "dev" | "insecure" | "cql_keys_homed" => "true",
        "claims_in_flight_max" | "waiters_max" | "cql_connections" => "9",
        "store" => "'cql://db1:9043,db2/records'",
        "cql_consistency" => "'quorum'",
        "cql_serial_consistency" => "'local_serial'",
        "cql_replication" => "'dc1:3,dc2:2'",
        "disk_reserve" => "'1GiB'",
        "log_format" => "'json'",
        "log_level" => "'debug'",
        "otlp_endpoint" => "'http://here'",
        _ => "'9s'",
    };
    let lines: Vec<_> = NAMES.iter().map(|name| format!("{name} = {}", example(name))).collect();
    let config = look(&lines.join("\n"), &[], Flags::default());
    let variables: Vec<(String, &str)> =
        NAMES.iter().map(|name| (variable(name), example(name).trim_matches('\''))).collect();
    let variables: Vec<_> = variables.iter().map(|(name, value)| (&**name, *value)).collect();
    let by_variable = look("", &variables, Flags::default());
    let parsed = parse_flags(
        variables
            .iter()
            .zip(NAMES)
            .map(|((_, value), name)| format!("--{}={value}", name.replace('_', "-"))),
    );
    let by_flag = look("", &[], parsed);
    for name in NAMES {
        assert!(matches!(config.source(name), Source::File { .. }), "{name} in the file");
        assert_eq!(by_variable.source(name), &Source::Variable(variable(name)));
        assert!(matches!(by_flag.source(name), Source::Flag(_)), "--{name}");
    }
    assert_eq!(config.values(), by_variable.values());
    assert_eq!(config.values(), by_flag.values());
}

fn parse_flags(arguments: impl Iterator<Item = String>) -> Flags {
    use clap::{Args, FromArgMatches};
    let command = Flags::augment_args(clap::Command::new("serve").no_binary_name(true));
    let matches = command.try_get_matches_from(arguments).unwrap();
    Flags::from_arg_matches(&matches).unwrap()
}

#[test]
fn a_switch_alone_means_true() {
    let flags = parse_flags(["--dev", "--data", "d"].map(str::to_owned).into_iter());
    assert_eq!(flags.dev.as_deref(), Some("true"));
    assert_eq!(flags.data.as_deref(), Some("d"));
    assert_eq!(flags.insecure, None);
}

#[test]
fn an_empty_variable_counts_as_not_given() {
    let config =
        load("policy = 'p'", &[("ONCED_LISTEN", ""), ("ONCED_POLICY", "")], Flags::default());
    assert_eq!(config.unwrap().policy, Some("p".into()));
}

#[test]
fn a_policy_is_required_without_dev() {
    let expected = "settings: policy is required without dev: --policy FILE, ONCED_POLICY or \
                    policy = \"FILE\"";
    check("", &[], Flags::default(), &[expected]);
    check("", &[("ONCED_DEV", "true")], Flags::default(), &[]);
    check("", &[], Flags { policy: flag("p.toml"), ..Flags::default() }, &[]);
}

#[test]
fn an_address_beyond_loopback_is_refused_without_credentials() {
    let why = "is not loopback, and there are no credentials yet: whoever reaches it could claim \
               and report outcomes. Use a loopback address, or say insecure where the network \
               itself keeps others out";
    for more in ["", "dev = true\n"] {
        check_file(
            &format!("admin = '[::]:7451'\nlisten = '0.0.0.0:7450'\n{more}"),
            &[
                &format!("s.toml:3: listen 0.0.0.0:7450 {why}"),
                &format!("s.toml:2: admin [::]:7451 {why}"),
            ],
        );
    }
    check_file("listen = '0.0.0.0:7450'\ninsecure = true", &[]);
    check_file("listen = '[::1]:7450'", &[]);
}

#[test]
fn a_server_that_others_reach_serves_on_for_a_while_before_it_drains() {
    let age = |file: &str| load(file, &[], Flags::default()).unwrap().max_connection_age.as_secs();
    assert_eq!(age("dev = true"), 0);
    assert_eq!(age("dev = true\ninsecure = true\nlisten = '0.0.0.0:1'"), 300);
    let delay = |file: &str| load(file, &[], Flags::default()).unwrap().drain_delay.as_secs();
    assert_eq!(delay("dev = true"), 0);
    assert_eq!(delay("dev = true\ninsecure = true\nlisten = '0.0.0.0:1'"), 5);
    assert_eq!(delay("dev = true\ninsecure = true\nlisten = '0.0.0.0:1'\ndrain_delay = '0s'"), 0);
}

#[test]
fn one_address_cannot_serve_two_purposes() {
    check_file(
        "admin = '127.0.0.1:7450'",
        &["s.toml:2: admin 127.0.0.1:7450 is the same as listen"],
    );
    check_file("admin = '127.0.0.1:0'\nlisten = '127.0.0.1:0'", &[]);
}

#[test]
fn limits_of_zero_are_refused() {
    check_file(
        "request_timeout = '0s'\nclaims_in_flight_max = 0\nwaiters_max = 0\nmax_watch = '0s'\n\
         policy_reload = '0s'\ndrain_grace = '0s'\ndisk_reserve = '0B'",
        &[
            "s.toml:2: request_timeout is zero",
            "s.toml:3: claims_in_flight_max is zero",
            "s.toml:4: waiters_max is zero",
            "s.toml:5: max_watch is zero",
            "s.toml:6: policy_reload is zero",
        ],
    );
}

#[test]
fn faults_of_all_sources_come_together() {
    let flags = Flags { log_format: flag("xml"), ..Flags::default() };
    let variables = [("ONCED_WAITERS_MAX", "many"), ("ONCED_ADMIN", "0.0.0.0:1")];
    check(
        "max_watch = 10\nlissten = '127.0.0.1:1'\ndev = 'yes'\nmax_watch = '1m'",
        &variables,
        flags,
        &[
            "s.toml:1: max_watch is a number, not a text in quotes",
            "s.toml:2: lissten is not a setting here",
            "s.toml:3: dev is a text, not true or false",
            "s.toml:4: is not TOML: duplicate key",
            "ONCED_WAITERS_MAX: waiters_max is \"many\", not a whole number",
            "--log-format: log_format is \"xml\"; it is \"text\" or \"json\"",
            "ONCED_ADMIN: admin 0.0.0.0:1 is not loopback, and there are no credentials yet: \
             whoever reaches it could claim and report outcomes. Use a loopback address, or say \
             insecure where the network itself keeps others out",
        ],
    );
}

#[test]
fn a_value_that_is_overridden_is_judged_too() {
    let flags = Flags { max_watch: flag("1m"), ..Flags::default() };
    check(
        "dev = true\nmax_watch = 'soon'",
        &[],
        flags,
        &["s.toml:2: max_watch is \"soon\": expected number at 0; a duration has a unit and \
           stands in quotes: \"30s\", \"45d\""],
    );
}

#[test]
fn a_named_file_must_be_there() {
    for (flag, variables) in
        [(flag("/nowhere/s.toml"), &[][..]), (None, &[("ONCED_CONFIG", "/nowhere/s.toml")][..])]
    {
        let flags = Flags { config: flag, dev: Some("true".to_owned()), ..Flags::default() };
        let faults = Config::load(Purpose::Serve, &flags, of(variables)).unwrap_err();
        assert!(faults[0].to_string().starts_with("/nowhere/s.toml: cannot be read: "));
    }
    let flags = Flags { dev: flag("true"), ..Flags::default() };
    assert!(
        Config::load(Purpose::Serve, &flags, of(&[])).is_ok(),
        "the default file may be absent"
    );
}

#[test]
fn a_misnamed_variable_is_warned_of() {
    let variables = [
        ("ONCED_DEV", "true"),
        ("ONCED_SERVER_LISTEN", "127.0.0.1:9"),
        ("ONCED_SERVER_SERVICE_HOST", "10.0.0.1"),
    ];
    let config = load("", &variables, Flags::default()).unwrap();
    assert_eq!(config.listen.port(), 7_450);
    let expected = "ONCED_SERVER_LISTEN is not read; the variable is ONCED_LISTEN";
    assert_eq!(config.warnings(), [expected]);
}

const GUIDE: &str = include_str!("../../../docs/configuration.md");

#[test]
fn the_guide_describes_every_setting_with_its_true_default_and_no_other() {
    let config = load("dev = true", &[], Flags::default()).unwrap();
    let rows = GUIDE.lines().filter_map(|line| line.strip_prefix("| `"));
    let documented: Vec<(&str, &str)> = rows
        .map(|row| {
            let columns: Vec<&str> = row.split(" | ").collect();
            let default = columns[3].split(';').next().unwrap_or_default();
            (columns[0].trim_matches('`'), default.trim_matches('`'))
        })
        .collect();
    let expected: Vec<(&str, String)> = config
        .values()
        .into_iter()
        .map(|(name, value)| match name {
            "dev" => (name, "false".to_owned()),
            _ if value.is_empty() => (name, "none".to_owned()),
            _ => (name, value.trim_matches('"').to_owned()),
        })
        .collect();
    let expected: Vec<_> = expected.iter().map(|(name, value)| (*name, &**value)).collect();
    assert_eq!(documented, expected);
}

#[test]
fn the_example_of_the_guide_is_taken() {
    let example = GUIDE.split("```").nth(1).unwrap().strip_prefix("toml\n").unwrap();
    load(example, &[], Flags::default()).unwrap();
}

#[test]
fn settings_with_faults_can_be_looked_at_with_the_faults_beside_them() {
    let flags = Flags { max_watch: flag("soon"), waiters_max: flag("7"), ..Flags::default() };
    let (config, faults) = Config::look(Purpose::Serve, &flags, of(&[])).unwrap();
    assert_eq!((config.waiters_max, config.max_watch), (7, Duration::from_secs(600)));
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[0].contains("max_watch") && faults[1].contains("policy is required"));
    assert!(Config::load(Purpose::Serve, &flags, of(&[])).is_err());
}

#[test]
fn what_the_admin_address_serves_is_named_alike_in_help_and_guide() {
    use clap::Args;
    let flags = Flags::augment_args(clap::Command::new("x"));
    let admin = flags.get_arguments().find(|flag| flag.get_id() == "admin").unwrap();
    let help = admin.get_help().unwrap().to_string();
    assert_eq!(help, "Where health, readiness and metrics are served");
    assert!(GUIDE.contains(&format!("| `admin` | w{} |", &help[1..])));
}
