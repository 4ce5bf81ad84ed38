//! One thing that is wrong with a request; all of them are reported at once.

/// One violation: which field, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Path of the field, as in the request: `intent.key`.
    pub field: String,
    /// What is wrong, as the end of a sentence about the field.
    pub description: String,
}

impl Violation {
    /// A violation of `field` below `path`; an empty path is the request itself.
    pub fn new(path: &str, field: &str, description: impl Into<String>) -> Self {
        let field = if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") };
        Self { field, description: description.into() }
    }
}
