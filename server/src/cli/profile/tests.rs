use clap::CommandFactory;

use super::*;
use crate::cli::Cli;

const FILE: &str = r#"
[profile.default]
namespace = "ops"
[profile.staging]
endpoint = "http://10.0.0.7:7450"
namespace = "shop"
operation = "charge"
timeout = "3s"
"#;

fn file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}

/// The value of an option of `get` under a profile.
fn value(profile: &Profile, words: &str, option: &str) -> Option<String> {
    let program =
        Cli::command().mut_subcommand("get", |command| profile.clone().give_defaults(command));
    let found = program.try_get_matches_from(words.split(' ')).map_err(|e| e.to_string());
    let found = found.unwrap();
    let found = found.subcommand().unwrap().1;
    found.get_raw(option)?.next().map(|value| value.to_string_lossy().into_owned())
}

fn chosen_of(wanted: Option<&str>, text: &str) -> anyhow::Result<Option<Profile>> {
    chosen(wanted.map(OsStr::new), Some(file(text).path()))
}

#[test]
fn a_profile_gives_what_was_not_typed() {
    let profile = chosen_of(Some("staging"), FILE).unwrap().unwrap();
    let typed = "onced get --key k --operation refund";
    assert_eq!(value(&profile, typed, "endpoint").as_deref(), Some("http://10.0.0.7:7450"));
    assert_eq!(value(&profile, typed, "namespace").as_deref(), Some("shop"));
    assert_eq!(value(&profile, typed, "operation").as_deref(), Some("refund"));
}

#[test]
fn the_default_profile_is_taken_where_none_is_named_and_only_if_it_is_there() {
    let profile = chosen_of(None, FILE).unwrap().unwrap();
    assert_eq!(profile.namespace.as_deref(), Some("ops"));
    assert!(chosen_of(None, "[profile.other]\n").unwrap().is_none());
    assert!(chosen(None, Some(Path::new("/nowhere/onced.toml"))).unwrap().is_none());
    assert!(chosen(None, None).unwrap().is_none());
}

#[test]
fn a_profile_that_was_named_and_is_not_there_is_refused() {
    let told = chosen_of(Some("prod"), FILE).unwrap_err().to_string();
    assert!(told.contains("no profile prod; there are: default, staging"), "{told}");
    chosen(Some(OsStr::new("prod")), Some(Path::new("/nowhere/onced.toml"))).unwrap_err();
    chosen(Some(OsStr::new("prod")), None).unwrap_err();
}

#[test]
fn a_file_that_is_not_understood_is_refused() {
    for text in ["[profile.default]\naddress = \"x\"", "[profiles.default]", "profile = 7", "["] {
        assert!(chosen_of(None, text).is_err(), "{text}");
    }
}

#[test]
fn the_name_is_found_before_the_rest_is_parsed_and_never_behind_the_dashes() {
    let named = |words: &str| {
        let words: Vec<OsString> = words.split(' ').map(Into::into).collect();
        named(&words).map(|name| name.into_string().unwrap())
    };
    assert_eq!(named("onced get --key k --profile a").as_deref(), Some("a"));
    assert_eq!(named("onced get --profile=b --key k").as_deref(), Some("b"));
    assert_eq!(named("onced run --key k -- tool --profile c"), None);
}
