//! Points in time as they are typed and shown: RFC 3339.

use prost_types::Timestamp;

/// Reads `2026-01-31T12:00:00Z` or the same with an offset. A time without zone is refused: it
/// would be off by hours, silently.
pub(super) fn parse(text: &str) -> Result<Timestamp, String> {
    let fault = || "write it like 2026-01-31T12:00:00Z or 2026-01-31T13:00:00+01:00".to_owned();
    if !has_zone(text) {
        return Err(fault());
    }
    text.parse().map_err(|_| fault())
}

fn has_zone(text: &str) -> bool {
    let Some((_, time)) = text.split_once(['T', 't', ' ']) else { return false };
    time.ends_with(['Z', 'z']) || time.contains(['+', '-'])
}

#[cfg(test)]
mod tests;
