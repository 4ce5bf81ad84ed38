//! The layout of the file, and what every connection to it is held to.
//!
//! Rows lie in claim order, so that the writes of one commit lie side by side. A trigger makes a
//! second row of an intent impossible, whoever writes: a connection that cannot ask for the names
//! in memory cannot add a row at all.

use rusqlite::{Connection, OpenFlags};

use super::folder::{Folder, OpenError};

/// The layout that this version writes, and the newest that it reads.
pub(super) const LAYOUT: i64 = 2;
/// The layout before, which is made into this one.
pub(super) const LAYOUT_BEFORE: i64 = 1;
/// The first SQLite without the WAL-reset fault.
const SQLITE_MIN: i32 = 3_051_003;

const META: &str = "
    CREATE TABLE meta (
        name TEXT PRIMARY KEY,
        value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO meta (name, value) VALUES ('high_water', 0);

    CREATE TABLE memory (
        namespace TEXT NOT NULL,
        operation TEXT NOT NULL,
        revision BLOB NOT NULL,
        start INTEGER NOT NULL,
        smallest_retention INTEGER NOT NULL,
        restored INTEGER NOT NULL,
        gap INTEGER NOT NULL,
        PRIMARY KEY (namespace, operation)
    ) STRICT, WITHOUT ROWID;
";

// An id is never used again: what is merged is told by the greatest one.
const CLAIMS: &str = "
    CREATE TABLE claims (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        identity BLOB NOT NULL,
        namespace TEXT NOT NULL,
        operation TEXT NOT NULL,
        key TEXT NOT NULL,
        revision BLOB NOT NULL,
        lease_end INTEGER,
        lease_seconds INTEGER,
        expires_at INTEGER,
        result_expires_at INTEGER,
        first_claim_time INTEGER NOT NULL,
        last_late_report INTEGER,
        settled INTEGER NOT NULL,
        record BLOB NOT NULL,
        result BLOB
    ) STRICT;
    CREATE TABLE provider_references (
        reference TEXT NOT NULL,
        claim INTEGER NOT NULL REFERENCES claims (id) ON DELETE CASCADE,
        PRIMARY KEY (reference, claim)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE names (
        name BLOB PRIMARY KEY,
        claim INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO meta (name, value) VALUES ('named', 0);
";

const INDEXES: &str = "
    CREATE INDEX claims_unreconciled ON claims (namespace, operation, first_claim_time, id)
        WHERE expires_at IS NULL;
    CREATE INDEX claims_with_late_report ON claims (namespace, operation, last_late_report, id)
        WHERE last_late_report IS NOT NULL;
    CREATE INDEX claims_unsettled ON claims (namespace, operation) WHERE settled = 0;
    CREATE INDEX claims_by_lease_end ON claims (lease_end) WHERE lease_end IS NOT NULL;
    CREATE INDEX claims_by_expiry ON claims (expires_at) WHERE expires_at IS NOT NULL;
    CREATE INDEX claims_by_result_expiry ON claims (result_expires_at)
        WHERE result_expires_at IS NOT NULL;
    CREATE INDEX provider_references_by_claim ON provider_references (claim);

    CREATE TRIGGER claims_one_row BEFORE INSERT ON claims
        WHEN EXISTS (
            SELECT 1 FROM claims WHERE identity = NEW.identity AND id IN (
                onced_unmerged(NEW.identity, FALSE), onced_unmerged(NEW.identity, TRUE),
                (SELECT claim FROM names WHERE name = substr(NEW.identity, 1, 16))))
        BEGIN SELECT RAISE(IGNORE); END;
    CREATE TRIGGER claims_same_identity BEFORE UPDATE OF id, identity ON claims
        BEGIN SELECT RAISE(ABORT, 'a row stays its intent''s'); END;
    CREATE TRIGGER claims_no_name AFTER DELETE ON claims
        BEGIN
            DELETE FROM names
                WHERE name = substr(OLD.identity, 1, 16) AND claim = OLD.id;
        END;
";

// Rows of the layout before, under the same numbers.
const MOVE: &str = "
    INSERT INTO claims SELECT * FROM claims_before ORDER BY id;
    INSERT INTO provider_references SELECT * FROM references_before;
    INSERT INTO names SELECT substr(identity, 1, 16), id FROM claims ORDER BY 1;
    UPDATE meta SET value = (SELECT ifnull(max(id), 0) FROM claims) WHERE name = 'named';
    DROP TABLE references_before;
    DROP TABLE claims_before;
";

/// The writer's connection, to a file of this layout.
pub(super) fn open(folder: &Folder) -> Result<Connection, OpenError> {
    check_sqlite(rusqlite::version_number())?;
    folder.check_writable()?;
    let file = connect(folder)?;
    match layout(&file).map_err(OpenError::from_sqlite)? {
        Some(LAYOUT) => {}
        Some(LAYOUT_BEFORE) => upgrade(&file).map_err(OpenError::from_sqlite)?,
        Some(found) if found > LAYOUT => {
            return Err(OpenError::NewerLayout { found, known: LAYOUT });
        }
        Some(found) => return Err(OpenError::Corrupt(format!("layout {found} never was"))),
        None => create(&file)?,
    }
    folder.sync()?;
    Ok(file)
}

/// One more connection.
fn connect(folder: &Folder) -> Result<Connection, OpenError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let file =
        Connection::open_with_flags(folder.database(), flags).map_err(OpenError::from_sqlite)?;
    tune(&file).map_err(OpenError::from_sqlite)?;
    check_durable(&file)?;
    Ok(file)
}

/// One more connection, that cannot write.
pub(super) fn connect_reader(folder: &Folder) -> Result<Connection, OpenError> {
    let file = connect(folder)?;
    file.pragma_update(None, "query_only", true).map_err(OpenError::from_sqlite)?;
    Ok(file)
}

fn tune(file: &Connection) -> rusqlite::Result<()> {
    file.set_prepared_statement_cache_capacity(64);
    file.execute_batch(
        "PRAGMA busy_timeout = 2000;
         PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         PRAGMA foreign_keys = ON;
         PRAGMA trusted_schema = OFF;
         PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -16384;
         PRAGMA journal_size_limit = 67108864;
         -- The writer checkpoints itself, because a checkpoint that fails must not go unseen.
         PRAGMA wal_autocheckpoint = 0;",
    )
}

pub(super) fn check_sqlite(found: i32) -> Result<(), OpenError> {
    if found >= SQLITE_MIN {
        return Ok(());
    }
    Err(OpenError::SqliteTooOld { found: rusqlite::version().to_owned() })
}

fn check_durable(file: &Connection) -> Result<(), OpenError> {
    let read = |pragma: &str| -> Result<String, OpenError> {
        file.query_row(&format!("SELECT CAST({pragma} AS TEXT) FROM pragma_{pragma}"), [], |row| {
            row.get(0)
        })
        .map_err(OpenError::from_sqlite)
    };
    let (journal, synchronous) = (read("journal_mode")?, read("synchronous")?);
    if journal == "wal" && synchronous == "2" {
        return Ok(());
    }
    Err(OpenError::NotDurable(format!("journal_mode {journal}, synchronous {synchronous}")))
}

/// The file's layout; none if the file is new.
pub(super) fn layout(file: &Connection) -> rusqlite::Result<Option<i64>> {
    let tables: i64 = file.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables == 0 {
        return Ok(None);
    }
    let layout = "SELECT (SELECT value FROM meta WHERE name = 'layout')";
    match file.query_row(layout, [], |row| row.get::<_, Option<i64>>(0)) {
        Ok(found) => Ok(Some(found.unwrap_or(0))),
        Err(rusqlite::Error::SqliteFailure(error, _)) if error.extended_code == 1 => Ok(Some(0)),
        Err(error) => Err(error),
    }
}

fn create(file: &Connection) -> Result<(), OpenError> {
    file.execute_batch(&format!(
        "BEGIN IMMEDIATE; {META} {CLAIMS} {INDEXES}
         INSERT INTO meta (name, value) VALUES ('layout', {LAYOUT});
         COMMIT;"
    ))
    .map_err(OpenError::from_sqlite)
}

/// Makes a file of the layout before into one of this; as it was if that breaks off.
fn upgrade(file: &Connection) -> rusqlite::Result<()> {
    tracing::info!("the store is of an earlier layout: its rows are copied, once");
    file.execute_batch(&format!(
        "BEGIN IMMEDIATE;
         ALTER TABLE provider_references RENAME TO references_before;
         ALTER TABLE claims RENAME TO claims_before;
         {CLAIMS} {MOVE} {INDEXES}
         UPDATE meta SET value = {LAYOUT} WHERE name = 'layout';
         COMMIT;"
    ))
}
