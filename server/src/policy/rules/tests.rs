//! What an engine's limits refuse in a policy file.

use super::*;
use crate::{clock::ManualClock, policy::PolicySet};

const DAY: u64 = 86_400;

/// Faults of a charge with these settings, on an engine whose expiries end in so many days.
fn faults(settings: &str, days_left: u64, clock_margin: Duration) -> Vec<String> {
    let now = Timestamp(1_000_000);
    let at = now.after(Duration::from_secs(days_left * DAY));
    let last_expiry = Some(LastExpiry { at, clock: Arc::new(ManualClock::at(now)) });
    let rules = Rules { mode: Mode::Serve, clock_margin, last_expiry };
    let text = format!(
        "[namespaces.payments.operations.charge]\neffect_class = 'accumulative'\n{settings}"
    );
    let faults = PolicySet::parse(&text, "p.toml", rules).err().unwrap_or_default();
    faults.iter().map(ToString::to_string).collect()
}

#[test]
fn a_retention_past_the_last_expiry_is_refused_with_a_day_to_spare() {
    let margin = Duration::from_secs(2);
    assert_eq!(faults("retention = '45d'", 46, margin), [""; 0]);
    let expected = "p.toml:3: payments/charge: retention 45d reaches past 2038-01-19, and \
                    Cassandra refuses an expiry beyond: at most 44d from now";
    assert_eq!(faults("retention = '45d'", 45, margin), [expected]);
    assert_eq!(faults("retention = '45d'\nresult_retention = '1d'", 0, margin).len(), 1);
}

#[test]
fn what_is_left_shrinks_as_time_passes() {
    let clock = Arc::new(ManualClock::at(Timestamp(0)));
    let at = Timestamp(0).after(Duration::from_secs(10 * DAY));
    let last = LastExpiry { at, clock: clock.clone() };
    assert_eq!(last.left(), Duration::from_secs(9 * DAY));
    clock.advance(Duration::from_secs(4 * DAY));
    assert_eq!(last.left(), Duration::from_secs(5 * DAY));
    clock.advance(Duration::from_secs(40 * DAY));
    assert_eq!(last.left(), Duration::ZERO);
}

#[test]
fn the_clock_margin_of_a_cluster_is_what_a_record_must_outlive_its_lease_by() {
    let settings = "retention = '2h'\nmax_lease = '1h 58m'\nmax_hold = '2h'";
    assert_eq!(faults(settings, 100, Duration::from_secs(59)), [""; 0]);
    let refused = faults(settings, 100, Duration::from_secs(60));
    assert!(refused[0].contains("the clock margin of 1m"), "{refused:?}");
}
