//! Times and spans, between the wire and the domain.

use std::time::Duration;

use crate::clock::Timestamp;

const MICROS: i64 = 1_000_000;
/// Years 1 to 9999, in seconds: what RFC 3339 can say.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// A point in time.
pub fn timestamp(time: Timestamp) -> prost_types::Timestamp {
    let nanos = time.0.rem_euclid(MICROS) * 1_000;
    prost_types::Timestamp {
        seconds: time.0.div_euclid(MICROS),
        nanos: i32::try_from(nanos).unwrap_or(0),
    }
}

/// A point in time as RFC 3339.
pub fn text(time: Timestamp) -> String {
    timestamp(time).to_string()
}

/// A span.
pub fn duration(span: Duration) -> prost_types::Duration {
    prost_types::Duration {
        seconds: i64::try_from(span.as_secs()).unwrap_or(i64::MAX),
        nanos: i32::try_from(span.subsec_nanos()).unwrap_or(0),
    }
}

/// A span that was asked for; none if it is negative or not well formed.
pub fn span(asked: prost_types::Duration) -> Option<Duration> {
    let nanos = u32::try_from(asked.nanos).ok().filter(|nanos| *nanos < 1_000_000_000)?;
    Some(Duration::new(u64::try_from(asked.seconds).ok()?, nanos))
}

/// A time that was given; none if RFC 3339 could not say it.
pub fn moment(given: prost_types::Timestamp) -> Option<Timestamp> {
    let nanos = u32::try_from(given.nanos).ok().filter(|nanos| *nanos < 1_000_000_000)?;
    let seconds = Some(given.seconds).filter(|seconds| SECONDS.contains(seconds))?;
    Some(Timestamp(seconds * MICROS + i64::from(nanos / 1_000)))
}
