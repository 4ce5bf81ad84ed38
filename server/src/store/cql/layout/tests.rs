use super::*;

#[test]
fn every_step_is_made_of_tables_that_can_be_made_again() {
    assert_eq!(usize::try_from(VERSION).unwrap(), STEPS.len());
    for statement in STEPS.iter().flat_map(|step| statements(step, "k")) {
        assert!(statement.starts_with("CREATE TABLE IF NOT EXISTS k."), "{statement}");
        assert!(!statement.contains("--") && !statement.contains(';'), "{statement}");
    }
}

#[test]
fn the_tables_and_their_columns_are_known_from_the_statements() {
    let claims = &tables()[CLAIMS];
    for (column, of_type) in [("namespace", "text"), ("lease", "uuid"), ("record", "blob")] {
        assert_eq!(claims[column], of_type, "{column}");
    }
    assert!(claims.keys().all(|name| *name == name.to_lowercase()), "{claims:?}");
    for name in ["claims", "memory", "hints"] {
        assert!(STEPS[0].contains(&format!("CREATE TABLE {name} (")), "{name}");
        assert!(tables()[name].len() > 2, "{name}");
    }
    assert_eq!(tables().len(), STEPS[0].matches("CREATE TABLE ").count());
}

#[test]
fn commas_inside_a_type_part_nothing() {
    let (name, columns) =
        table("CREATE TABLE t ( a map<text, frozen<list<int>>>, b int PRIMARY KEY ) WITH x = 1")
            .unwrap();
    assert_eq!(name, "t");
    assert_eq!(columns["a"], "map<text, frozen<list<int>>>");
    assert_eq!((columns["b"].as_str(), columns.len()), ("int", 2));
}
