//! Collects what is wrong with one request.

use std::time::Duration;

use super::Checked;
use crate::{clock::Timestamp, violation::Violation, wire::time};

/// All that is wrong so far.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<Violation>);

impl Faults {
    /// One more.
    pub(super) fn note(&mut self, field: &str, fault: impl Into<String>) {
        self.0.push(Violation::new("", field, fault));
    }

    /// One more, and therefore no value.
    pub(super) fn none<T>(&mut self, field: &str, fault: impl Into<String>) -> Option<T> {
        self.note(field, fault);
        None
    }

    /// The value, or what is wrong with it.
    pub(super) fn all<T>(&mut self, checked: Checked<T>) -> Option<T> {
        checked.map_err(|violations| self.0.extend(violations)).ok()
    }

    /// A text of at most `max` bytes.
    pub(super) fn length(&mut self, field: &str, text: &str, max: usize) {
        self.size(field, text.len(), max);
    }

    /// At most `max` bytes.
    pub(super) fn size(&mut self, field: &str, bytes: usize, max: usize) {
        if bytes > max {
            self.note(field, format!("has {bytes} bytes; at most {max}"));
        }
    }

    /// A text that must be there, of at most `max` bytes.
    pub(super) fn required(&mut self, field: &str, text: &str, max: usize) {
        if text.is_empty() {
            self.note(field, "is required");
        }
        self.length(field, text, max);
    }

    /// A span, if one is given.
    pub(super) fn span(
        &mut self,
        field: &str,
        given: Option<prost_types::Duration>,
    ) -> Option<Duration> {
        let given = given?;
        time::span(given).or_else(|| self.none(field, "is negative or not well formed"))
    }

    /// A time, if one is given.
    pub(super) fn moment(
        &mut self,
        field: &str,
        given: Option<prost_types::Timestamp>,
    ) -> Option<Timestamp> {
        let given = given?;
        time::moment(given).or_else(|| self.none(field, "is not a time of the years 1 to 9999"))
    }

    /// What `build` makes if nothing is wrong; else all that is.
    pub(super) fn finish<T>(self, build: impl FnOnce() -> Option<T>) -> Checked<T> {
        if !self.0.is_empty() {
            return Err(self.0);
        }
        build().ok_or_else(|| vec![Violation::new("", "request", "is not complete")])
    }
}
