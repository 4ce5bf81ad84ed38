//! Every direct dependency has its reason, and the lock files name nobody's mirror.

use std::collections::BTreeSet;

use super::{Source, check, finds, source, sources};

#[test]
fn every_dependency_has_its_sentence() {
    let document = source("docs/dependencies.md");
    let explained = explained(&document);
    let used: BTreeSet<String> = sources()
        .iter()
        .filter(|source| source.path.ends_with("Cargo.toml"))
        .flat_map(direct_dependencies)
        .filter(|name| !name.starts_with("onced"))
        .collect();
    assert!(used.contains("prost"), "no dependency was found");
    let unexplained: Vec<_> = used.difference(&explained).collect();
    assert!(unexplained.is_empty(), "no sentence in {}: {unexplained:?}", document.path);
    let gone: Vec<_> = explained.difference(&used).collect();
    assert!(gone.is_empty(), "explained in {}, used nowhere: {gone:?}", document.path);
}

/// The names in its lists: "- `name`: a sentence."
fn explained(document: &Source) -> BTreeSet<String> {
    let names = document.text.lines().filter_map(|line| {
        let (name, sentence) = line.strip_prefix("- `")?.split_once("`: ")?;
        (sentence.len() > 20).then(|| name.to_owned())
    });
    names.collect()
}

/// Of the packages' own tables; the workspace's table only fixes versions.
fn direct_dependencies(manifest: &Source) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in manifest.text.lines() {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]") && line != "[workspace.dependencies]";
        } else if inside && let Some((name, _)) = line.split_once('=') {
            let name = name.trim().trim_end_matches(".workspace");
            names.push(name.to_owned());
        }
    }
    names
}

#[test]
fn every_version_is_fixed_in_one_place_and_used() {
    let root = source("Cargo.toml");
    let (_, table) = root.text.split_once("[workspace.dependencies]").expect("the table");
    let (table, _) = table.split_once("\n[").expect("its end");
    let manifests: Vec<_> = sources();
    let used: BTreeSet<String> = manifests
        .iter()
        .filter(|source| source.path.ends_with("Cargo.toml"))
        .flat_map(direct_dependencies)
        .collect();
    let unused: Vec<_> = table
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name)
        .filter(|name| !used.contains(*name))
        .collect();
    assert!(unused.is_empty(), "in the workspace's table, used by no package: {unused:?}");
}

#[test]
fn the_lock_files_name_no_mirror() {
    let locks = ["Cargo.lock", "tools/package-lock.json", "tools/bench/package-lock.json"];
    for source in locks.map(source) {
        let faults = mirrors(&source);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
    finds(mirrors, "Cargo.lock", "source = \"registry+https://mirror.example/index\"");
    finds(mirrors, "tools/package-lock.json", "\"resolved\": \"https://mirror.example/x.tgz\"");
    check(foreign_registries);
    finds(foreign_registries, "Cargo.toml", "x = { git = \"https://example.com/x\" }");
}

fn mirrors(source: &Source) -> Vec<String> {
    const CRATES_IO: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
    let foreign = source.text.lines().filter(|line| line.contains("://") && *line != CRATES_IO);
    foreign.map(|line| format!("{}: {}", source.path, line.trim())).collect()
}

fn foreign_registries(source: &Source) -> Vec<String> {
    if !source.path.ends_with("Cargo.toml") {
        return Vec::new();
    }
    let words = ["git = ", "registry = "];
    let lines = source.text.lines().filter(|line| words.iter().any(|word| line.contains(word)));
    lines.map(|line| format!("{}: {line}", source.path)).collect()
}
