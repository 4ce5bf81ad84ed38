//! The text that names a record as it was seen.

use uuid::Uuid;

use crate::{record::Revision, ruling::Etag};

const NONE: &str = "none";
/// Added only where the record was shown with its lease over and its evidence time come.
pub const MARK: &str = "+evidence";

/// The text of an etag.
pub fn text(etag: Etag) -> String {
    match etag {
        Etag::None => NONE.to_owned(),
        Etag::Revision { revision, marked } => {
            format!("{}{}", revision.0, if marked { MARK } else { "" })
        }
    }
}

/// The etag of a text; none if no server made it.
pub fn parse(text: &str) -> Option<Etag> {
    if text == NONE {
        return Some(Etag::None);
    }
    let (revision, marked) = match text.strip_suffix(MARK) {
        Some(revision) => (revision, true),
        None => (text, false),
    };
    let revision = Revision(Uuid::parse_str(revision).ok()?);
    Some(Etag::Revision { revision, marked })
}

#[cfg(test)]
mod tests;
