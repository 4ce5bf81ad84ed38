use super::{facts::Release, *};

fn replication() -> BTreeMap<String, u32> {
    BTreeMap::from([("dc1".to_owned(), 3), ("dc2".to_owned(), 2)])
}

#[test]
fn a_keyspace_is_made_without_tablets_only_where_they_have_no_conditional_writes() {
    let statement = |engine| creation("k", &replication(), engine);
    let plain = "CREATE KEYSPACE IF NOT EXISTS k WITH replication = {'class': \
                 'NetworkTopologyStrategy', 'dc1': 3, 'dc2': 2} AND durable_writes = true";
    for release in [[4, 1, 6], [5, 0, 9]] {
        assert_eq!(statement(Engine::Cassandra(Release(release))), plain);
    }
    for release in [[5, 4, 0], [2025, 4, 0], [2026, 1, 0]] {
        assert_eq!(statement(Engine::Scylla(Release(release))), plain, "{release:?}");
    }
    let without = format!("{plain} AND tablets = {{'enabled': false}}");
    for release in [[6, 0, 0], [6, 2, 3], [2025, 1, 0], [2025, 3, 9]] {
        assert_eq!(statement(Engine::Scylla(Release(release))), without, "{release:?}");
    }
}

#[test]
fn a_replication_that_the_keyspace_does_not_have_is_told() {
    let keyspace = planned(&replication());
    assert_eq!(other_replication(&keyspace, Some(&replication())), None);
    assert_eq!(other_replication(&keyspace, None), None);
    let other = BTreeMap::from([("dc1".to_owned(), 3)]);
    assert!(other_replication(&keyspace, Some(&other)).unwrap().contains("ALTER KEYSPACE"));
}
