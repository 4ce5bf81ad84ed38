//! Which row is an intent's: of the latest rows kept in memory, of all others in a table.
//!
//! Names lie at random among each other, so that a table of them takes a page of its own for nearly
//! every claim. So the latest ones are kept in memory, and merged into the table in the order of
//! names, a slice with each commit. Never the truth: a row counts only if the identity on it is the
//! one that was looked for.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use rusqlite::{Connection, functions::FunctionFlags, params};

/// The head of an identity.
pub(super) type Name = [u8; 16];

/// Most names that are kept before a round begins.
const ROUND_MAX: usize = 1 << 19;

/// The names that are not in the table yet.
#[derive(Debug, Default)]
pub(super) struct Names(RwLock<Tail>);

#[derive(Debug, Default)]
struct Tail {
    latest: BTreeMap<Name, i64>,
    merging: BTreeMap<Name, i64>,
    /// What is not committed yet, with what stood there.
    added: Vec<(Name, Option<i64>)>,
    /// How far the round has come.
    merged: Option<Name>,
    /// How many names begin the next round.
    round: usize,
    /// Fewest that do.
    round_min: usize,
}

/// What one commit merges.
#[derive(Debug, Default)]
pub(super) struct Slice {
    names: Vec<(Name, i64)>,
    /// The round ends with it: every row up to this one has its name in the table.
    ends_at: Option<i64>,
}

/// The name of an identity.
pub(super) fn name(identity: &[u8; 32]) -> Name {
    let mut name = [0; 16];
    name.copy_from_slice(&identity[..16]);
    name
}

impl Names {
    /// Those of the rows that are not in the table yet.
    pub(super) fn load(file: &Connection, round_min: usize) -> rusqlite::Result<Arc<Self>> {
        let all = "SELECT substr(identity, 1, 16), id FROM claims
             WHERE id > (SELECT value FROM meta WHERE name = 'named')";
        let mut statement = file.prepare(all)?;
        let latest = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<BTreeMap<Name, i64>>>()?;
        let round = round(merged(file)?, round_min);
        let tail = Tail { latest, round, round_min, ..Tail::default() };
        Ok(Arc::new(Self(RwLock::new(tail))))
    }

    /// Lets the file's own guard against a second row ask here.
    pub(super) fn guard(self: &Arc<Self>, file: &Connection) -> rusqlite::Result<()> {
        let names = Arc::clone(self);
        // Only the guard, which is part of the layout, may call it.
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
        file.create_scalar_function("onced_unmerged", 2, flags, move |call| {
            let identity: [u8; 32] = call.get(0)?;
            Ok(names.rows(&name(&identity))[usize::from(call.get::<bool>(1)?)])
        })
    }

    /// The rows that may be the name's, newest first.
    pub(super) fn rows(&self, name: &Name) -> [Option<i64>; 2] {
        let tail = self.read();
        [tail.latest.get(name).copied(), tail.merging.get(name).copied()]
    }

    /// All rows of names between two.
    pub(super) fn rows_between(&self, from: Name, to: Name) -> Vec<i64> {
        let tail = self.read();
        let found = |names: &BTreeMap<Name, i64>| -> Vec<i64> {
            names.range(from..=to).map(|(_, row)| *row).collect()
        };
        [found(&tail.latest), found(&tail.merging)].concat()
    }

    /// A row was added, should its group be committed.
    pub(super) fn add(&self, name: Name, row: i64) {
        let mut tail = self.write();
        let before = tail.latest.insert(name, row);
        tail.added.push((name, before));
    }

    /// How many were added and not committed yet.
    pub(super) fn added(&self) -> usize {
        self.read().added.len()
    }

    /// What was added beyond so many is undone.
    pub(super) fn undo(&self, kept: usize) {
        let mut tail = self.write();
        while tail.added.len() > kept {
            let Some((name, before)) = tail.added.pop() else { break };
            match before {
                Some(row) => tail.latest.insert(name, row),
                None => tail.latest.remove(&name),
            };
        }
    }

    /// The next names to merge, about so many; begins a round if there are enough.
    pub(super) fn slice(&self, names: usize) -> Slice {
        if self.is_idle() && !self.begin() {
            return Slice::default();
        }
        let tail = self.read();
        let after = tail.merged.map_or(Bound::Unbounded, Bound::Excluded);
        let rest = tail.merging.range((after, Bound::Unbounded));
        let names: Vec<_> = rest.take(names).map(|(name, row)| (*name, *row)).collect();
        let last = tail.merging.last_key_value().map(|(name, _)| *name);
        let is_last = names.last().map(|(name, _)| *name).or(tail.merged) == last;
        let ends_at = is_last.then(|| tail.merging.values().copied().max()).flatten();
        Slice { names, ends_at }
    }

    fn is_idle(&self) -> bool {
        self.read().merging.is_empty()
    }

    fn begin(&self) -> bool {
        let mut tail = self.write();
        if tail.latest.len() < tail.round {
            return false;
        }
        tail.merging = std::mem::take(&mut tail.latest);
        true
    }

    /// What was added is committed, and the slice too. Not before: until then nobody would find
    /// its rows.
    pub(super) fn committed(&self, slice: &Slice) {
        let mut tail = self.write();
        tail.added.clear();
        if let Some((name, _)) = slice.names.last() {
            tail.merged = Some(*name);
        }
        if let Some(row) = slice.ends_at {
            tail.merging = BTreeMap::new();
            tail.merged = None;
            tail.round = round(row, tail.round_min);
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Tail> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Tail> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slice {
    /// Writes it; names of rows that are gone are left out.
    pub(super) fn write(&self, file: &Connection) -> rusqlite::Result<()> {
        let mut merge = file.prepare_cached(
            "INSERT INTO names (name, claim) SELECT ?1, ?2 WHERE EXISTS
                 (SELECT 1 FROM claims WHERE id = ?2 AND substr(identity, 1, 16) = ?1)
             ON CONFLICT (name) DO UPDATE SET claim = excluded.claim",
        )?;
        for (name, row) in &self.names {
            merge.execute(params![name, row])?;
        }
        if let Some(row) = self.ends_at {
            file.prepare_cached("UPDATE meta SET value = ?1 WHERE name = 'named'")?
                .execute([row])?;
        }
        Ok(())
    }
}

/// The last row whose name, and those of all before it, are in the table.
fn merged(file: &Connection) -> rusqlite::Result<i64> {
    file.query_row("SELECT value FROM meta WHERE name = 'named'", [], |row| row.get(0))
}

/// How many names make a round, so that several of them share a page of the table.
fn round(rows: i64, min: usize) -> usize {
    (usize::try_from(rows).unwrap_or(0) / 8).min(ROUND_MAX).max(min)
}
