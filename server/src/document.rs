//! A TOML document, read with every fault and the line of each.
//!
//! Knows no setting: `policy/file.rs` and `config.rs` name them. Never stops at the first fault.

use std::{collections::BTreeMap, ops::Range, time::Duration};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::fault::Fault;

/// Longest duration that any setting takes: expiries are kept as seconds in 32 bits.
pub(crate) const DURATION_MAX: Duration = Duration::from_secs(u32::MAX as u64);

/// Where the faults of one text are collected.
pub(crate) struct Faults<'t> {
    path: &'t str,
    text: &'t str,
    found: Vec<Fault>,
    /// Lines that are no TOML: what is left of them would only mislead.
    broken: Vec<usize>,
}

impl<'t> Faults<'t> {
    /// None yet.
    pub(crate) fn of(path: &'t str, text: &'t str) -> Self {
        Self { path, text, found: Vec::new(), broken: Vec::new() }
    }

    /// One more, at a place in the text.
    pub(crate) fn add(&mut self, place: &Range<usize>, message: impl Into<String>) {
        let line = self.line(place);
        if !self.broken.contains(&line) {
            self.push(line, message.into());
        }
    }

    /// The line of a place, from 1.
    pub(crate) fn line(&self, place: &Range<usize>) -> usize {
        let before = self.text.get(..place.start).unwrap_or(self.text);
        before.bytes().filter(|byte| *byte == b'\n').count() + 1
    }

    fn push(&mut self, line: usize, message: String) {
        self.found.push(Fault { origin: self.path.to_owned(), line: Some(line), message });
    }

    /// All, in the order of the lines.
    pub(crate) fn into_sorted(mut self) -> Vec<Fault> {
        self.found.sort();
        self.found
    }

    /// Whether the text is no TOML, so that a fault elsewhere may only follow from that.
    pub(crate) fn is_broken(&self) -> bool {
        !self.broken.is_empty()
    }

    /// The root table; what the syntax hides from us is missing from it.
    pub(crate) fn root(&mut self) -> Spanned<DeTable<'t>> {
        let (root, errors) = DeTable::parse_recoverable(self.text);
        for error in errors {
            let line = self.line(&error.span().unwrap_or_default());
            self.push(line, format!("is not TOML: {}", error.message()));
            self.broken.push(line);
        }
        root
    }
}

/// One table, whose settings are taken by name; what nobody took is refused.
pub(crate) struct Table<'d, 't> {
    /// Before the name of each setting in a message: `payments/charge: `.
    prefix: String,
    /// Where the table is named.
    place: Range<usize>,
    entries: BTreeMap<&'d str, &'d Spanned<DeValue<'t>>>,
    places: BTreeMap<&'d str, Range<usize>>,
    unread: Vec<&'static str>,
}

impl<'d, 't> Table<'d, 't> {
    /// A table and the place where it is named.
    pub(crate) fn new(prefix: String, place: Range<usize>, table: &'d DeTable<'t>) -> Self {
        let entries = table.iter().map(|(name, value)| (name.get_ref().as_ref(), value)).collect();
        let places = table.iter().map(|(name, _)| (name.get_ref().as_ref(), name.span())).collect();
        Self { prefix, place, entries, places, unread: Vec::new() }
    }

    /// Where a setting is named; the table's own place if it is not.
    pub(crate) fn place(&self, name: &str) -> &Range<usize> {
        self.places.get(name).unwrap_or(&self.place)
    }

    /// Whether a setting is there but could not be read.
    pub(crate) fn is_unread(&self, name: &str) -> bool {
        self.unread.contains(&name)
    }

    /// The value of a setting, if it is given and `read` makes sense of it.
    pub(crate) fn take<T>(
        &mut self,
        faults: &mut Faults<'_>,
        name: &'static str,
        read: impl FnOnce(&'d DeValue<'t>) -> Result<T, String>,
    ) -> Option<T> {
        let value = self.entries.remove(name)?;
        match read(value.get_ref()) {
            Ok(value) => Some(value),
            Err(wrong) => {
                faults.add(self.place(name), format!("{}{name} {wrong}", self.prefix));
                self.unread.push(name);
                None
            }
        }
    }

    /// Refuses every setting that was not taken.
    pub(crate) fn refuse_rest(&self, faults: &mut Faults<'_>) {
        for name in self.entries.keys() {
            let message = format!("{}{name} is not a setting here", self.prefix);
            faults.add(self.place(name), message);
        }
    }
}

/// A duration as people write it: `30s`, `45d`, `1h 30m`.
pub(crate) fn duration(value: &DeValue<'_>) -> Result<Duration, String> {
    let text = text(value).map_err(|_| format!("is {}; {DURATION_FORM}", kind(value)))?;
    duration_of(&text)
}

const DURATION_FORM: &str = r#"a duration has a unit and stands in quotes: "30s", "45d""#;

/// The same from plain text.
pub(crate) fn duration_of(text: &str) -> Result<Duration, String> {
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let span = humantime::parse_duration(text)
        .map_err(|error| format!("is {text:?}: {error}; {DURATION_FORM}"))?;
    if span > DURATION_MAX {
        return Err(format!("is {text}, longer than 136 years"));
    }
    Ok(span)
}

/// A duration in the form that a file takes, exact: days are the largest unit.
pub(crate) fn told(span: Duration) -> String {
    let seconds = span.as_secs();
    let parts = [
        (seconds / 86_400, "d"),
        (seconds / 3_600 % 24, "h"),
        (seconds / 60 % 60, "m"),
        (seconds % 60, "s"),
        (u64::from(span.subsec_millis()), "ms"),
        (u64::from(span.subsec_nanos() % 1_000_000), "ns"),
    ];
    let given = parts.into_iter().filter(|(count, _)| *count > 0);
    let told: Vec<String> = given.map(|(count, unit)| format!("{count}{unit}")).collect();
    if told.is_empty() { "0s".to_owned() } else { told.join(" ") }
}

/// A text.
pub(crate) fn text(value: &DeValue<'_>) -> Result<String, String> {
    let text = value.as_str().ok_or_else(|| format!("is {}, not a text in quotes", kind(value)))?;
    Ok(text.to_owned())
}

/// Yes or no.
pub(crate) fn truth(value: &DeValue<'_>) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| format!("is {}, not true or false", kind(value)))
}

/// A number of at most 32 bits, not negative.
pub(crate) fn number(value: &DeValue<'_>) -> Result<u32, String> {
    let integer =
        value.as_integer().ok_or_else(|| format!("is {}, not a whole number", kind(value)))?;
    u32::from_str_radix(integer.as_str(), integer.radix())
        .map_err(|_| format!("is {integer}, not between 0 and {}", u32::MAX))
}

/// A table.
pub(crate) fn table<'d, 't>(value: &'d DeValue<'t>) -> Result<&'d DeTable<'t>, String> {
    value.as_table().ok_or_else(|| format!("is {}, not a table", kind(value)))
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

#[cfg(test)]
mod tests;
