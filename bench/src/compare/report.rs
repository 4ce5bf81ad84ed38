//! What was seen, as tables for people and as JSON.

use std::{collections::BTreeMap, fmt};

use anyhow::Result;
use serde::Serialize;

use super::{
    entrant::Entrant,
    row::{Measured, Middle, Row},
};
use crate::{
    contender::{About, Kind, Work},
    measure::median,
    tell,
};

/// What a stampede may cost the store.
const STAMPEDE_CALLS_MAX: f64 = 5.0;

/// One for each number of keys that were there before.
#[derive(Debug, Serialize)]
pub(crate) struct Reports(pub(super) Vec<Report>);

/// One contest.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// How many callers at a time.
    in_flight: usize,
    /// Settled keys in the stores before the first slice.
    keys_before: u64,
    /// Who took part, with its version and when it counts something as durable.
    contenders: BTreeMap<&'static str, About>,
    /// Who did not, and why.
    pub(super) left_out: Vec<LeftOut>,
    /// One for each kind of work.
    tables: Vec<Table>,
}

/// One that did not take part, in nothing or in one kind of work.
#[derive(Debug, Serialize)]
pub(super) struct LeftOut {
    contender: Kind,
    work: Option<Work>,
    cause: String,
}

impl LeftOut {
    pub(super) fn of(contender: Kind, work: Option<Work>, cause: &anyhow::Error) -> Self {
        Self { contender, work, cause: format!("{cause:#}") }
    }
}

/// All that was seen of one kind of work.
#[derive(Debug, Serialize)]
struct Table {
    work: Work,
    callers: usize,
    rows: Vec<Row>,
}

impl Report {
    /// Nothing was seen yet.
    pub(super) fn new(in_flight: usize, keys_before: u64, works: &[Work]) -> Self {
        let table =
            |work: &Work| Table { work: *work, callers: work.callers(in_flight), rows: Vec::new() };
        Self {
            in_flight,
            keys_before,
            contenders: BTreeMap::new(),
            left_out: Vec::new(),
            tables: works.iter().map(table).collect(),
        }
    }

    /// One more takes part.
    pub(super) fn enter(&mut self, entrant: &Entrant) {
        self.contenders.insert(entrant.kind.name(), entrant.contender.about());
        for table in &mut self.tables {
            if let Some(form) = entrant.contender.form(table.work) {
                table.rows.push(Row {
                    contender: entrant.kind,
                    form,
                    middle: None,
                    slices: Vec::new(),
                });
            }
        }
    }

    /// Whether it has not failed at this work before.
    pub(super) fn takes_part(&self, entrant: &Entrant, work: Work) -> bool {
        let is_it = |it: &LeftOut| it.contender == entrant.kind && it.work == Some(work);
        !self.left_out.iter().any(is_it)
    }

    /// Names what failed, and takes its row away.
    pub(super) fn leave_out_if_failed(&mut self, it: &Entrant, work: Work, done: Result<()>) {
        let Err(cause) = done else { return };
        tell(&format!("{} is left out of {}: {cause:#}", it.kind.name(), work.name()));
        self.left_out.push(LeftOut::of(it.kind, Some(work), &cause));
        for table in self.tables.iter_mut().filter(|table| table.work == work) {
            table.rows.retain(|row| row.contender != it.kind);
        }
    }

    /// All rounds are over.
    pub(super) fn finish(&mut self) {
        for Table { rows, .. } in &mut self.tables {
            let onced = rows.iter().find(|row| row.contender == Kind::Onced);
            let middles: Vec<Middle> = rows.iter().map(|row| Middle::of(row, onced)).collect();
            for (row, middle) in rows.iter_mut().zip(middles) {
                row.middle = Some(middle);
            }
        }
    }

    /// One more slice.
    pub(super) fn push(&mut self, it: &Entrant, work: Work, slice: Option<Measured>) {
        let tables = self.tables.iter_mut().filter(|table| table.work == work);
        let mut rows = tables.flat_map(|table| &mut table.rows);
        if let Some(row) = rows.find(|row| row.contender == it.kind) {
            row.slices.extend(slice);
        }
    }
}

impl Report {
    fn idling(&self) -> impl Iterator<Item = f64> {
        let rows = self.tables.iter().flat_map(|table| &table.rows);
        rows.flat_map(|row| &row.slices).map(|slice| slice.others_processors)
    }
}

impl fmt::Display for Reports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|report| writeln!(f, "{report}"))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "## {} settled keys before\n", self.keys_before)?;
        for table in &self.tables {
            writeln!(f, "{table}")?;
        }
        writeln!(
            f,
            "| | version | keys before | durable when | called by |\n|---|---|---|---|---|"
        )?;
        for (name, about) in &self.contenders {
            let About { version, durability, clients, is_loaded } = about;
            let before = if *is_loaded { self.keys_before } else { 0 };
            writeln!(f, "| {name} | {version} | {before} | {durability} | {clients} |")?;
        }
        writeln!(
            f,
            "\nWhile one was measured, the others' servers used {:.2} of a processor at the median \
             and {:.2} at most.",
            median(self.idling()),
            self.idling().fold(0.0, f64::max),
        )?;
        for it in &self.left_out {
            let work = it.work.map_or("everything", Work::name);
            writeln!(f, "\nLeft out of {work}: {}: {}", it.contender.name(), it.cause)?;
        }
        Ok(())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = "keys a second | onced's rate over it | p50 ms | p99 ms | onced's p50 over \
                       it | server's CPU µs a key | callers' | server's MiB | how";
        writeln!(f, "| {}, {} callers | {columns} |", self.work.name(), self.callers)?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|---|")?;
        for row in &self.rows {
            let Some(it) = &row.middle else { continue };
            writeln!(
                f,
                "| {} | {:.0} | {} | {:.2} | {:.2} | {} | {} | {:.1} | {} | {} |",
                row.contender.name(),
                it.keys_per_second,
                shown(it.onced_rate_over_it, 2),
                it.p50_millis,
                it.p99_millis,
                shown(it.onced_p50_over_it, 2),
                shown(it.server_cpu_micros, 1),
                it.callers_cpu_micros,
                shown(it.server_resident_mib, 0),
                row.form,
            )?;
        }
        self.rows.iter().try_for_each(|row| stampede(f, self.work, row))
    }
}

fn shown(figure: Option<f64>, digits: usize) -> String {
    figure.map_or_else(|| "–".to_owned(), |figure| format!("{figure:.digits$}"))
}

/// What a stampede cost the store, beside what it may cost.
fn stampede(f: &mut fmt::Formatter<'_>, work: Work, row: &Row) -> fmt::Result {
    if work != Work::Stampede {
        return Ok(());
    }
    let Some(Middle { store_calls: Some(calls), store_writes: Some(writes), .. }) = row.middle
    else {
        return Ok(());
    };
    let is_kept = if calls <= STAMPEDE_CALLS_MAX { "kept" } else { "missed" };
    writeln!(
        f,
        "\n{}: one stampede cost {calls:.2} calls of the store, {writes:.2} of them conditional \
         writes; at most {STAMPEDE_CALLS_MAX} are wanted: {is_kept}",
        row.contender.name(),
    )
}
