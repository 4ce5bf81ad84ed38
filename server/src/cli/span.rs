//! Durations as they are typed and shown: `30s`, `1m 30s`.

use std::time::Duration;

/// Longest that is accepted: a protobuf duration ends at 10 000 years.
const SECONDS_MAX: u64 = 315_576_000_000;

/// Reads `30s`, `500ms`, `1h 5m`.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let span = humantime::parse_duration(text)
        .map_err(|fault| format!("{fault}; write it like 30s, 500ms or 1h 5m"))?;
    if span.as_secs() > SECONDS_MAX { Err("is too long".to_owned()) } else { Ok(span) }
}

/// As the wire has it.
pub(super) fn to_wire(span: Duration) -> prost_types::Duration {
    prost_types::Duration {
        seconds: i64::try_from(span.as_secs()).unwrap_or(i64::MAX),
        nanos: i32::try_from(span.subsec_nanos()).unwrap_or(0),
    }
}

/// From the wire; absent or negative is zero.
pub(super) fn from_wire(span: Option<&prost_types::Duration>) -> Duration {
    span.and_then(|span| Duration::try_from(*span).ok()).unwrap_or_default()
}

/// For people, to the millisecond.
pub(super) fn show(span: Option<&prost_types::Duration>) -> Option<String> {
    let whole = u64::try_from(from_wire(Some(span?)).as_millis()).unwrap_or(u64::MAX);
    Some(humantime::format_duration(Duration::from_millis(whole)).to_string())
}

#[cfg(test)]
mod tests;
