//! The tables as this version wants them: `schema.cql`, taken apart.
//!
//! Asks no cluster. What is made and what is checked come from the same text.

use std::collections::BTreeMap;

/// The version that this program works with: how many steps there are.
pub(super) const VERSION: i32 = 1;
/// What leads from one version to the next; the first from nothing to 1.
pub(super) const STEPS: [&str; 1] = [super::SCHEMA];
/// Written by conditional writes alone.
pub(super) const CLAIMS: &str = "claims";
/// Which version the tables have, and who is changing them.
pub(super) const VERSIONS: &str = "schema_version";

/// Columns by name, each with its type.
pub(super) type Columns = BTreeMap<String, String>;

/// The statements of a step for a keyspace. Doing one again does nothing.
pub(super) fn statements(step: &str, keyspace: &str) -> Vec<String> {
    let create = format!("CREATE TABLE IF NOT EXISTS {keyspace}.");
    parted(step).iter().map(|statement| statement.replacen("CREATE TABLE ", &create, 1)).collect()
}

/// All tables of this version with their columns.
pub(super) fn tables() -> BTreeMap<String, Columns> {
    STEPS.iter().flat_map(|step| parted(step)).filter_map(|statement| table(&statement)).collect()
}

fn parted(step: &str) -> Vec<String> {
    let code: Vec<&str> =
        step.lines().map(|line| line.split("--").next().unwrap_or_default().trim()).collect();
    let statements = code.join(" ");
    let statements = statements.split(';').map(str::trim).filter(|one| !one.is_empty());
    statements.map(str::to_owned).collect()
}

fn table(statement: &str) -> Option<(String, Columns)> {
    let (name, rest) = statement.strip_prefix("CREATE TABLE ")?.split_once('(')?;
    let columns = outermost(rest).into_iter().filter(|part| !part.starts_with("PRIMARY KEY"));
    let columns = columns.filter_map(|part| {
        let (name, of_type) = part.split_once(' ')?;
        let of_type = of_type.trim().trim_end_matches(" PRIMARY KEY").trim_end_matches(" static");
        Some((name.to_owned(), of_type.to_owned()))
    });
    Some((name.trim().to_owned(), columns.collect()))
}

/// The parts between commas, up to the parenthesis that closes the list.
fn outermost(list: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut parts) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '(' | '<' => depth += 1,
            ')' if depth == 0 => {
                parts.push(list[begin..at].trim());
                break;
            }
            ')' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(list[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts
}

#[cfg(test)]
mod tests;
