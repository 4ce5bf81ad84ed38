//! How each type of setting is read from text and told again.
//!
//! Names no setting and no source.

use std::{
    fmt,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::builder::ValueRange;
use http::Uri;
use tracing_subscriber::EnvFilter;

use crate::document;

/// What a value is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A text in quotes.
    Text,
    /// A whole number.
    Number,
    /// `true` or `false`.
    Truth,
}

/// A type of setting.
pub(super) trait Value: Sized {
    /// What it is in the file.
    const KIND: Kind = Kind::Text;
    /// What it is in the help of its flag.
    const FORM: &str;

    /// Its flag alone means `true`.
    const IS_SWITCH: bool = matches!(Self::KIND, Kind::Truth);

    /// Reads it; else what is wrong, as the end of a sentence about the setting.
    fn read(text: &str) -> Result<Self, String>;

    /// As the file has it; empty if it is absent.
    fn told(&self) -> String;

    /// How many values its flag takes.
    fn arguments() -> ValueRange {
        if Self::IS_SWITCH { ValueRange::from(0..=1) } else { ValueRange::from(1) }
    }
}

pub(super) fn quoted(text: impl fmt::Display) -> String {
    format!("{:?}", text.to_string())
}

impl<T: Value> Value for Option<T> {
    const KIND: Kind = T::KIND;
    const FORM: &str = T::FORM;

    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() { Ok(None) } else { T::read(text).map(Some) }
    }

    fn told(&self) -> String {
        self.as_ref().map(T::told).unwrap_or_default()
    }
}

impl Value for SocketAddr {
    const FORM: &str = "ADDRESS";

    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| format!("is {text:?}, not an address and port: 127.0.0.1:7450"))
    }

    fn told(&self) -> String {
        quoted(self)
    }
}

impl Value for String {
    const FORM: &str = "NAME";

    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() { Err("is empty".to_owned()) } else { Ok(text.to_owned()) }
    }

    fn told(&self) -> String {
        quoted(self)
    }
}

impl Value for PathBuf {
    const FORM: &str = "PATH";

    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() { Err("is empty".to_owned()) } else { Ok(text.into()) }
    }

    fn told(&self) -> String {
        quoted(Path::display(self))
    }
}

impl Value for bool {
    const KIND: Kind = Kind::Truth;
    const FORM: &str = "true|false";

    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| format!("is {text:?}, not true or false"))
    }

    fn told(&self) -> String {
        self.to_string()
    }
}

impl Value for Duration {
    const FORM: &str = "DURATION";

    fn read(text: &str) -> Result<Self, String> {
        document::duration_of(text)
    }

    fn told(&self) -> String {
        quoted(document::told(*self))
    }
}

impl Value for usize {
    const KIND: Kind = Kind::Number;
    const FORM: &str = "NUMBER";

    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| format!("is {text:?}, not a whole number"))
    }

    fn told(&self) -> String {
        self.to_string()
    }
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

const UNITS: [(&str, u64); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

impl Value for Size {
    const FORM: &str = "SIZE";

    fn read(text: &str) -> Result<Self, String> {
        let size = UNITS.iter().find_map(|(unit, bytes)| {
            let count: u64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
            count.checked_mul(*bytes).map(Self)
        });
        size.ok_or_else(|| format!("is {text:?}; a size has a unit: 64MiB (B, KiB, MiB, GiB)"))
    }

    fn told(&self) -> String {
        quoted(self)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |bytes: u64| self.0.is_multiple_of(bytes) && self.0 > 0;
        let unit = UNITS.iter().find(|(_, bytes)| whole(*bytes));
        let (unit, bytes) = unit.unwrap_or(&UNITS[3]);
        write!(f, "{}{unit}", self.0 / bytes)
    }
}

/// Form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// One JSON object a line.
    Json,
}

impl Value for LogFormat {
    const FORM: &str = "text|json";

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            other => Err(format!("is {other:?}; it is \"text\" or \"json\"")),
        }
    }

    fn told(&self) -> String {
        quoted(match self {
            Self::Text => "text",
            Self::Json => "json",
        })
    }
}

/// Directives of a log filter, known to be valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLevel(pub String);

impl Value for LogLevel {
    const FORM: &str = "FILTER";

    fn read(text: &str) -> Result<Self, String> {
        let filter = EnvFilter::try_new(text).map_err(|error| format!("is {text:?}: {error}"))?;
        drop(filter);
        Ok(Self(text.to_owned()))
    }

    fn told(&self) -> String {
        quoted(&self.0)
    }
}

/// A URL that calls are sent to, known to be valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint(pub String);

impl Value for Endpoint {
    const FORM: &str = "URL";

    fn read(text: &str) -> Result<Self, String> {
        let uri = text.parse::<Uri>().ok();
        let sendable = uri.is_some_and(|uri| {
            matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some()
        });
        if sendable {
            return Ok(Self(text.to_owned()));
        }
        Err(format!("is {text:?}, not a URL: http://127.0.0.1:4317"))
    }

    fn told(&self) -> String {
        quoted(&self.0)
    }
}

#[cfg(test)]
mod tests;
