//! Where the value of a setting comes from: default < file < variable < flag.
//!
//! Does not know which settings there are.

use std::{collections::BTreeMap, fmt, fs, io::ErrorKind, ops::Range};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    FILE,
    value::{Kind, Value},
    variable,
};
use crate::{
    document::{self, Faults, Table},
    fault::Fault,
};

/// Where an effective value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nobody set it.
    Default,
    /// A line of the settings file.
    File {
        /// As it was named.
        path: String,
        /// From 1.
        line: usize,
    },
    /// This variable.
    Variable(String),
    /// This flag.
    Flag(String),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{path}:{line}"),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A settings file.
pub(super) struct File {
    path: String,
    text: String,
}

/// The file that the flag or `ONCED_CONFIG` names, which must be there; else the one in the working
/// directory, if there is one.
pub(super) fn file(
    flag: Option<&str>,
    env: &impl Fn(&str) -> Option<String>,
) -> Result<Option<File>, Vec<Fault>> {
    let named = flag.map(str::to_owned).or_else(|| env("ONCED_CONFIG"));
    let path = named.clone().unwrap_or_else(|| FILE.to_owned());
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(File { path, text })),
        Err(error) if error.kind() == ErrorKind::NotFound && named.is_none() => Ok(None),
        Err(error) => Err(vec![Fault::new(path, format!("cannot be read: {error}"))]),
    }
}

impl File {
    /// Stands for a file that is not there.
    pub(super) fn absent() -> Self {
        Self { path: FILE.to_owned(), text: String::new() }
    }

    pub(super) fn faults(&self) -> Faults<'_> {
        Faults::of(&self.path, &self.text)
    }
}

/// All sources, asked for one setting after the other.
pub(super) struct Sources<'d, 't, 'e> {
    path: &'t str,
    table: Table<'d, 't>,
    in_file: Faults<'t>,
    env: &'e dyn Fn(&str) -> Option<String>,
    elsewhere: Vec<Fault>,
    told: BTreeMap<&'static str, Source>,
    unread: Vec<&'static str>,
}

impl<'d, 't, 'e> Sources<'d, 't, 'e> {
    pub(super) fn new(
        file: &'t File,
        in_file: Faults<'t>,
        root: &'d Spanned<DeTable<'t>>,
        env: &'e dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let table = Table::new(String::new(), root.span(), root.get_ref());
        let (elsewhere, told, unread) = (Vec::new(), BTreeMap::new(), Vec::new());
        Self { path: &file.path, table, in_file, env, elsewhere, told, unread }
    }

    /// The value of a setting. Every source that gives one is read, the last one counts; the
    /// default stands in for what could not be read, so that the faults of others are found too.
    pub(super) fn value<T: Value>(
        &mut self,
        name: &'static str,
        flag: Option<&str>,
        default: &str,
    ) -> T {
        let variable = variable(name);
        let from_file = self.file_value::<T>(name);
        let from_variable = (self.env)(&variable)
            .and_then(|text| self.text_value::<T>(name, Source::Variable(variable), &text));
        let dashed = format!("--{}", name.replace('_', "-"));
        let from_flag = flag.and_then(|text| self.text_value(name, Source::Flag(dashed), text));
        let given = from_flag.or(from_variable).or(from_file);
        given.unwrap_or_else(|| T::read(default).expect("the defaults can be read"))
    }

    fn file_value<T: Value>(&mut self, name: &'static str) -> Option<T> {
        let place: Range<usize> = self.table.place(name).clone();
        let read = |value: &DeValue<'_>| T::read(&plain(value, T::KIND)?);
        let value = self.table.take(&mut self.in_file, name, read);
        if self.table.is_unread(name) {
            self.unread.push(name);
        }
        if value.is_some() {
            let (path, line) = (self.path.to_owned(), self.in_file.line(&place));
            self.told.insert(name, Source::File { path, line });
        }
        value
    }

    fn text_value<T: Value>(
        &mut self,
        name: &'static str,
        source: Source,
        text: &str,
    ) -> Option<T> {
        match T::read(text) {
            Ok(value) => {
                self.told.insert(name, source);
                Some(value)
            }
            Err(wrong) => {
                self.elsewhere.push(Fault::new(source.to_string(), format!("{name} {wrong}")));
                self.unread.push(name);
                None
            }
        }
    }

    /// Refuses what the file sets and nobody asked for.
    pub(super) fn refuse_rest(&mut self) {
        self.table.refuse_rest(&mut self.in_file);
    }

    /// Where each value comes from that is not the default.
    pub(super) fn told(&self) -> BTreeMap<&'static str, Source> {
        self.told.clone()
    }

    /// The faults: those of the file by line, then the others; and which settings they hide.
    pub(super) fn into_faults(self) -> (Vec<Fault>, Vec<&'static str>) {
        let mut faults = self.in_file.into_sorted();
        faults.extend(self.elsewhere);
        (faults, self.unread)
    }
}

/// A value of the file as text, if it is of the right kind.
fn plain(value: &DeValue<'_>, kind: Kind) -> Result<String, String> {
    match kind {
        Kind::Text => document::text(value),
        Kind::Number => document::number(value).map(|number| number.to_string()),
        Kind::Truth => document::truth(value).map(|truth| truth.to_string()),
    }
}

impl Source {
    /// A fault at this place.
    pub(super) fn fault(&self, message: String) -> Fault {
        match self {
            Self::Default => Fault::new("settings", message),
            Self::File { path, line } => Fault { origin: path.clone(), line: Some(*line), message },
            Self::Variable(name) | Self::Flag(name) => Fault::new(name, message),
        }
    }
}
