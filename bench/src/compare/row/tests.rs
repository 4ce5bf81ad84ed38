use super::*;

fn row(contender: Kind, rates: [f64; 3]) -> Row {
    let slice = |per_second| Slice { calls: 200, per_second, p50_micros: 1, p99_micros: 2 };
    let measured = |rate| Measured::of(Work::Batch, slice(rate), 40_000, None, None);
    Row { contender, form: "", middle: None, slices: rates.map(measured).into() }
}

#[test]
fn ratios_are_taken_within_each_round() {
    // The machine is slow in the second round, and slow for both.
    let (ours, theirs) = (row(Kind::Onced, [20.0, 2.0, 30.0]), row(Kind::Redis, [10.0, 1.0, 60.0]));
    let ratio = Middle::of(&theirs, Some(&ours)).onced_rate_over_it.unwrap();
    assert!((ratio - 2.0).abs() < 1e-9, "{ratio}");
}

#[test]
fn a_call_about_many_keys_counts_for_each_of_them() {
    let middle = Middle::of(&row(Kind::Onced, [20.0; 3]), None);
    assert!((middle.keys_per_second - 2_000.0).abs() < 1e-9, "{middle:?}");
    assert!((middle.callers_cpu_micros - 2.0).abs() < 1e-9, "{middle:?}");
    assert_eq!(middle.onced_rate_over_it, None, "onced did not take part");
}

#[test]
fn what_a_stampede_cost_the_store_is_told_for_each_stampede() {
    let slice = Slice { calls: 4_000, per_second: 1.0, p50_micros: 1, p99_micros: 2 };
    let asked = Operations { calls: 12.0, conditional_writes: 8.0 };
    let measured = Measured::of(Work::Stampede, slice, 0, None, Some(asked));
    assert_eq!(measured.store, Some(Operations { calls: 3.0, conditional_writes: 2.0 }));
}
