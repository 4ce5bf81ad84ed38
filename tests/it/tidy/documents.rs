//! What the documents must say, and that what they say is there.

use std::{collections::BTreeSet, path::Path};

use super::{Source, check, finds, root, source, sources};

#[test]
fn every_rule_is_in_the_table_of_proofs() {
    let rules = rules_in(&source("docs/rules.md").text);
    let table = source("docs/verification.md");
    let rows: BTreeSet<String> =
        rows(&table.text).iter().flat_map(|row| rules_in(row[0])).collect();
    assert!(rules.len() > 30, "only {} rules were found", rules.len());
    assert_eq!(rules, rows, "docs/rules.md and {} differ", table.path);
}

#[test]
fn every_rule_that_is_cited_exists() {
    let rules = rules_in(&source("docs/rules.md").text);
    let unknown = |source: &Source| {
        let cited = rules_in(&source.text);
        let unknown = cited.difference(&rules);
        unknown.map(|rule| format!("{}: {rule} is no rule", source.path)).collect::<Vec<_>>()
    };
    check(|source| if source.path.starts_with("tests/it/tidy") { vec![] } else { unknown(source) });
    finds(unknown, "server/src/keeper.rs", "// See R-NOSUCHRULE.");
}

fn rules_in(text: &str) -> BTreeSet<String> {
    let mut rules = BTreeSet::new();
    for (start, _) in text.match_indices("R-") {
        let glued = text[..start].ends_with(|c: char| c.is_alphanumeric() || c == '-');
        let name: String = text[start + 2..].chars().take_while(char::is_ascii_uppercase).collect();
        if !glued && name.len() > 2 {
            rules.insert(format!("R-{name}"));
        }
    }
    rules
}

/// Cells of the tables' rows that begin with a rule.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let rows = text.lines().filter(|line| line.starts_with("| R-"));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

#[test]
fn every_proof_that_is_named_exists() {
    let table = source("docs/verification.md");
    let code: Vec<_> = sources().into_iter().filter(|source| source.has_extension("rs")).collect();
    let faults: Vec<String> =
        rows(&table.text).iter().flat_map(|row| proof_faults(row, &code)).collect();
    assert!(faults.is_empty(), "{}:\n{}", table.path, faults.join("\n"));
    let planted = rows("| R-CRASH | `no_such_test` | `make test` |");
    assert_eq!(proof_faults(&planted[0], &code).len(), 1);
    let planted = rows("| R-CRASH | | `make test` |");
    assert_eq!(proof_faults(&planted[0], &code).len(), 1);
}

/// A row names tests that exist, or says that it is not yet proven.
fn proof_faults(row: &[&str], code: &[Source]) -> Vec<String> {
    let [rule, tests, _command] = row else { return vec![format!("{row:?}: not three cells")] };
    let names: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
    if names.is_empty() && !tests.starts_with("**not yet proven**") {
        return vec![format!("{rule}: neither a test nor the words for none")];
    }
    let defined = |name: &str| {
        let function = format!("fn {name}(");
        code.iter().any(|source| source.text.contains(&function))
    };
    let missing = names.into_iter().filter(|name| !defined(name));
    missing.map(|name| format!("{rule}: there is no test {name}")).collect()
}

#[test]
fn every_reason_is_explained_to_users() {
    let document = source("docs/semantics.md");
    let reasons: Vec<String> = source("proto/onced/v1/error.proto")
        .text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("ERROR_REASON_")?.split_once(" = "))
        .map(|(name, _)| format!("`{name}`"))
        .filter(|name| name != "`UNSPECIFIED`")
        .collect();
    assert!(reasons.len() > 20, "only {} reasons were found", reasons.len());
    let unexplained: Vec<_> =
        reasons.iter().filter(|name| !document.text.contains(name.as_str())).collect();
    assert!(unexplained.is_empty(), "not in {}: {unexplained:?}", document.path);
}

#[test]
fn documents_have_a_title_and_their_links_lead_somewhere() {
    check(astray);
    finds(astray, "docs/a.md", "No title.\n");
    finds(astray, "docs/a.md", "# A\nSee [b](no-such-file.md).\n");
    finds(astray, "docs/a.md", "# A\nSee `docs/no-such-file.md`.\n");
    finds(astray, "docs/a.md", "# A\nSee `server/src/no_such_module.rs`.\n");
}

