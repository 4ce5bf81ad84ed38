//! Findings for people, as a table and a page for each; and for scripts, as JSON.

use std::{fmt::Write as _, io::IsTerminal};

use onced_proto::admin::v1::{DiagnoseResponse, Diagnosis};
use serde_json::{Value, json};

use super::{
    super::{
        is_coloured, json,
        page::{Page, Tone, visible},
    },
    finding::Finding,
    judge::{KEYS_MIN, percent},
};

/// The headings of the table.
const HEADINGS: [&str; 6] = ["operation", "keys", "again", "records", "unresolved", ""];

/// Everything, for people.
pub(super) fn text(answer: &DiagnoseResponse, judged: &[Vec<Finding>]) -> String {
    let coloured = is_coloured(std::io::stdout().is_terminal());
    let mut text = headline(answer, judged).render(coloured);
    if !answer.diagnoses.is_empty() {
        text += &table(answer, judged);
    }
    for (diagnosis, findings) in answer.diagnoses.iter().zip(judged) {
        for finding in findings {
            text.push('\n');
            text += &page(diagnosis, finding).render(coloured);
        }
    }
    text
}

fn headline(answer: &DiagnoseResponse, judged: &[Vec<Finding>]) -> Page {
    let found: usize = judged.iter().map(Vec::len).sum();
    let operations = match answer.diagnoses.len() {
        1 => "1 operation".to_owned(),
        count => format!("{count} operations"),
    };
    let page = if found == 0 {
        let headline = format!("nothing is wrong with {operations}");
        Page::new(Tone::Good, "healthy", headline)
    } else {
        let headline = format!("{found} in {operations}");
        Page::new(Tone::Bad, "findings", headline)
    };
    let left_out = answer.left_out_count;
    page.row("left out", (left_out > 0).then(|| format!("{left_out} operations: --namespace")))
}

/// A line for each operation.
fn table(answer: &DiagnoseResponse, judged: &[Vec<Finding>]) -> String {
    let mut lines = vec![HEADINGS.map(str::to_owned)];
    let rows = answer.diagnoses.iter().zip(judged);
    lines.extend(rows.map(|(diagnosis, findings)| line(diagnosis, findings.len())));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: [usize; 6] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let mut text = String::new();
    for line in &lines {
        let [name, numbers @ .., last] = line;
        let mut row = format!("  {name:0$}", widths[0]);
        for (number, width) in numbers.iter().zip(&widths[1..]) {
            let _ = write!(row, "  {number:>width$}");
        }
        let _ = writeln!(text, "{}", format!("{row}  {last}").trim_end());
    }
    text
}

fn line(diagnosis: &Diagnosis, findings: usize) -> [String; 6] {
    let whole = diagnosis.whole.unwrap_or_default();
    let open = diagnosis.open.unwrap_or_default();
    let sample = diagnosis.sample.unwrap_or_default();
    let at_least = |is_all| if is_all { "" } else { "+" };
    let told = match findings {
        0 if whole.keys_count < KEYS_MIN => "healthy; too few keys to judge shares".to_owned(),
        0 => "healthy".to_owned(),
        1 => "1 finding".to_owned(),
        more => format!("{more} findings"),
    };
    [
        visible(&format!("{}/{}", diagnosis.namespace, diagnosis.operation)),
        whole.keys_count.to_string(),
        percent(whole.keys_again_count, whole.keys_count),
        format!("{}{}", sample.records_count, at_least(sample.complete)),
        format!("{}{}", open.unresolved_count, at_least(open.complete)),
        told,
    ]
}

fn page(diagnosis: &Diagnosis, finding: &Finding) -> Page {
    let (certainty, meaning) = (finding.certainty.word(), finding.cause.meaning());
    let page = Page::new(finding.tone(), certainty, meaning)
        .row("operation", Some(format!("{}/{}", diagnosis.namespace, diagnosis.operation)))
        .row("finding", Some(finding.cause.name()));
    let page = finding.signs.iter().fold(page, |page, sign| page.row("sign", Some(sign)));
    finding.cause.steps().iter().fold(page, |page, step| page.next(*step))
}

/// The same with all numbers, for scripts.
pub(super) fn json(answer: &DiagnoseResponse, judged: &[Vec<Finding>]) -> anyhow::Result<String> {
    let mut told = Vec::new();
    for (diagnosis, findings) in answer.diagnoses.iter().zip(judged) {
        told.extend(findings.iter().map(|finding| finding_json(diagnosis, finding)));
    }
    let numbers = json::value("onced.admin.v1.DiagnoseResponse", answer)?;
    let whole = json!({ "findings": told, "numbers": numbers });
    Ok(format!("{}\n", serde_json::to_string_pretty(&whole)?))
}

fn finding_json(diagnosis: &Diagnosis, finding: &Finding) -> Value {
    json!({
        "namespace": diagnosis.namespace,
        "operation": diagnosis.operation,
        "finding": finding.cause.name(),
        "certainty": finding.certainty.word(),
        "meaning": finding.cause.meaning(),
        "signs": finding.signs,
        "next": finding.cause.steps().join(" "),
    })
}

#[cfg(test)]
mod tests;
