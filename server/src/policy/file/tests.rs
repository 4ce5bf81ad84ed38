//! What the policy file takes and what it refuses, with line and numbers.

use super::*;

const DAY: u64 = 86_400;

/// Settings of one operation (the first on line 2), and all its faults.
#[track_caller]
fn check(settings: &str, expected: &[&str]) {
    check_in(Mode::Serve, settings, expected);
}

#[track_caller]
fn check_in(mode: Mode, settings: &str, expected: &[&str]) {
    check_file(mode, &format!("[namespaces.payments.operations.charge]\n{settings}"), expected);
}

#[track_caller]
fn check_file(mode: Mode, text: &str, expected: &[&str]) {
    let faults = PolicySet::parse(text, "p.toml", mode).err().unwrap_or_default();
    let told: Vec<String> = faults.iter().map(Fault::to_string).collect();
    assert_eq!(told, expected, "faults of:\n{text}");
}

fn charge(settings: &str) -> Policy {
    let text = format!("[namespaces.payments.operations.charge]\n{settings}");
    let set = PolicySet::parse(&text, "p.toml", Mode::Serve).unwrap();
    Policy::clone(&set.policy("payments", "charge").unwrap())
}

const KEYED: &str = "effect_class = \"keyed\"\nprovider_window = \"24h\"\n";

#[test]
fn only_the_effect_class_is_required_and_everything_else_has_its_default() {
    for class in CLASSES {
        if class != EffectClass::Keyed {
            let policy = charge(&format!("effect_class = \"{}\"", class_name(class)));
            assert_eq!(policy, Policy::of_class(class));
        }
    }
    check("", &["p.toml:1: payments/charge: effect_class is required"]);
}

#[test]
fn every_setting_is_read() {
    let policy = charge(
        "effect_class = 'keyed'\nprovider_window = '12h'\nprovider_key = 'uuid'\nlease = '10s'\n\
         max_lease = '1m'\nmax_hold = '2h 30m'\neffect_timeout = '5s'\nmax_attempts = 7\n\
         retention = '60d'\nresult_retention = '1d'\nresult_bytes_max = 1_000\n\
         in_progress_strategy = 'wait'\nmax_wait = '3s'\nreclaim_on_expiry = true\n\
         reconcile = true\nreconcile_after = '1d'\nevidence_delay = '40s'\n\
         release_on_absence = true\nnothing_sent_before_memory = true\n\
         windows = { retries = '3d', dispute = '60d' }",
    );
    let seconds = Duration::from_secs;
    let expected = Policy {
        effect_class: EffectClass::Keyed,
        provider_window: Some(seconds(DAY / 2)),
        provider_key: ProviderKeyForm::Uuid,
        lease: seconds(10),
        max_lease: seconds(60),
        max_hold: seconds(9_000),
        effect_timeout: seconds(5),
        max_attempts: 7,
        retention: seconds(60 * DAY),
        result_retention: seconds(DAY),
        result_bytes_max: 1_000,
        in_progress_strategy: Strategy::Wait,
        max_wait: seconds(3),
        reclaim_on_expiry: true,
        reconcile: true,
        reconcile_after: seconds(DAY),
        evidence_delay: seconds(40),
        release_on_absence: true,
        nothing_sent_before_memory: true,
        windows: BTreeMap::from([
            ("dispute".to_owned(), seconds(60 * DAY)),
            ("retries".to_owned(), seconds(3 * DAY)),
        ]),
    };
    assert_eq!(policy, expected);
}

#[test]
fn results_follow_a_shorter_retention_without_being_asked() {
    let policy = charge(&format!("{KEYED}retention = '20d'"));
    assert_eq!(policy.result_retention, Duration::from_secs(20 * DAY));
}

