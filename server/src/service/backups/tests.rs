use super::*;

fn faults(name: &str) -> Vec<String> {
    name_faults(name).into_iter().map(|violation| violation.description).collect()
}

#[test]
fn a_plain_name_has_no_fault() {
    for name in ["", "nightly", "onced-20261130T223500.000001Z.sqlite", "A_1.b-c"] {
        assert_eq!(faults(name), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn no_name_leads_out_of_the_folder() {
    for name in [
        "..",
        ".",
        "../x",
        "/etc/passwd",
        "a/b",
        "a\\b",
        "..\\x",
        "x/../../y",
        "a\0b",
        "a\nb",
        "~",
        "%2e%2e%2f",
        "ｎightly",
        ".hidden",
        "-rf",
        "C:x",
        "x y",
    ] {
        assert!(!faults(name).is_empty(), "{name:?}");
    }
}

#[test]
fn no_name_is_that_of_another_file() {
    for name in ["x.partial", "x-wal", "x-shm", "x-journal"] {
        assert_eq!(faults(name).len(), 1, "{name}");
    }
}

#[test]
fn every_fault_of_a_name_is_told() {
    let name = format!("../{}-wal", "x".repeat(200));
    let told = faults(&name).join("; ");
    for part in ["has 207 bytes", "begins with", "holds '/'", "ends with -wal"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}
