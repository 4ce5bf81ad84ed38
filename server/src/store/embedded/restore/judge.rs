//! Whether a file is a whole copy that this version can read, and whether a folder has room for a
//! store: everything that is wrong, before anything is written.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags, Row};
use uuid::Uuid;

use super::files;
use crate::{
    clock::Timestamp,
    intent::{Identity, IntentId, ProviderKeyForm},
    record::{Revision, codec},
    store::embedded::{
        backup::{beside, faults, time},
        digest, schema,
    },
};

/// What every SQLite file begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Where the header says how the file is written, and what it says of one with a log beside it.
const WITH_LOG: (usize, u8) = (18, 2);
/// Most records that are named.
const NAMED_MAX: usize = 5;

/// A copy that can be restored.
pub(super) struct Copy {
    pub(super) records: u64,
    pub(super) time: Timestamp,
}

/// The copy, or everything that is wrong with it.
pub(super) fn copy(path: &Path) -> Result<Copy, Vec<String>> {
    let name = path.display();
    let header = header(path).map_err(|cause| vec![format!("{name} cannot be read: {cause}")])?;
    if !header.starts_with(MAGIC) {
        return Err(vec![format!("{name} is no backup: it is not a database at all")]);
    }
    let logs = ["-wal", "-journal"].map(|more| beside(path, more));
    let mut wrong: Vec<String> = logs.iter().filter_map(|log| left_beside(path, log)).collect();
    if header.get(WITH_LOG.0) == Some(&WITH_LOG.1) {
        wrong.push(format!(
            "{name} is no backup but the file of a store itself, without its log: what was last \
             answered may be missing. Only `onced backup` makes one"
        ));
        return Err(wrong);
    }
    if let Some((is, was)) = cut_off(path, &header) {
        wrong.push(format!("{name} is damaged: it has {is} bytes of {was}"));
        return Err(wrong);
    }
    match look(path, &mut wrong) {
        Ok(Some(copy)) if wrong.is_empty() => Ok(copy),
        Ok(_) => Err(wrong),
        Err(cause) => {
            wrong.push(format!("{name} is damaged: {cause}"));
            Err(wrong)
        }
    }
}

fn header(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut header = Vec::new();
    File::open(path)?.take(100).read_to_end(&mut header)?;
    Ok(header)
}

/// How long the file is, and how long its header says that it is, where the two differ.
fn cut_off(path: &Path, header: &[u8]) -> Option<(u64, u64)> {
    let page = u64::from(u16::from_be_bytes(header.get(16..18)?.try_into().ok()?));
    let page = if page == 1 { 65_536 } else { page };
    let pages = u64::from(u32::from_be_bytes(header.get(28..32)?.try_into().ok()?));
    let (is, was) = (path.metadata().ok()?.len(), page * pages);
    (is != was).then_some((is, was))
}

fn left_beside(path: &Path, log: &Path) -> Option<String> {
    let is_left = log.metadata().is_ok_and(|log| log.len() > 0);
    is_left.then(|| {
        let (path, log) = (path.display(), log.display());
        format!("{path} is no backup by itself: {log} lies beside it, which belongs to a store")
    })
}

fn look(path: &Path, wrong: &mut Vec<String>) -> rusqlite::Result<Option<Copy>> {
    let name = path.display();
    let file = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    file.pragma_update(None, "trusted_schema", false)?;
    match schema::layout(&file)? {
        Some(schema::LAYOUT) => wrong.extend(unnamed(&file, path)?),
        // Opening it makes it into this one.
        Some(schema::LAYOUT_BEFORE) => {}
        Some(found) if found > schema::LAYOUT => {
            let known = schema::LAYOUT;
            wrong.push(format!(
                "{name} has layout {found}; this version knows {known}: use a newer version"
            ));
            return Ok(None);
        }
        Some(_) | None => {
            wrong.push(format!("{name} is no backup: it is a database, but not onced's"));
            return Ok(None);
        }
    }
    let time = time(&file)?;
    if time.is_none() {
        wrong.push(format!("{name} was not made by `onced backup`: it does not say of when it is"));
    }
    let found = faults(&file, "integrity_check")?;
    wrong.extend(damaged(path, &found));
    let records = records(&file, path, wrong)?;
    if time.is_some() && found.is_empty() && !digest::holds(&file)? {
        wrong.push(format!("{name} is damaged: its rows are not those that were copied"));
    }
    Ok(time.map(|time| Copy { records, time }))
}

