use clap::{CommandFactory, error::ErrorKind};

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

/// The words that name each command, with those below others, and the help of each.
fn helps() -> Vec<(String, String)> {
    fn of(command: &clap::Command, path: &str, found: &mut Vec<(String, String)>) {
        let words = format!("{path} --help");
        let help = Cli::try_parse_from(words.split(' ')).unwrap_err().to_string();
        found.push((path.to_owned(), help));
        for below in command.get_subcommands() {
            of(below, &format!("{path} {}", below.get_name()), found);
        }
    }
    let mut found = Vec::new();
    of(&Cli::command(), "onced", &mut found);
    assert!(found.iter().any(|(path, _)| path == "onced config show"), "{found:?}");
    found
}

#[test]
fn every_help_fits_a_screen_and_shows_an_example() {
    for (name, help) in helps() {
        assert!(help.lines().count() <= 50, "{name} has {} lines", help.lines().count());
        let widest = help.lines().max_by_key(|line| line.chars().count()).unwrap();
        assert!(widest.chars().count() <= 80, "{name}: {widest}");
        let is_example = |line: &str| line.starts_with("Example: ") && line.contains("onced ");
        assert!(help.lines().any(is_example), "{name} has no example");
    }
}

/// The words of each command in the examples of a help, as a shell parts them.
fn examples(help: &str) -> Vec<Vec<String>> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Example: "));
    let lines = lines.take_while(|line| line.starts_with("Example: ") || line.starts_with("     "));
    let script = lines.fold(String::new(), |script, line| {
        script + line.trim_start_matches("Example: ").trim_start() + "\n"
    });
    let told = "onced() { printf '%s\\0' onced \"$@\"; printf '\\n\\n'; }; man() { cat; }";
    let mut shell = std::process::Command::new("sh");
    let ran = shell.arg("-c").arg(format!("{told}\n{}", script.replace('>', "#"))).output();
    let told = String::from_utf8(ran.unwrap().stdout).unwrap();
    let words = |line: &str| line.trim_end_matches('\0').split('\0').map(str::to_owned).collect();
    told.split_terminator("\n\n").map(words).collect()
}

#[test]
fn every_example_is_a_command_that_is_understood() {
    for (name, help) in helps() {
        let examples = examples(&help);
        assert!(!examples.is_empty(), "{name}");
        for words in examples {
            // What an example leaves to the environment is not there in a test.
            let parsed = Cli::try_parse_from(&words).map_err(|told| (told.kind(), told));
            let is_understood = matches!(&parsed, Ok(_) | Err((ErrorKind::DisplayHelp, _)));
            assert!(is_understood, "{words:?}: {}", parsed.unwrap_err().1);
        }
    }
}

#[test]
fn the_help_says_why_a_payload_is_given_where_none_is_needed() {
    for (command, why) in [("complete", "the outcome is kept"), ("get", "the result is shown")] {
        let help = Cli::try_parse_from(["onced", command, "--help"]).unwrap_err().to_string();
        assert!(help.contains("Why a payload: ") && help.contains(why), "{help}");
        assert!(help.contains("others are compared as opaque"), "{help}");
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

/// The script of the documentation, with commands in place of the real ones that end with the
/// codes in `$CLAIM`, `$CHARGE` and `$COMPLETE`.
#[track_caller]
fn check_script(codes: [u8; 3], expected: i32) {
    let page = include_str!("../../../docs/cli.md");
    let script = page.split_once("```sh\n").and_then(|(_, rest)| rest.split_once("```")).unwrap().0;
    let commands = "onced() { case $1 in claim) return $CLAIM;; *) return $COMPLETE;; esac; }
        jq() { cat > /dev/null; }; charge() { return $CHARGE; }\n";
    let script = format!("{commands}{}", script.replace("> answer.json", ""));
    let names = ["CLAIM", "CHARGE", "COMPLETE"];
    let mut shell = std::process::Command::new("sh");
    shell.arg("-c").arg(script).envs(names.into_iter().zip(codes.map(|code| code.to_string())));
    assert_eq!(shell.status().unwrap().code(), Some(expected), "{codes:?}");
}

#[test]
fn the_documented_script_ends_as_its_effect_did() {
    check_script([0, 0, 0], 0);
    check_script([0, 4, 0], 1);
    check_script([0, 9, 0], 2);
    for charge in [0, 4, 9] {
        check_script([0, charge, 69], 2);
    }
    for (claim, expected) in [(10, 0), (14, 1), (11, 75), (69, 75), (12, 2), (13, 2), (64, 2)] {
        check_script([claim, 0, 0], expected);
    }
}

#[test]
fn whoever_follows_readme_script_and_help_never_uses_a_key_twice() {
    let helps = Cli::command()
        .get_subcommands_mut()
        .map(|command| command.render_long_help().to_string())
        .collect::<String>();
    let texts = [include_str!("../../../README.md"), include_str!("../../../docs/cli.md"), &helps];
    for (at, key) in ["order-42", "order-44", "order-43"].into_iter().enumerate() {
        let users: Vec<_> = (0..3).filter(|text| texts[*text].contains(key)).collect();
        assert_eq!(users, [at], "{key}");
    }
}
