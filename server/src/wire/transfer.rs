//! Records and memories on their way between stores.

use std::time::Duration;

use onced_proto::admin::v1;

use super::time::{duration, span};
use crate::{
    clock::Timestamp,
    gap,
    intent::{IntentId, RESERVED_NAMESPACE, name_fault},
    record::{Revision, codec},
    store::{Lease, Memory, Remembered, Stored},
};

/// A record as it goes out.
pub fn exported(intent: &IntentId, stored: &Stored) -> v1::ExportedRecord {
    v1::ExportedRecord {
        intent: Some(onced_proto::v1::IntentId {
            namespace: intent.namespace().to_owned(),
            operation: intent.operation().to_owned(),
            key: intent.key().to_owned(),
        }),
        record: codec::encode(&stored.record).into(),
        result: stored.result.clone(),
        lease_left: match stored.lease {
            Lease::Live { left } => Some(duration(left)),
            Lease::Over => None,
        },
        expires_in: stored.expires_in.map(duration),
        result_expires_in: stored.result_expires_in.map(duration),
    }
}

/// A record as it came in, or what is wrong with it.
pub fn carried(record: v1::ExportedRecord) -> Result<(IntentId, Stored), String> {
    let names = record.intent.ok_or("it names no intent")?;
    let intent = IntentId::new("", names.namespace, names.operation, names.key)
        .map_err(|_| "its names are not an intent's")?;
    let stored = Stored {
        record: codec::decode(&record.record).map_err(|error| error.to_string())?,
        result: record.result,
        lease: match left(record.lease_left)? {
            Some(left) => Lease::Live { left },
            None => Lease::Over,
        },
        expires_in: left(record.expires_in)?,
        result_expires_in: left(record.result_expires_in)?,
    };
    Ok((intent, stored))
}

fn left(told: Option<prost_types::Duration>) -> Result<Option<Duration>, &'static str> {
    told.map(|told| span(told).ok_or("a span in it is not well formed")).transpose()
}

/// A memory as it goes out; of what the server keeps for itself only that of all other operations,
/// which names none.
pub fn exported_memory(remembered: &Remembered) -> Option<v1::ExportedMemory> {
    let Remembered { namespace, operation, memory } = remembered;
    let retention = i64::try_from(memory.smallest_retention.as_micros()).unwrap_or(i64::MAX);
    let names = match gap::marked(remembered) {
        Some(of) => Some((of.to_owned(), String::new())),
        None => (namespace != RESERVED_NAMESPACE).then(|| (namespace.clone(), operation.clone())),
    };
    names.map(|(namespace, operation)| v1::ExportedMemory {
        namespace,
        operation,
        start_micros: Some(memory.start.0),
        smallest_retention_micros: Some(retention),
        restored: memory.restored,
        gap: memory.gap,
    })
}

/// A memory as it came in, if it is whole.
pub fn carried_memory(told: &v1::ExportedMemory) -> Option<Remembered> {
    let is_named = |name: &str| name_fault(name).is_none() && name != RESERVED_NAMESPACE;
    let (is_whole, namespace, operation) = match (&*told.namespace, &*told.operation) {
        ("", "") => (true, RESERVED_NAMESPACE, gap::mark_name(None)),
        (of, "") => (is_named(of), RESERVED_NAMESPACE, gap::mark_name(Some(of))),
        (of, name) => (is_named(of) && is_named(name), of, name.to_owned()),
    };
    let retention = u64::try_from(told.smallest_retention_micros?).ok()?;
    let memory = Memory {
        revision: Revision(uuid::Uuid::nil()),
        start: Timestamp(told.start_micros?),
        smallest_retention: Duration::from_micros(retention),
        restored: told.restored,
        gap: told.gap,
    };
    is_whole.then(|| Remembered { namespace: namespace.to_owned(), operation, memory })
}
