//! What may stand in which source file.

use std::path::Path;

use super::{Source, check, finds};

const FILE_LINES_MAX: usize = 400;
const LINE_CHARACTERS_MAX: usize = 100;

#[test]
fn the_core_knows_no_clock_no_store_and_no_wire() {
    check(impure);
    finds(impure, "server/src/ruling.rs", "use tokio::time::Instant;");
    finds(impure, "server/src/ruling/claim.rs", "let now = SystemTime::now();");
    finds(impure, "server/src/ruling/claim.rs", "async fn rule() {}");
}

fn impure(source: &Source) -> Vec<String> {
    const ABSENT: [&str; 9] = [
        "tokio",
        "tonic",
        "scylla",
        "rusqlite",
        "SystemTime",
        "Instant",
        "async ",
        "std::fs",
        "onced_proto",
    ];
    if !source.path.starts_with("server/src/ruling") {
        return Vec::new();
    }
    absent(source, &ABSENT, "has no place in the core")
}

#[test]
fn only_the_clock_reads_the_wall_clock() {
    check(reads_the_clock);
    finds(reads_the_clock, "server/src/keeper.rs", "let now = SystemTime::now();");
    finds(reads_the_clock, "server/src/store/embedded.rs", "clock_gettime(ClockId::Realtime)");
}

fn reads_the_clock(source: &Source) -> Vec<String> {
    if !source.path.starts_with("server/src/") || source.path == "server/src/clock.rs" {
        return Vec::new();
    }
    absent(source, &["SystemTime::now", "clock_gettime"], "belongs in clock.rs")
}

#[test]
fn only_the_edge_knows_tonic() {
    check(knows_tonic);
    finds(knows_tonic, "server/src/keeper.rs", "use tonic::Status;");
    finds(knows_tonic, "server/src/store.rs", "fn status(e: Error) -> tonic::Status;");
}

fn knows_tonic(source: &Source) -> Vec<String> {
    const EDGE: [&str; 8] =
        ["cli", "main.rs", "serve", "server", "service", "status", "telemetry/span", "wire"];
    let Some(inside) = source.path.strip_prefix("server/src/") else { return Vec::new() };
    if EDGE.iter().any(|edge| inside.starts_with(edge)) {
        return Vec::new();
    }
    absent(source, &["tonic::", "tonic_"], "belongs at the edge")
}

fn absent(source: &Source, words: &[&str], why: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (number, line) in source.code_lines() {
        for word in words.iter().filter(|word| line.contains(**word)) {
            faults.push(format!("{}:{number}: {word} {why}", source.path));
        }
    }
    faults
}

#[test]
fn modules_are_flat_and_named_for_what_they_hold() {
    check(vaguely_named);
    finds(vaguely_named, "server/src/store/mod.rs", "");
    finds(vaguely_named, "server/src/utils.rs", "");
    finds(vaguely_named, "server/src/core/lease.rs", "");
}

fn vaguely_named(source: &Source) -> Vec<String> {
    const VAGUE: [&str; 9] =
        ["mod", "utils", "util", "common", "helpers", "types", "core", "shared", "manager"];
    if !source.has_extension("rs") {
        return Vec::new();
    }
    let path = Path::new(&source.path).with_extension("");
    let vague = path.iter().map(|part| part.to_string_lossy());
    vague
        .filter(|part| VAGUE.contains(&part.as_ref()))
        .map(|part| format!("{}: `{part}` does not say what it holds", source.path))
        .collect()
}

#[test]
fn every_module_says_what_it_is() {
    check(unsaid);
    finds(unsaid, "server/src/keeper.rs", "use std::fmt;\n");
}

fn unsaid(source: &Source) -> Vec<String> {
    // Tests beside their module are tests of it.
    let is_beside = source.path.ends_with("/tests.rs");
    let is_code = source.has_extension("rs") && !source.is_generated();
    if !is_code || is_beside || source.text.starts_with("//! ") {
        return Vec::new();
    }
    vec![format!("{}: does not begin with `//! `", source.path)]
}

#[test]
fn files_and_lines_are_short() {
    check(too_long);
    finds(too_long, "server/src/keeper.rs", &"//! x\n".repeat(FILE_LINES_MAX + 1));
    finds(too_long, "scripts/demo.sh", &"é".repeat(LINE_CHARACTERS_MAX + 1));
}

fn too_long(source: &Source) -> Vec<String> {
    let is_code = ["rs", "sh", "py", "go", "ts", "java"].iter().any(|e| source.has_extension(e));
    if !is_code || source.is_generated() {
        return Vec::new();
    }
    let mut faults = Vec::new();
    let lines = source.text.lines().count();
    if lines > FILE_LINES_MAX {
        faults.push(format!("{}: {lines} lines; at most {FILE_LINES_MAX}", source.path));
    }
    for (index, line) in source.text.lines().enumerate() {
        let length = line.chars().count();
        // A raw string cannot be broken.
        if length > LINE_CHARACTERS_MAX && !line.contains("r#\"") {
            faults.push(format!("{}:{}: {length} characters", source.path, index + 1));
        }
    }
    faults
}
