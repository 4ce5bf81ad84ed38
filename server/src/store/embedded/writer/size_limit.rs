//! The largest size of the database file: beyond it SQLite says that the disk is full.

use rusqlite::Connection;

/// As many pages as SQLite can count to.
const NO_LIMIT: u64 = 4_294_967_294;

/// Sets the limit in bytes, or takes it away.
pub(super) fn set(file: &Connection, limit: Option<u64>) -> rusqlite::Result<()> {
    let page_bytes: i64 = file.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let pages = limit.map_or(NO_LIMIT, |bytes| bytes / page_bytes.unsigned_abs());
    let pages = i64::try_from(pages).unwrap_or(i64::MAX);
    file.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
}
