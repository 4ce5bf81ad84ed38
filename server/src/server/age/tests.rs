use super::*;

#[test]
fn an_age_is_spread_by_a_tenth_to_either_side() {
    let age = Duration::from_secs(300);
    let ages: Vec<_> = (0..=200).map(|random| spread(age, random)).collect();
    assert_eq!(ages.first(), Some(&Duration::from_secs(270)));
    assert_eq!(ages.get(100), Some(&age));
    assert_eq!(ages.last(), Some(&Duration::from_secs(330)));
    assert!((0..50).map(|_| jittered(age)).any(|one| one != age));
}