/// What SQLite found, by the name of the file.
pub(super) fn damaged(path: &Path, found: &[String]) -> Vec<String> {
    found.iter().map(|fault| format!("{} is damaged: {fault}", path.display())).collect()
}

/// Records that are on file and that nobody would find: each would be granted again.
fn unnamed(file: &Connection, path: &Path) -> rusqlite::Result<Option<String>> {
    let unnamed = "SELECT count(*) FROM claims
         WHERE id <= (SELECT value FROM meta WHERE name = 'named') AND NOT EXISTS (
             SELECT 1 FROM names WHERE name = substr(identity, 1, 16) AND claim = claims.id)";
    let count: i64 = file.query_row(unnamed, [], |row| row.get(0))?;
    let told = || format!("{}: {count} records are not found by their names", path.display());
    Ok((count > 0).then(told))
}

/// Reads every record; how many there are. A record that nobody can read or find would be granted
/// again.
fn records(file: &Connection, path: &Path, wrong: &mut Vec<String>) -> rusqlite::Result<u64> {
    let all = "SELECT identity, namespace, operation, key, revision, record FROM claims";
    let mut statement = file.prepare(all)?;
    let mut rows = statement.query([])?;
    let (mut count, mut bad) = (0, 0);
    while let Some(row) = rows.next()? {
        count += 1;
        let Err(fault) = record(row)? else { continue };
        bad += 1;
        if bad <= NAMED_MAX {
            wrong.push(format!("{}: {fault}", path.display()));
        }
    }
    if bad > NAMED_MAX {
        let more = bad - NAMED_MAX;
        wrong.push(format!("{}: {more} more records cannot be read", path.display()));
    }
    Ok(count)
}

/// What is wrong with one record, by its provider key, as logs name it.
fn record(row: &Row<'_>) -> rusqlite::Result<Result<(), String>> {
    let identity: [u8; 32] = row.get(0)?;
    let names: [String; 3] = [row.get(1)?, row.get(2)?, row.get(3)?];
    let revision = Revision(Uuid::from_bytes(row.get(4)?));
    let bytes: Vec<u8> = row.get(5)?;
    let name = Identity(identity).provider_key(ProviderKeyForm::Text);
    let fault = |fault: String| Err(format!("the record {name} {fault}"));
    let [namespace, operation, key] = names;
    let Ok(intent) = IntentId::new("", namespace, operation, key) else {
        return Ok(fault("has names that are no intent's".to_owned()));
    };
    if intent.identity() != Identity(identity) {
        return Ok(fault("lies under another intent's names".to_owned()));
    }
    Ok(match codec::decode(&bytes) {
        Err(cause) => fault(format!("cannot be read: {cause}")),
        Ok(record) if record.revision != revision => {
            fault("has another revision than its row".to_owned())
        }
        Ok(_) => Ok(()),
    })
}

/// What is in the way in the folder.
pub(super) fn place(folder: &Path) -> Vec<String> {
    if folder.exists() && !folder.is_dir() {
        return vec![format!("{} is no folder", folder.display())];
    }
    let found: Vec<PathBuf> = files(folder).into_iter().filter(|file| file.exists()).collect();
    let told = found.iter().map(|file| {
        format!(
            "{} is there: a backup is not restored over a store. Stop what serves it, move it \
             away, or name another folder",
            file.display()
        )
    });
    told.take(1).collect()
}
