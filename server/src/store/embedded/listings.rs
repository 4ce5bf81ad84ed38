//! Listings: which records are open, reported late, or named by the provider's side.
//!
//! Reads only, in one snapshot each. Expiry is judged here, whatever was swept.

use rusqlite::{Connection, params};

use super::{
    fault::Fault,
    names::Names,
    rows::{self, BARE, Row, WHOLE},
};
use crate::{
    clock::Timestamp,
    intent::IntentId,
    record::Record,
    store::{Error, Find, Listing, Page, Scope, Stored},
};

mod provider_key;

/// Most records of a page.
const PAGE_MAX: usize = 1_000;
/// Most intents that a name finds.
const FOUND_MAX: usize = 100;

/// A place in a listing.
type Place = (i64, i64);

/// Exactly the records that never expire, oldest first claim first.
pub(super) fn unreconciled(
    file: &Connection,
    scope: &Scope,
    page: &Page,
    now: Timestamp,
) -> Result<Listing, Fault> {
    let snapshot = file.unchecked_transaction()?;
    let after = place(page, (i64::MIN, i64::MIN))?;
    let select = format!(
        "SELECT {BARE} FROM claims
         WHERE namespace = ?1 AND operation = ?2 AND expires_at IS NULL
             AND (first_claim_time, id) > (?3, ?4)
         ORDER BY first_claim_time, id LIMIT ?5"
    );
    let mut found = Vec::new();
    for operation in operations(&snapshot, scope, "expires_at IS NULL")? {
        let statement = snapshot.prepare_cached(&select)?;
        let parameters = params![scope.namespace, operation, after.0, after.1, wanted(page)];
        found.extend(rows::all(statement, parameters)?);
    }
    found.sort_by_key(|row| (row.first_claim_time, row.id));
    listing(found, page, now, |row| (row.first_claim_time, row.id))
}

/// Records with a late report at or after `since`, newest report first.
pub(super) fn late_reports(
    file: &Connection,
    scope: &Scope,
    since: Timestamp,
    page: &Page,
    now: Timestamp,
) -> Result<Listing, Fault> {
    let snapshot = file.unchecked_transaction()?;
    let before = place(page, (i64::MAX, i64::MAX))?;
    let select = format!(
        "SELECT {BARE} FROM claims
         WHERE namespace = ?1 AND operation = ?2 AND last_late_report >= ?3
             AND (last_late_report, id) < (?4, ?5)
             AND (expires_at IS NULL OR expires_at > ?6)
         ORDER BY last_late_report DESC, id DESC LIMIT ?7"
    );
    let mut found = Vec::new();
    for operation in operations(&snapshot, scope, "last_late_report IS NOT NULL")? {
        let statement = snapshot.prepare_cached(&select)?;
        let parameters =
            params![scope.namespace, operation, since.0, before.0, before.1, now.0, wanted(page)];
        found.extend(rows::all(statement, parameters)?);
    }
    let newest = |row: &Row| (row.last_late_report.unwrap_or(i64::MIN), row.id);
    found.sort_by_key(|row| std::cmp::Reverse(newest(row)));
    listing(found, page, now, newest)
}

/// The intents of a namespace that the provider's side points to.
pub(super) fn find(
    file: &Connection,
    names: &Names,
    namespace: &str,
    by: &Find,
    now: Timestamp,
) -> Result<Vec<(IntentId, Stored)>, Fault> {
    let found = match by {
        Find::ProviderKey(key) => of_provider_key(file, names, namespace, key)?,
        Find::ProviderReference(reference) => of_reference(file, namespace, reference)?,
    };
    let named: Vec<_> =
        found.into_iter().filter_map(|row| row.named(now).transpose()).collect::<Result<_, _>>()?;
    Ok(named
        .into_iter()
        .filter(|(_, stored)| is_named(&stored.record, by))
        .take(FOUND_MAX)
        .collect())
}

fn is_named(record: &Record, by: &Find) -> bool {
    match by {
        Find::ProviderKey(key) => record.provider_key == *key,
        Find::ProviderReference(reference) => {
            record.provider_references().contains(reference.as_str())
        }
    }
}

/// Every record that has not expired, in the order in which their rows were made.
pub(super) fn scan(
    file: &Connection,
    namespace: Option<&str>,
    page: &Page,
    now: Timestamp,
) -> Result<Listing, Fault> {
    let after = place(page, (0, i64::MIN))?;
    let select = format!(
        "SELECT {WHOLE} FROM claims WHERE id > ?1 AND (?2 IS NULL OR namespace = ?2)
         ORDER BY id LIMIT ?3"
    );
    let found =
        rows::all(file.prepare_cached(&select)?, params![after.1, namespace, wanted(page)])?;
    listing(found, page, now, |row| (0, row.id))
}

