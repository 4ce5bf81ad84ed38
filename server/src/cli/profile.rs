//! Profiles: what a caller would else type with every command, from a file of its own.
//!
//! Only ever gives defaults: a flag, and a variable, come first. Reads no file in the current
//! directory, so that nobody is led to another server by where they stand.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use clap::{Arg, Command};
use serde::Deserialize;

/// The profile that is taken where none is named, if it is there.
const DEFAULT: &str = "default";

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    profile: BTreeMap<String, Profile>,
}

/// One profile: a value for each option that it gives a default to.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Profile {
    endpoint: Option<String>,
    namespace: Option<String>,
    operation: Option<String>,
    holder: Option<String>,
    timeout: Option<String>,
    output: Option<String>,
}

/// Where the environment says that things are.
type Environment = fn(&str) -> Option<OsString>;

/// The program's options with the defaults of the profile that `words`, or the environment, names.
pub(super) fn applied(program: Command, words: &[OsString]) -> anyhow::Result<Command> {
    applied_from(program, words, |name| std::env::var_os(name).filter(|value| !value.is_empty()))
}

fn applied_from(
    program: Command,
    words: &[OsString],
    environment: Environment,
) -> anyhow::Result<Command> {
    let name = words.get(1).and_then(|word| word.to_str()).unwrap_or_default();
    let takes_one = program.find_subcommand(name).is_some_and(|command| has(command, "profile"));
    if !takes_one {
        return Ok(program);
    }
    let wanted = named(words).or_else(|| environment("ONCED_PROFILE"));
    let Some(profile) = chosen(wanted.as_deref(), path(environment).as_deref())? else {
        return Ok(program);
    };
    Ok(program.mut_subcommand(name, |command| profile.give_defaults(command)))
}

/// The profile that the command line names, before it is parsed.
fn named(words: &[OsString]) -> Option<OsString> {
    let mut words = words.iter().take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        if word == "--profile" {
            return words.next().cloned();
        }
        if let Some(name) = word.to_str().and_then(|word| word.strip_prefix("--profile=")) {
            return Some(name.into());
        }
    }
    None
}

fn path(environment: Environment) -> Option<PathBuf> {
    if let Some(file) = environment("ONCED_PROFILES") {
        return Some(file.into());
    }
    let home = || environment("HOME").map(|home| Path::new(&home).join(".config"));
    let folder = environment("XDG_CONFIG_HOME").map(PathBuf::from).or_else(home);
    Some(folder?.join("onced/onced.toml"))
}

/// The profile; none if none was named and there is none to be taken by default.
fn chosen(wanted: Option<&OsStr>, path: Option<&Path>) -> anyhow::Result<Option<Profile>> {
    let text = match path.map(|path| (path, std::fs::read_to_string(path))) {
        Some((_, Ok(text))) => text,
        Some((path, Err(fault))) if wanted.is_some() => {
            return Err(fault).with_context(|| format!("profiles {}", path.display()));
        }
        None if wanted.is_some() => bail!("--profile: no file; name it by ONCED_PROFILES"),
        // Nobody asked for one.
        Some(_) | None => return Ok(None),
    };
    let told = || path.map(|path| format!("profiles {}", path.display())).unwrap_or_default();
    let File { mut profile } = toml::from_str(&text).with_context(told)?;
    let name = wanted.map_or(DEFAULT.into(), OsStr::to_string_lossy);
    let found = profile.remove(name.as_ref());
    if found.is_none() && wanted.is_some() {
        let names: Vec<_> = profile.into_keys().collect();
        bail!("{}: no profile {name}; there are: {}", told(), names.join(", "));
    }
    Ok(found)
}

impl Profile {
    fn give_defaults(self, command: Command) -> Command {
        let values = [
            ("endpoint", self.endpoint),
            ("namespace", self.namespace),
            ("operation", self.operation),
            ("holder", self.holder),
            ("timeout", self.timeout),
            ("output", self.output),
        ];
        values.into_iter().fold(command, |command, (option, value)| match value {
            Some(value) if has(&command, option) => {
                command.mut_arg(option, |option| default(option, value))
            }
            _ => command,
        })
    }
}

/// What clap keeps as long as the program runs, it wants for as long.
fn default(option: Arg, value: String) -> Arg {
    option.required(false).default_value(&*value.leak())
}

fn has(command: &Command, option: &str) -> bool {
    command.get_arguments().any(|argument| argument.get_id() == option)
}

#[cfg(test)]
mod tests;
