//! Many settled keys put into the file of an engine that is closed: rows after one that the server
//! itself has written, each with names, identity and provider key of its own.
//!
//! Copies whatever columns a row has, and makes the indexes and guards again that it took away. The
//! server is asked afterwards whether it takes such rows for settled.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use onced::{
    intent::{IntentId, ProviderKeyForm},
    record::codec,
};
use rusqlite::{Connection, params_from_iter, types::Value};

use crate::{claims, keys};

const DATABASE: &str = "onced.sqlite";
const ROWS_AT_A_TIME: u64 = 500_000;

/// Every row is in the table of names, as after a merge of all.
const NAME_ALL: &str = "
    BEGIN;
    DELETE FROM names;
    INSERT INTO names SELECT substr(identity, 1, 16), id FROM claims ORDER BY 1;
    UPDATE meta SET value = (SELECT max(id) FROM claims) WHERE name = 'named';
    COMMIT;";

/// Puts so many keys beside the one that is settled there.
pub(super) fn fill(data: &Path, settled: &str, count: u64) -> Result<()> {
    let mut file = Connection::open(data.join(DATABASE))?;
    file.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF;
         PRAGMA cache_size = -524288; PRAGMA locking_mode = EXCLUSIVE;",
    )?;
    let template = Template::read(&file, settled)?;
    let aside = take_aside(&file)?;
    for first in (0..count).step_by(usize::try_from(ROWS_AT_A_TIME)?) {
        let rows = file.transaction()?;
        template.repeat(&rows, first..count.min(first + ROWS_AT_A_TIME))?;
        rows.commit()?;
    }
    file.execute_batch(NAME_ALL)?;
    for made in aside {
        file.execute_batch(&made)?;
    }
    file.close().map_err(|(_, cause)| cause)?;
    std::fs::File::open(data.join(DATABASE))?.sync_all()?;
    Ok(())
}

/// Drops the indexes of the claims, which are made much faster once all rows are there, and the
/// guards, which ask the engine; what makes them again.
fn take_aside(file: &Connection) -> Result<Vec<String>> {
    let made = "SELECT type, name, sql FROM sqlite_schema
                WHERE type IN ('index', 'trigger') AND tbl_name = 'claims' AND sql IS NOT NULL";
    let found = file
        .prepare(made)?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<Vec<(String, String, String)>, _>>()?;
    for (kind, name, _) in &found {
        file.execute_batch(&format!("DROP {kind} {name}"))?;
    }
    Ok(found.into_iter().map(|(_, _, sql)| sql).collect())
}

/// A settled row, column by column.
struct Template {
    insert: String,
    values: Vec<Value>,
    record: onced::record::Record,
    places: Places,
}

/// Where the columns lie that differ from row to row.
struct Places {
    identity: usize,
    key: usize,
    record: usize,
}

impl Template {
    fn read(file: &Connection, key: &str) -> Result<Self> {
        let mut found = file.prepare("SELECT * FROM claims WHERE key = ?1")?;
        let names: Vec<String> = found.column_names().map(str::to_owned).collect();
        let place = |name: &str| {
            names.iter().position(|found| found == name).with_context(|| format!("no {name}"))
        };
        let places =
            Places { identity: place("identity")?, key: place("key")?, record: place("record")? };
        let id = place("id")?;
        let mut values: Vec<Value> = found
            .query_row([key], |row| (0..names.len()).map(|column| row.get(column)).collect())?;
        let Value::Blob(bytes) = &values[places.record] else { anyhow::bail!("no record") };
        let record = codec::decode(bytes)?;
        ensure!(record.settlement().is_some(), "the template is not settled");
        // The database gives the next one.
        values[id] = Value::Null;
        let marks = vec!["?"; names.len()].join(", ");
        let insert = format!("INSERT INTO claims ({}) VALUES ({marks})", names.join(", "));
        Ok(Self { insert, values, record, places })
    }

    fn repeat(&self, file: &Connection, numbers: std::ops::Range<u64>) -> Result<()> {
        let mut insert = file.prepare_cached(&self.insert)?;
        let (mut values, mut record) = (self.values.clone(), self.record.clone());
        for number in numbers {
            let key = keys::loaded(number);
            let identity = IntentId::new("", claims::NAMESPACE, claims::OPERATION, &*key)
                .map_err(|violation| anyhow::anyhow!("{violation:?}"))?
                .identity();
            record.provider_key = identity.provider_key(ProviderKeyForm::Text);
            values[self.places.record] = Value::Blob(codec::encode(&record));
            values[self.places.identity] = Value::Blob(identity.0.to_vec());
            values[self.places.key] = Value::Text(key);
            insert.execute(params_from_iter(&values))?;
        }
        Ok(())
    }
}