fn astray(source: &Source) -> Vec<String> {
    if !source.has_extension("md") {
        return Vec::new();
    }
    let mut faults = Vec::new();
    if !source.text.starts_with("# ") {
        faults.push(format!("{}: has no title", source.path));
    }
    let directory = root().join(&source.path).parent().expect("a directory").to_owned();
    for link in links(&source.text) {
        if !directory.join(link).exists() && !root().join(link).exists() {
            faults.push(format!("{}: {link} is not there", source.path));
        }
    }
    faults
}

/// Targets of links, and files of the repository in backticks.
fn links(text: &str) -> impl Iterator<Item = &str> {
    const NAMED: [&str; 5] = ["md", "proto", "rs", "sh", "toml"];
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let named = text.split('`').skip(1).step_by(2).filter(|name| {
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|found| found == "md" || name.contains('/') && NAMED.contains(&found))
    });
    let named = named.filter(|name| !name.contains([' ', '*', '<', '{', '\n']));
    targets.filter(|link| !link.is_empty() && !link.contains("://")).chain(named)
}

#[test]
fn the_project_speaks_of_itself_alone() {
    check(speaks_of_elsewhere);
    finds(speaks_of_elsewhere, "docs/a.md", "As /work/notes say.");
    finds(speaks_of_elsewhere, "server/src/keeper.rs", "// See DESIGN.md, section 2.");
}

fn speaks_of_elsewhere(source: &Source) -> Vec<String> {
    const ELSEWHERE: [&str; 11] = [
        "/work/",
        "/root/",
        "shared/",
        "DESIGN.md",
        "RULES.md",
        "FAULTS.md",
        "STYLE.md",
        "BRIEF",
        "subagent",
        "worktree",
        "this session",
    ];
    if source.path.starts_with("tests/it/tidy/documents") {
        return Vec::new();
    }
    let words = ELSEWHERE.iter().filter(|word| source.text.contains(**word));
    words.map(|word| format!("{}: {word}", source.path)).collect()
}

#[test]
fn the_changelog_is_of_one_form() {
    let found = changelog_faults(&source("CHANGELOG.md"));
    assert!(found.is_empty(), "{}", found.join("\n"));
    finds(changelog_faults, "CHANGELOG.md", "# Changelog\n\n## v0.2\n");
    finds(changelog_faults, "CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- no full stop\n");
}

fn changelog_faults(source: &Source) -> Vec<String> {
    let mut faults = Vec::new();
    if !source.text.starts_with("# Changelog\n") {
        faults.push("the title is not `# Changelog`".to_owned());
    }
    let mut entry = String::new();
    for line in source.text.lines().chain([""]) {
        if line.starts_with("  ") && !entry.is_empty() {
            entry.push_str(line);
            continue;
        }
        if !entry.is_empty() && !entry.ends_with('.') {
            faults.push(format!("not a sentence: {entry}"));
        }
        entry = if line.starts_with("- ") { line.to_owned() } else { String::new() };
        if let Some(heading) = line.strip_prefix("## ")
            && !is_release(heading)
        {
            faults.push(format!("neither `Unreleased` nor `x.y.z, yyyy-mm-dd`: {heading}"));
        }
    }
    faults
}

fn is_release(heading: &str) -> bool {
    let digits = |text: &str, separator, count| {
        let parts: Vec<&str> = text.split(separator).collect();
        let number = |part: &&str| part.parse::<u32>().is_ok();
        parts.len() == count && parts.iter().all(number)
    };
    let dated = heading.split_once(", ");
    heading == "Unreleased"
        || dated.is_some_and(|(version, date)| digits(version, '.', 3) && digits(date, '-', 3))
}

#[test]
fn decisions_are_short_and_say_what_would_change_them() {
    check(decision_faults);
    finds(decision_faults, "docs/adr/0009-x.md", "# X\n");
    let long = format!("# X\n## What would change our mind\n{}", "x\n".repeat(39));
    finds(decision_faults, "docs/adr/0009-x.md", &long);
}

fn decision_faults(source: &Source) -> Vec<String> {
    let Some(name) = source.path.strip_prefix("docs/adr/") else { return Vec::new() };
    let mut faults = Vec::new();
    if !name.starts_with(|c: char| c.is_ascii_digit()) || name.find('-') != Some(4) {
        faults.push(format!("{name}: is not NNNN-title.md"));
    }
    if source.text.lines().count() > 40 {
        faults.push(format!("{name}: longer than 40 lines"));
    }
    if !source.text.contains("\n## What would change our mind\n") {
        faults.push(format!("{name}: does not say what would change our mind"));
    }
    faults
}

#[test]
fn the_map_stays_short() {
    let lines = source("ARCHITECTURE.md").text.lines().count();
    assert!(lines <= 150, "ARCHITECTURE.md has {lines} lines; at most 150");
}
