use super::{super::connection::Output, *};

#[test]
fn only_what_is_on_this_machine_is_taken_without_a_yes() {
    for (endpoint, expected) in [
        ("http://127.0.0.1:7450", true),
        ("http://127.9.9.9:1", true),
        ("http://[::1]:7450", true),
        ("http://localhost:7450", true),
        ("http://LOCALHOST", true),
        ("http://10.0.0.7:7450", false),
        ("http://localhost.example.com:7450", false),
        ("http://[fe80::1]:7450", false),
        ("http://0.0.0.0:7450", false),
    ] {
        assert_eq!(is_loopback(endpoint), expected, "{endpoint}");
    }
}

fn tally() -> Tally {
    let mut one = Tally { intents: 100, records: 100, ..Tally::default() };
    (1..=100).for_each(|n| one.answered("claim", Duration::from_millis(n)));
    let mut other = Tally { intents: 50, ..Tally::default() };
    other.answered("complete", Duration::from_micros(1_234));
    other.failed("UNAVAILABLE".to_owned());
    one.join(other);
    one
}

fn told(tally: &Tally, output: Output) -> String {
    let told = report::Told {
        work: Work::ClaimComplete,
        run: "bench:v1:r".to_owned(),
        in_flight: 8,
        took: Duration::from_secs(3),
        retention: Duration::from_secs(3_600),
        tally,
    };
    told.render(output).unwrap()
}

#[test]
fn a_person_is_told_rate_latencies_failures_and_what_is_left() {
    let expected = "\
measured with failures: 50 intents a second (150 in 3.0 s)
  work         claim-complete, 8 at once
  keys         bench:v1:r:…
  claim        100 calls, p50 50.02 ms, p90 90.05 ms, p99 99.01 ms, max 100.04 ms
  complete     1 calls, p50 1.24 ms, p90 1.24 ms, p99 1.24 ms, max 1.24 ms
  failures     UNAVAILABLE 1
  left behind  100 records, for 1h
";
    assert_eq!(told(&tally(), Output::Text), expected);
}

#[test]
fn a_script_is_told_the_same() {
    let told: serde_json::Value = serde_json::from_str(&told(&tally(), Output::Json)).unwrap();
    assert_eq!((&told["count"], &told["perSecond"]), (&150.into(), &50.0.into()));
    assert_eq!(told["calls"]["claim"]["count"], 100);
    assert_eq!(told["failures"]["UNAVAILABLE"], 1);
    assert_eq!(told["recordsLeft"], 100);
}

#[test]
fn the_code_tells_whether_anything_or_everything_failed() {
    let failed = |intents| {
        let mut tally = Tally { intents, ..Tally::default() };
        tally.failed("UNAVAILABLE".to_owned());
        exit(&tally)
    };
    assert_eq!(exit(&Tally::default()), Exit::Done);
    assert_eq!((failed(1), failed(0)), (Exit::Incomplete, Exit::Unavailable));
}

#[test]
fn the_bar_follows_time_or_number() {
    for (time, done, full) in [(0.0, 0, 0), (0.5, 0, 15), (0.1, 50, 15), (2.0, 0, 30)] {
        assert_eq!(report::bar(time, done, 100).matches('#').count(), full, "{time} {done}");
    }
}
