//! One thing that is wrong with a file, a variable or a flag; all of them are reported at once.
//!
//! Never about a request: those have `violation.rs`.

use std::fmt;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The file as it was named, the variable (`ONCED_LISTEN`) or the flag (`--listen`).
    pub origin: String,
    /// Line in the file, counted from 1.
    pub line: Option<usize>,
    /// What is wrong, with the numbers.
    pub message: String,
}

impl Fault {
    /// A fault that has no line.
    pub fn new(origin: impl Into<String>, message: impl Into<String>) -> Self {
        Self { origin: origin.into(), line: None, message: message.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.origin, self.message),
            None => write!(f, "{}: {}", self.origin, self.message),
        }
    }
}

/// All faults, one a line.
pub fn listed(faults: &[Fault]) -> String {
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n")
}
