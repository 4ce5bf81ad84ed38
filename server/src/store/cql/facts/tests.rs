use super::*;

#[test]
fn a_release_is_read_whatever_follows_its_numbers() {
    for (text, numbers) in [
        ("4.1.6", [4, 1, 6]),
        ("5.0-beta1", [5, 0, 0]),
        ("5.0.9", [5, 0, 9]),
        ("4.1.5-SNAPSHOT", [4, 1, 5]),
        ("2025.4.0~rc1-0.20251201.abc", [2025, 4, 0]),
        ("6.2", [6, 2, 0]),
    ] {
        assert_eq!(Release::read(text), Some(Release(numbers)), "{text}");
    }
    assert_eq!(Release::read("unknown"), None);
    assert_eq!(Release::read(""), None);
    assert!(Release([6, 2, 3]) < Release([2025, 4, 0]));
}

#[test]
fn a_replication_is_taken_apart_and_what_is_no_number_is_kept_as_such() {
    let of = |parts: &[(&str, &str)]| {
        parts.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let (strategy, factors) = taken_apart(&of(&[
        ("class", "org.apache.cassandra.locator.NetworkTopologyStrategy"),
        ("dc1", "3"),
        ("dc2", "3/1"),
    ]));
    assert_eq!(strategy, "NetworkTopologyStrategy");
    assert_eq!(factors, BTreeMap::from([("dc1".to_owned(), Some(3)), ("dc2".to_owned(), None)]));
}

#[test]
fn the_paxos_grace_is_read_where_it_is_set() {
    let of = |name: &str, bytes: &[u8]| HashMap::from([(name.to_owned(), bytes.to_vec())]);
    assert_eq!(paxos_grace(&of("paxos_grace_seconds", &[0x00, 0x2f, 0x0d, 0x00])), Some(864_000));
    assert_eq!(paxos_grace(&of("cdc", &[0x00, 0x2f, 0x0d, 0x00])), None);
    assert_eq!(paxos_grace(&of("paxos_grace_seconds", &[1])), None);
}
