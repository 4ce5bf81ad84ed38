//! A sum over all rows of a copy: SQLite finds a broken page, and not a bit that has flipped inside
//! a record.
//!
//! The same in any order of rows, whatever the layout.

use rusqlite::{Connection, Row, params, types::ValueRef};
use sha2::{Digest, Sha256};

/// What the sum's four words are called in `meta`, before their number.
const NAME: &str = "digest_";

/// Four words of 64 bits.
type Sum = [i64; 4];

/// Notes the sum in the file itself.
pub(super) fn note(file: &Connection) -> rusqlite::Result<()> {
    for (place, word) in (0..).zip(sum(file)?) {
        let name = format!("{NAME}{place}");
        file.execute("INSERT INTO meta (name, value) VALUES (?1, ?2)", params![name, word])?;
    }
    Ok(())
}

/// Whether the rows are still those that were noted.
pub(super) fn holds(file: &Connection) -> rusqlite::Result<bool> {
    let noted = format!("SELECT value FROM meta WHERE name LIKE '{NAME}%' ORDER BY name");
    let mut statement = file.prepare(&noted)?;
    let words = statement.query_map([], |row| row.get(0))?;
    Ok(words.collect::<rusqlite::Result<Vec<i64>>>()? == sum(file)?)
}

/// Takes the note away.
pub(super) fn remove(file: &Connection) -> rusqlite::Result<()> {
    file.execute(&format!("DELETE FROM meta WHERE name LIKE '{NAME}%'"), []).map(|_| ())
}

fn sum(file: &Connection) -> rusqlite::Result<Sum> {
    let tables = "SELECT name FROM sqlite_schema
         WHERE type = 'table' AND (name NOT LIKE 'sqlite%' OR name = 'sqlite_sequence')";
    let mut statement = file.prepare(tables)?;
    let tables = statement.query_map([], |row| row.get(0))?;
    let mut sum = Sum::default();
    for table in tables.collect::<rusqlite::Result<Vec<String>>>()? {
        add_table(file, &table, &mut sum)?;
    }
    Ok(sum)
}

fn add_table(file: &Connection, table: &str, sum: &mut Sum) -> rusqlite::Result<()> {
    let besides = if table == "meta" { "WHERE name NOT LIKE 'digest%'" } else { "" };
    let name = table.replace('"', "\"\"");
    let mut statement = file.prepare(&format!("SELECT * FROM \"{name}\" {besides}"))?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let digest = of_row(table, row, columns)?;
        for (word, bytes) in sum.iter_mut().zip(digest.chunks_exact(8)) {
            let bytes = bytes.try_into().unwrap_or_default();
            *word = word.wrapping_add(i64::from_be_bytes(bytes));
        }
    }
    Ok(())
}

fn of_row(table: &str, row: &Row<'_>, columns: usize) -> rusqlite::Result<[u8; 32]> {
    let mut digest = Sha256::new();
    let mut add = |kind: u8, bytes: &[u8]| {
        digest.update([kind]);
        digest.update((bytes.len() as u64).to_be_bytes());
        digest.update(bytes);
    };
    add(0, table.as_bytes());
    for column in 0..columns {
        match row.get_ref(column)? {
            ValueRef::Null => add(1, &[]),
            ValueRef::Integer(value) => add(2, &value.to_be_bytes()),
            ValueRef::Real(value) => add(3, &value.to_be_bytes()),
            ValueRef::Text(text) => add(4, text),
            ValueRef::Blob(bytes) => add(5, bytes),
        }
    }
    Ok(digest.finalize().into())
}