#[test]
fn retention_below_a_declared_window_is_refused_with_the_numbers() {
    check(
        "effect_class = 'external'\nretention = '30d'\n\
         windows = { dispute = '40d', retries = '3d', dead_letter = '31d' }",
        &[
            "p.toml:3: payments/charge: retention 30d is below the window dead_letter 31d: \
             a duplicate could come after its intent is forgotten",
            "p.toml:3: payments/charge: retention 30d is below the window dispute 40d: a \
             duplicate could come after its intent is forgotten",
        ],
    );
    check(&format!("{KEYED}windows = {{ dispute = '45d' }}"), &[]);
}

#[test]
fn a_window_beyond_the_default_retention_points_to_the_operation() {
    check(
        "effect_class = 'external'\nwindows = { dispute = '46d' }",
        &["p.toml:1: payments/charge: retention 45d is below the window dispute 46d: a duplicate \
           could come after its intent is forgotten"],
    );
}

#[test]
fn the_settings_of_a_lease_must_fit_into_each_other() {
    check(
        &format!("{KEYED}effect_timeout = '31s'\nlease = '30s'\nevidence_delay = '31s'"),
        &["p.toml:4: payments/charge: effect_timeout 31s is above lease 30s"],
    );
    check(
        &format!("{KEYED}lease = '10m'"),
        &["p.toml:4: payments/charge: lease 10m is above max_lease 5m"],
    );
    check(
        &format!("{KEYED}max_lease = '2h'"),
        &["p.toml:4: payments/charge: max_lease 2h is above max_hold 1h"],
    );
    check(
        &format!("{KEYED}evidence_delay = '19s'"),
        &["p.toml:1: payments/charge: effect_timeout 20s is above evidence_delay 19s"],
    );
    check(
        &format!("{KEYED}lease = '1s'\neffect_timeout = '1s'"),
        &["p.toml:4: payments/charge: lease 1s is under 2s"],
    );
    check(
        &format!("{KEYED}effect_timeout = '0s'"),
        &["p.toml:4: payments/charge: effect_timeout is zero: no effect could run"],
    );
    check(&format!("{KEYED}lease = '2s'\neffect_timeout = '2s'"), &[]);
}

#[test]
fn retention_must_outlive_the_longest_lease_in_development_too() {
    let settings = |retention: &str| {
        format!("{KEYED}max_lease = '50m'\nretention = '{retention}'\nresult_retention = '1m'")
    };
    let expected = "p.toml:5: payments/charge: retention 51m 2s is not above max_lease 50m by more \
                    than a minute and the clock margin of 2s";
    check_in(Mode::Dev, &settings("51m 2s"), &[expected]);
    check_in(Mode::Dev, &settings("51m 3s"), &[]);
    check(
        &settings("51m 2s"),
        &[expected, "p.toml:5: payments/charge: retention 51m 2s is under 1h"],
    );
}

#[test]
fn retention_under_an_hour_is_refused_outside_development() {
    let settings = format!("{KEYED}retention = '59m'");
    check(&settings, &["p.toml:4: payments/charge: retention 59m is under 1h"]);
    check_in(Mode::Dev, &settings, &[]);
}

#[test]
fn results_cannot_outlive_their_intent() {
    check(
        &format!("{KEYED}retention = '2h'\nresult_retention = '3h'"),
        &["p.toml:5: payments/charge: result_retention 3h is above retention 2h"],
    );
}

#[test]
fn only_classes_that_deduplicate_may_reclaim_on_expiry() {
    for class in ["accumulative", "external"] {
        let expected = format!(
            "p.toml:3: payments/charge: reclaim_on_expiry is not allowed with {class}: nothing \
             deduplicates a second effect"
        );
        check(&format!("effect_class = '{class}'\nreclaim_on_expiry = true"), &[&expected]);
    }
    check(&format!("{KEYED}reclaim_on_expiry = true"), &[]);
    check("effect_class = 'naturally_idempotent'\nreclaim_on_expiry = true", &[]);
}

