//! Clock readings in a text: Unix times and RFC 3339.

use std::time::SystemTime;

use crate::clock::Timestamp;

/// `2026-11-30T16:05:00`: what every RFC 3339 time with a time of day begins with.
const SHAPE: &[u8] = b"dddd-dd-ddtdd:dd:dd";

/// Every clock reading in `text`.
pub(super) fn readings(text: &str) -> impl Iterator<Item = Timestamp> {
    let unix = text.split(|c: char| !c.is_ascii_digit()).filter_map(unix_reading);
    unix.chain(text.char_indices().filter_map(|(start, _)| rfc3339_reading(&text[start..])))
}

/// A whole run of digits as Unix seconds, milli-, micro- or nanoseconds, told apart by their
/// number.
fn unix_reading(digits: &str) -> Option<Timestamp> {
    let number: i64 = digits.parse().ok()?;
    match digits.len() {
        10 => Some(Timestamp(number * 1_000_000)),
        13 => Some(Timestamp(number * 1_000)),
        16 => Some(Timestamp(number)),
        19 => Some(Timestamp(number / 1_000)),
        _ => None,
    }
}

/// The reading that `text` begins with; without an offset it is taken for UTC.
fn rfc3339_reading(text: &str) -> Option<Timestamp> {
    let reading = text.get(..SHAPE.len()).filter(|head| has_shape(head))?;
    let reading = format!("{}T{}Z", &reading[..10], &reading[11..]);
    let time = humantime::parse_rfc3339(&reading).ok()?;
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
    let seconds = i64::try_from(seconds).ok()?.checked_sub(offset(&text[SHAPE.len()..]))?;
    seconds.checked_mul(1_000_000).map(Timestamp)
}

fn has_shape(head: &str) -> bool {
    head.bytes().zip(SHAPE).all(|(byte, shape)| match shape {
        b'd' => byte.is_ascii_digit(),
        b't' => matches!(byte, b'T' | b't' | b' ' | b'_'),
        _ => byte == *shape,
    })
}

/// Seconds ahead of UTC, after a fraction of a second if there is one.
fn offset(rest: &str) -> i64 {
    let rest = match rest.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    let sign = match rest.as_bytes().first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return 0,
    };
    let number = |range| rest.get(range).and_then(|text: &str| text.parse::<i64>().ok());
    let (Some(hours), Some(":"), Some(minutes)) = (number(1..3), rest.get(3..4), number(4..6))
    else {
        return 0;
    };
    sign * (hours * 3_600 + minutes * 60)
}