/// Whether an operation has an intent without an outcome.
pub(super) fn any_unsettled(
    file: &Connection,
    namespace: &str,
    operation: &str,
    now: Timestamp,
) -> Result<bool, Fault> {
    let exists = "SELECT EXISTS (
         SELECT 1 FROM claims WHERE namespace = ?1 AND operation = ?2 AND settled = 0
             AND (expires_at IS NULL OR expires_at > ?3))";
    let mut statement = file.prepare_cached(exists)?;
    Ok(statement.query_row(params![namespace, operation, now.0], |row| row.get(0))?)
}

fn of_provider_key(
    file: &Connection,
    names: &Names,
    namespace: &str,
    key: &str,
) -> Result<Vec<Row>, Fault> {
    let Some((from, to)) = provider_key::names(key) else { return Ok(Vec::new()) };
    // Before the snapshot: what is merged meanwhile is in both, and not in neither.
    let mut ids = names.rows_between(from, to);
    let snapshot = file.unchecked_transaction()?;
    let merged = "SELECT claim FROM names WHERE name BETWEEN ?1 AND ?2";
    let mut statement = snapshot.prepare_cached(merged)?;
    for id in statement.query_map(params![from, to], |row| row.get(0))? {
        ids.push(id?);
    }
    ids.sort_unstable();
    ids.dedup();
    let select = format!(
        "SELECT {BARE} FROM claims WHERE id = ?1 AND namespace = ?2
             AND substr(identity, 1, 16) BETWEEN ?3 AND ?4"
    );
    let mut found = Vec::new();
    for id in ids {
        let statement = snapshot.prepare_cached(&select)?;
        found.extend(rows::all(statement, params![id, namespace, from, to])?);
    }
    Ok(found)
}

fn of_reference(file: &Connection, namespace: &str, reference: &str) -> Result<Vec<Row>, Fault> {
    let select = format!(
        "SELECT {BARE} FROM claims WHERE namespace = ?2 AND id IN
             (SELECT claim FROM provider_references WHERE reference = ?1)
         ORDER BY id LIMIT 1000"
    );
    rows::all(file.prepare_cached(&select)?, params![reference, namespace])
}

/// The scope's operation, or all that have a row of this kind.
fn operations(file: &Connection, scope: &Scope, kind: &str) -> Result<Vec<String>, Fault> {
    if let Some(operation) = &scope.operation {
        return Ok(vec![operation.clone()]);
    }
    let next = format!("SELECT min(operation) FROM claims WHERE namespace = ?1 AND {kind}");
    let all = format!(
        "WITH RECURSIVE operations (name) AS (
             {next} UNION ALL
             SELECT ({next} AND operation > name) FROM operations WHERE name IS NOT NULL)
         SELECT name FROM operations WHERE name IS NOT NULL"
    );
    let mut statement = file.prepare_cached(&all)?;
    let names = statement.query_map([&scope.namespace], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

fn size(page: &Page) -> usize {
    page.size.clamp(1, PAGE_MAX)
}

/// One more than fit, to see whether there is a next page.
fn wanted(page: &Page) -> i64 {
    i64::try_from(size(page) + 1).unwrap_or(i64::MAX)
}

fn listing(
    mut found: Vec<Row>,
    page: &Page,
    now: Timestamp,
    place_of: impl Fn(&Row) -> Place,
) -> Result<Listing, Fault> {
    let more = found.len() > size(page);
    found.truncate(size(page));
    let next = found.last().filter(|_| more).map(|row| cursor(place_of(row)));
    let named = found.into_iter().filter_map(|row| row.named(now).transpose());
    Ok(Listing { found: named.collect::<Result<_, _>>()?, next })
}

fn cursor((time, id): Place) -> Vec<u8> {
    [time.to_be_bytes(), id.to_be_bytes()].concat()
}

fn place(page: &Page, start: Place) -> Result<Place, Error> {
    if page.cursor.is_empty() {
        return Ok(start);
    }
    let (time, id) = page.cursor.split_at_checked(8).ok_or_else(foreign_cursor)?;
    let number = |bytes: &[u8]| bytes.try_into().map(i64::from_be_bytes);
    number(time).and_then(|time| Ok((time, number(id)?))).map_err(|_| foreign_cursor())
}

fn foreign_cursor() -> Error {
    Error::Corrupt("the cursor of the listing is not this engine's".to_owned())
}