#[test]
fn keyed_needs_a_window_that_holds_all_attempts() {
    check(
        "effect_class = 'keyed'",
        &["p.toml:2: payments/charge: keyed needs provider_window: how long the provider \
           remembers our key"],
    );
    check(
        "effect_class = 'keyed'\nprovider_window = '149s'",
        &["p.toml:3: payments/charge: lease 30s x max_attempts 5 = 2m 30s is beyond \
           provider_window 2m 29s"],
    );
    check("effect_class = 'keyed'\nprovider_window = '150s'", &[]);
}

#[test]
fn counts_and_sizes_have_limits() {
    check(
        "effect_class = 'external'\nmax_attempts = 0\nresult_bytes_max = 1048577",
        &[
            "p.toml:3: payments/charge: max_attempts 0 is not between 1 and 1000",
            "p.toml:4: payments/charge: result_bytes_max 1048577 is above 1048576, 1 MiB",
        ],
    );
    check(
        "effect_class = 'external'\nmax_attempts = 1001",
        &["p.toml:3: payments/charge: max_attempts 1001 is not between 1 and 1000"],
    );
    check("effect_class = 'external'\nmax_attempts = 1000\nresult_bytes_max = 0x10_0000", &[]);
}

#[test]
fn values_of_another_kind_are_refused() {
    let form = r#"a duration has a unit and stands in quotes: "30s", "45d""#;
    check(
        &format!(
            "{KEYED}lease = 30\nmax_lease = '5 minuts'\nreconcile = 'yes'\nmax_attempts = -1\n\
             provider_key = 'ulid'\nin_progress_strategy = 'reject'\nwindows = '3d'\n\
             retention = '200years'"
        ),
        &[
            &format!("p.toml:4: payments/charge: lease is a number; {form}"),
            &format!(
                "p.toml:5: payments/charge: max_lease is \"5 minuts\": unknown time unit \
                 \"minuts\", supported units: ns, us/µs, ms, sec, min, hours, days, weeks, months, \
                 years (and few variations); {form}"
            ),
            "p.toml:6: payments/charge: reconcile is a text, not true or false",
            "p.toml:7: payments/charge: max_attempts is -1, not between 0 and 4294967295",
            "p.toml:8: payments/charge: provider_key is \"ulid\"; it is \"text\" or \"uuid\"",
            "p.toml:9: payments/charge: in_progress_strategy is \"reject\", which only a call can \
             ask for",
            "p.toml:10: payments/charge: windows is a text, not a table",
            "p.toml:11: payments/charge: retention is 200years, longer than 136 years",
        ],
    );
    check(
        "effect_class = 'idempotent'",
        &["p.toml:2: payments/charge: effect_class is \"idempotent\"; it is one of \
           naturally_idempotent, keyed, accumulative, external"],
    );
}

#[test]
fn unknown_names_are_refused_at_every_level() {
    check_file(
        Mode::Serve,
        "version = 1\n[namespaces.payments]\nowner = 'us'\n\
         [namespaces.payments.operations.charge]\neffect_class = 'external'\nretension = '9d'\n",
        &[
            "p.toml:1: version is not a setting here",
            "p.toml:3: payments: owner is not a setting here",
            "p.toml:6: payments/charge: retension is not a setting here",
        ],
    );
}

#[test]
fn names_that_no_caller_could_use_are_refused() {
    check_file(
        Mode::Serve,
        "[namespaces._onced.operations.sweep]\neffect_class = 'external'\n\
         [namespaces.Payments.operations.'pay out']\neffect_class = 'external'\n\
         windows = { 'to late' = '1d' }",
        &[
            "p.toml:1: namespace \"_onced\" is reserved for the server's own claims",
            "p.toml:3: Payments: operation \"pay out\" holds ' '; only a-z, 0-9, '.', '_' and '-' \
             are allowed",
            "p.toml:3: namespace \"Payments\" holds 'P'; only a-z, 0-9, '.', '_' and '-' are \
             allowed",
            "p.toml:5: Payments/pay out: windows.to late holds ' '; only a-z, 0-9, '.', '_' and \
             '-' are allowed",
        ],
    );
}

