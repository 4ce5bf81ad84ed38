//! What the report says, and that it and the guide are in step with the file's reader.

use std::collections::BTreeSet;

use super::*;
use crate::policy::Mode;

const GUIDE: &str = include_str!("../../../../docs/policies.md");

fn set(settings: &str) -> PolicySet {
    let text = format!("[namespaces.payments.operations.charge]\n{settings}");
    PolicySet::parse(&text, "p.toml", Mode::Serve).unwrap()
}

fn charge(set: &PolicySet) -> Policy {
    Policy::clone(&set.policy("payments", "charge").unwrap())
}

/// The first code block after a line.
fn block_after<'a>(text: &'a str, line: &str) -> &'a str {
    let (_, rest) = text.split_once(line).unwrap();
    rest.split("```").nth(1).unwrap().strip_prefix("toml\n").unwrap()
}

/// The names in the first column of the guide's tables.
fn documented() -> BTreeSet<&'static str> {
    let rows = GUIDE.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split_once("` |")).map(|(name, _)| name).collect()
}

#[test]
fn the_report_names_every_value_in_the_form_that_the_file_takes() {
    for settings_given in [
        "effect_class = 'external'",
        "effect_class = 'keyed'\nprovider_window = '7d'\nprovider_key = 'uuid'\nlease = '25s'\n\
         in_progress_strategy = 'wait'\nwindows = { 'dead.letter' = '14d', retries = '3d' }",
    ] {
        let policy = charge(&set(settings_given));
        let told: Vec<String> =
            settings(&policy).iter().map(|(name, value)| format!("{name} = {value}")).collect();
        assert_eq!(charge(&set(&told.join("\n"))), policy);
    }
}

#[test]
fn the_guide_describes_every_setting_and_no_other() {
    let policy = Policy { provider_window: Some(Duration::ZERO), ..charge(&set(EXTERNAL)) };
    let settings: BTreeSet<_> = settings(&policy).into_iter().map(|(name, _)| name).collect();
    assert_eq!(documented(), settings);
}

#[test]
fn the_guide_shows_the_true_defaults() {
    let example = block_after(GUIDE, "## Every setting");
    let example = PolicySet::parse(example, "docs/policies.md", Mode::Serve).unwrap();
    let given = set("effect_class = 'keyed'\nprovider_window = '24h'");
    assert_eq!(charge(&example), charge(&given));
}

const EXTERNAL: &str = "effect_class = 'external'\nwindows = { dispute = '40d' }\n";

#[test]
fn what_a_person_should_know_is_noted() {
    #[track_caller]
    fn check(settings: &str, expected: &[&str]) {
        let set = set(settings);
        let notes = notes(&set);
        assert_eq!(notes.len(), expected.len(), "{notes:?}");
        for (note, start) in notes.iter().zip(expected) {
            assert!(note.starts_with(&format!("payments/charge: {start}")), "{note}");
            let (_, note) = note.split_once(": ").unwrap();
            assert!(report(&set).contains(&format!("\n  note: {note}\n")), "{note}");
        }
    }
    check(EXTERNAL, &[]);
    check(&format!("{EXTERNAL}reconcile = false"), &["external without reconcile: "]);
    check(&format!("{EXTERNAL}provider_window = '1d'"), &["provider_window 1d is used by keyed"]);
    check("effect_class = 'external'", &["no windows declared"]);
}

#[test]
fn the_report_tells_the_disk_that_retention_means() {
    let report = report(&set(&format!(
        "{EXTERNAL}retention = '40d'\nresult_retention = '1d'\nresult_bytes_max = 2048"
    )));
    let line = |start: &str| report.lines().find(|line| line.trim().starts_with(start)).unwrap();
    assert_eq!(
        line("bytes per intent").split_whitespace().collect::<Vec<_>>().join(" "),
        "bytes per intent 1.0 KiB for 40d, and the result, 2.0 KiB at most, for 1d"
    );
    // 40 x 86 400 records of 1 KiB are 3.29 GiB; a day of results, 84 MiB, or twice that.
    assert_eq!(
        line("remembered at once").split_whitespace().collect::<Vec<_>>().join(" "),
        "remembered at once 3456000 intents: 3.3 GiB, without results 3.2 GiB, with the largest \
         3.4 GiB"
    );
    assert!(report.contains("1 intent a second"));
}
