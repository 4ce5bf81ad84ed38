use super::*;

fn metrics() -> Metrics {
    let text = "\
# TYPE onced_store_lwt counter
onced_store_lwt_total{kind=\"applied\"} 7
onced_store_lwt_total{kind=\"lost\"} 2
onced_store_call_duration_seconds_count{call=\"load\"} 3
onced_store_call_duration_seconds_count{call=\"compare_and_set\"} 9
onced_store_call_duration_seconds_count{call=\"unreconciled\"} 50
onced_waiters 12
";
    Metrics(text.to_owned())
}

#[test]
fn operations_are_looks_and_conditional_writes_without_listings() {
    let expected = Operations { calls: 12.0, conditional_writes: 9.0 };
    assert_eq!(metrics().operations(), expected);
}

#[test]
fn a_metric_is_summed_over_the_labels_that_are_asked_for() {
    assert!((metrics().sum("onced_store_lwt_total", "lost") - 2.0).abs() < f64::EPSILON);
    assert!((metrics().sum("onced_waiters", "") - 12.0).abs() < f64::EPSILON);
    assert!(metrics().sum("onced_wait", "").abs() < f64::EPSILON);
}