#[test]
fn faults_of_several_operations_come_together_in_the_order_of_their_lines() {
    check_file(
        Mode::Serve,
        "[namespaces.z.operations.first]\nlease = '1h'\n\n\
         [namespaces.a.operations.second]\neffect_class = 'keyed'\nlease = 'soon'\n",
        &[
            "p.toml:1: z/first: effect_class is required",
            "p.toml:2: z/first: lease 1h is above max_lease 5m",
            "p.toml:5: a/second: keyed needs provider_window: how long the provider remembers our \
             key",
            "p.toml:6: a/second: lease is \"soon\": expected number at 0; a duration has a unit \
             and stands in quotes: \"30s\", \"45d\"",
        ],
    );
}

#[test]
fn a_setting_that_cannot_be_read_raises_no_faults_in_others() {
    check(
        "effect_class = 'keyed'\nprovider_window = 'long'",
        &["p.toml:3: payments/charge: provider_window is \"long\": expected number at 0; a \
           duration has a unit and stands in quotes: \"30s\", \"45d\""],
    );
}

#[test]
fn broken_syntax_is_told_with_every_line_of_it() {
    check(
        "effect_class = 'external'\nlease = \nlease = '1h'\nretension = '9d'",
        &[
            "p.toml:3: is not TOML: string values must be quoted, expected literal string",
            "p.toml:4: is not TOML: duplicate key",
        ],
    );
}

#[test]
fn a_file_that_is_no_toml_is_judged_no_further() {
    check_file(
        Mode::Serve,
        "[namespaces.payments.operations.charge\neffect_class = 'external'\nretension = '9d'",
        &["p.toml:1: is not TOML: unclosed table, expected `]`"],
    );
}

#[test]
fn a_file_without_operations_is_refused_outside_development() {
    for empty in ["", "# later\n", "[namespaces.payments.operations]\n"] {
        check_file(
            Mode::Serve,
            empty,
            &["p.toml:1: declares no operation: every call would be refused"],
        );
        check_file(Mode::Dev, empty, &[]);
    }
}

#[test]
fn operations_are_listed_by_namespace_and_name() {
    let text = "[namespaces.b.operations]\nz = { effect_class = 'external' }\n\
                a = { effect_class = 'external' }\n[namespaces.a.operations]\n\
                q = { effect_class = 'external' }\n";
    let set = PolicySet::parse(text, "p.toml", Mode::Serve).unwrap();
    let names: Vec<_> = set.iter().map(|(namespace, name, _)| (namespace, name)).collect();
    assert_eq!(names, [("a", "q"), ("b", "a"), ("b", "z")]);
    assert!(set.policy("a", "z").is_none());
}

#[test]
fn the_digest_names_the_text() {
    let digest = |text: &str| PolicySet::parse(text, "p", Mode::Dev).unwrap().digest().to_owned();
    assert_eq!(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_ne!(digest(""), digest("\n"));
}

#[test]
fn in_development_the_file_wins_and_any_other_valid_name_is_keyed() {
    let text = "[namespaces.payments.operations.charge]\neffect_class = 'external'";
    let set = PolicySet::dev(PolicySet::parse(text, "p.toml", Mode::Dev).ok());
    let class = |namespace, name| set.policy(namespace, name).map(|policy| policy.effect_class);
    assert_eq!(class("payments", "charge"), Some(EffectClass::External));
    assert_eq!(class("payments", "refund"), Some(EffectClass::Keyed));
    assert_eq!(class("_onced", "sweep"), None);
    assert_eq!(class("payments", "Refund"), None);
    let default = PolicySet::dev(None).policy("any", "name").unwrap();
    assert_eq!(default.provider_window, Some(Duration::from_secs(DAY)));
    assert!(judge::findings(&default, &Mode::Serve.into()).is_empty());
}
