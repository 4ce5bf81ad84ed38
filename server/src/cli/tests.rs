use clap::CommandFactory;

use super::*;

const INTENT: &str = "--namespace n --operation o --key k";

#[track_caller]
fn check(words: &str, is_accepted: bool) {
    let words = format!("onced {}", words.replace("INTENT", INTENT));
    let parsed = Cli::try_parse_from(words.split_whitespace());
    assert_eq!(parsed.is_ok(), is_accepted, "{words}: {:?}", parsed.err().map(|e| e.to_string()));
}

#[test]
fn the_commands_are_well_formed() {
    Cli::command().debug_assert();
}

#[test]
fn every_help_fits_a_screen_and_shows_an_example() {
    for command in Cli::command().get_subcommands() {
        let name = command.get_name();
        if command.has_subcommands() {
            continue;
        }
        let help = Cli::try_parse_from(["onced", name, "--help"]).unwrap_err().to_string();
        assert!(help.lines().count() <= 50, "{name} has {} lines", help.lines().count());
        let widest = help.lines().max_by_key(|line| line.chars().count()).unwrap();
        assert!(widest.chars().count() <= 110, "{name}: {widest}");
        assert!(help.contains("Example: onced "), "{name} has no example");
    }
}

#[test]
fn a_claim_needs_an_intent_and_exactly_one_payload() {
    check("claim INTENT --json {}", true);
    check("claim INTENT --hash sha256:ab --wait 5s --lease 30s", true);
    check("claim INTENT --json {} --wait", true);
    check("claim INTENT", false);
    check("claim --json {}", false);
    check("claim INTENT --json {} --hash sha256:ab", false);
    check("claim INTENT --json {} --wait --reject", false);
    check("claim INTENT --json {} --claimant job-7", false);
}

#[test]
fn a_completion_says_exactly_one_outcome_with_what_belongs_to_it() {
    check("complete INTENT --token 1 --succeeded", true);
    check("complete INTENT --token 1 --succeeded --text ok --content-type text/plain", true);
    check("complete INTENT --token 1 --succeeded --omitted --amount=-1EUR", false);
    check("complete INTENT --token 1 --failed declined --message no --json {}", true);
    check("complete INTENT --token 1 --unknown --message late", true);
    for words in [
        "--succeeded",
        "--token 1",
        "--token 0 --succeeded",
        "--token 1 --succeeded --unknown",
        "--token 1 --succeeded --failed x",
        "--token 1 --succeeded --text a --omitted",
        "--token 1 --succeeded --text a --result-file f",
        "--token 1 --succeeded --content-type text/plain",
        "--token 1 --succeeded --omitted --content-type text/plain",
        "--token 1 --succeeded --message m",
        "--token 1 --failed x --text a",
        "--token 1 --unknown --amount=1",
        "--token 1 --failed x --result-file f",
        "--token 1 --failed x --omitted",
        "--token 1 --unknown --provider-reference r",
    ] {
        check(&format!("complete INTENT {words}"), false);
    }
}

#[test]
fn a_release_goes_by_token_with_a_reason_or_by_claimant() {
    let claimant = "5f0c1e8a-1111-4222-8333-444455556666";
    check("release INTENT --token 1 --reason not-started", true);
    check(&format!("release INTENT --by-claimant {claimant}"), true);
    check("release INTENT --token 1", false);
    check("release INTENT --reason not-started", false);
    check("release INTENT --token 1 --reason done", false);
    check(&format!("release INTENT --by-claimant {claimant} --reason rolled-back"), false);
    check(&format!("release INTENT --by-claimant {claimant} --token 1"), false);
}

#[test]
fn evidence_needs_the_etag_that_was_judged_and_the_time() {
    let base = "reclaim INTENT --json {} --reason why";
    let observed = "--observed 2026-01-31T12:00:00Z";
    check(base, true);
    check(&format!("{base} --etag e --evidence applied {observed} --reference r"), true);
    check(&format!("{base} --evidence not-applied {observed}"), false);
    check(&format!("{base} --etag e --evidence not-applied"), false);
    check(&format!("{base} --etag e {observed}"), false);
    check("reclaim INTENT --json {}", false);
}

#[test]
fn a_wrong_command_line_ends_with_usage_and_help_does_not() {
    let run = |words: &str| main(words.split(' ').map(OsString::from));
    assert_eq!(run("onced claim --nonsense"), Exit::Usage);
    assert_eq!(run("onced"), Exit::Usage);
    assert_eq!(run("onced --version"), Exit::Done);
    assert_eq!(run("onced claim --help"), Exit::Done);
}

#[test]
fn an_endpoint_that_cannot_be_spoken_to_is_a_wrong_command_line() {
    check("get INTENT --endpoint http://127.0.0.1:7450", true);
    check("get INTENT --endpoint https://127.0.0.1:7450", false);
    check("get INTENT --endpoint 127.0.0.1:7450", false);
}
