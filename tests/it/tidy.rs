//! The house rules as tests: what may stand in which file, and what the documents must say.
//!
//! Each rule is a plain function from a file's text to its faults, so that it can be shown a fault
//! that was planted. Reads the working tree; never writes to it.

use std::{
    fs,
    path::{Path, PathBuf},
};

mod code;
mod dependencies;
mod documents;

/// One text file of the repository.
struct Source {
    /// From the root, with `/`.
    path: String,
    text: String,
}

impl Source {
    fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| found == extension)
    }

    fn is_generated(&self) -> bool {
        self.path.split('/').any(|part| matches!(part, "gen" | "generated"))
    }

    /// Its lines with their numbers, without comments.
    fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line))
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

/// The files of the repository that people write: not what is built, fetched or locked.
fn sources() -> Vec<Source> {
    let root = root();
    let mut found = Vec::new();
    collect(&root, &root, &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 50, "the tree was not found at {}", root.display());
    found
}

fn source(path: &str) -> Source {
    let text = fs::read_to_string(root().join(path));
    Source::new(path, &text.unwrap_or_else(|error| panic!("{path}: {error}")))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the root").to_owned()
}

fn collect(root: &Path, directory: &Path, found: &mut Vec<Source>) {
    for entry in fs::read_dir(directory).expect("a readable tree") {
        let path = entry.expect("a readable entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !is_foreign(&name) {
            collect(root, &path, found);
        } else if path.is_file()
            && is_written_by_hand(&path)
            && let Ok(text) = fs::read_to_string(&path)
        {
            let path = path.strip_prefix(root).expect("below the root");
            found.push(Source::new(&path.to_string_lossy(), &text));
        }
    }
}

fn is_foreign(directory: &str) -> bool {
    matches!(directory, ".git" | ".tools" | "target" | "node_modules" | "onced-data" | ".venv")
}

fn is_written_by_hand(path: &Path) -> bool {
    const WRITTEN: [&str; 13] =
        ["rs", "proto", "md", "toml", "sh", "py", "go", "ts", "java", "yaml", "yml", "cql", "txt"];
    let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    WRITTEN.contains(&extension.as_str())
        || path.file_name().is_some_and(|name| name == "Makefile" || name == "run")
}

#[track_caller]
fn check(rule: impl Fn(&Source) -> Vec<String>) {
    let faults: Vec<String> = sources().iter().flat_map(rule).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// A rule that finds nothing in a planted fault guards nothing.
#[track_caller]
fn finds(rule: impl Fn(&Source) -> Vec<String>, path: &str, planted: &str) {
    assert!(!rule(&Source::new(path, planted)).is_empty(), "not found in {path}: {planted}");
}
