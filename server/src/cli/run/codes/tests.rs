use std::os::unix::process::ExitStatusExt;

use super::*;

fn codes(exit_code: bool) -> Codes {
    Codes { succeeded: vec![0, 2], failed: vec![3, 4], not_applied: vec![75], exit_code }
}

#[track_caller]
fn check(raw: i32, expected: Fate) {
    assert_eq!(codes(false).fate(ExitStatus::from_raw(raw)), expected);
}

#[test]
fn a_code_means_what_it_was_said_to_mean_and_everything_else_is_unknown() {
    check(0, Fate::Succeeded(0));
    check(2 << 8, Fate::Succeeded(2));
    check(4 << 8, Fate::Failed(4));
    check(75 << 8, Fate::NotApplied(75));
    check(1 << 8, Fate::Unknown);
    check(255 << 8, Fate::Unknown);
    check(9, Fate::Unknown);
    check(15, Fate::Unknown);
}

#[test]
fn a_code_that_means_two_things_is_refused() {
    codes(false).judge().expect("three lists apart");
    let twice = Codes { failed: vec![3, 75], ..codes(false) };
    assert!(twice.judge().unwrap_err().to_string().contains("75 is named twice"));
}

#[test]
fn a_code_that_is_handed_on_is_never_one_of_onced_itself() {
    codes(true).judge().expect("none of onced's own");
    for own in [11, 12, 13, 14, 16, 17, 64, 69, 70] {
        let clashing = Codes { not_applied: vec![own], ..codes(true) };
        clashing.judge().unwrap_err();
        Codes { exit_code: false, ..clashing }.judge().expect("no code is handed on");
    }
}
