use super::*;

fn answered(verdict: Verdict) -> Answered {
    let memory = crate::store::Memory {
        revision: crate::record::Revision(uuid::Uuid::nil()),
        start: Timestamp(0),
        smallest_retention: Duration::ZERO,
        restored: false,
        gap: false,
    };
    let past = crate::keeper::Past { memory, forgotten_since: Timestamp(0) };
    let (waited, clock_bound) = (Duration::ZERO, Duration::ZERO);
    Answered { verdict, stored: None, waited, now: Timestamp(0), past, clock_bound }
}

/// Every metric with a value.
fn touched() -> Metrics {
    let metrics = Metrics::new();
    let scope = Scope::of("payments", "charge");
    metrics.ruled(&scope, &Verdict::Completed);
    metrics.reclaimed(&scope, "policy");
    metrics.refused(&Scope::other(), "FENCED");
    let warning = v1::Warning { r#type: v1::WarningType::KeyHasClock.into(), ..Default::default() };
    metrics.key_warnings(&scope, &[warning], Timestamp(0));
    metrics.keys_looked(Timestamp(0));
    metrics.called("onced.v1.ClaimService/Claim", "OK", Duration::from_millis(3));
    metrics.store_called("load", Duration::from_millis(1));
    metrics.store_wrote("applied");
    let late = Refusal::OutcomeConflict { recorded: crate::record::Standing::Succeeded };
    let intent = IntentId::new("", "payments", "charge", "k").unwrap();
    let denial = Denial::Refused { refusal: late, intent: intent.clone(), now: Timestamp(0) };
    metrics.reported(&scope, "failed", Err(&denial));
    let verdict = Verdict::Reported { repeated: false, late: false };
    let answered = answered(verdict);
    metrics.reported(&scope, "succeeded", Ok(&answered));
    metrics.looked(&scope, &Open::default(), Timestamp(0));
    metrics.remembered(&scope, true);
    metrics.count_leases(&scope, &intent, [FencingToken(1)].into_iter(), Timestamp(0));
    drop(metrics.waiting(&scope));
    metrics
}

#[test]
fn every_metric_has_its_promised_name_in_both_formats() {
    let metrics = touched();
    let waiting = metrics.waiting(&Scope::of("payments", "charge"));
    for page in [metrics.prometheus(), metrics.openmetrics()] {
        for line in [
            r#"onced_rulings_total{namespace="payments",operation="charge",verdict="completed"} 1"#,
            r#"onced_reclaims_total{namespace="payments",operation="charge",kind="policy"} 1"#,
            r#"onced_refusals_total{namespace="_other",operation="_other",reason="FENCED"} 1"#,
            r#"onced_key_warnings_total{namespace="payments",operation="charge",warning="KEY_HAS_CLOCK"} 1"#,
            r#"onced_waiters{namespace="payments",operation="charge"} 1"#,
            r#"rpc_server_call_duration_seconds_count{rpc_method="onced.v1.ClaimService/Claim",rpc_status_code="OK"} 1"#,
            r#"onced_store_call_duration_seconds_count{call="load"} 1"#,
            r#"onced_store_lwt_total{kind="applied"} 1"#,
            r#"onced_build_info{version=""#,
        ] {
            assert!(page.contains(line), "no {line} in {page}");
        }
    }
    drop(waiting);
    assert!(metrics.prometheus().contains(r#"operation="charge"} 0"#));
}

#[test]
fn a_late_report_is_counted_and_one_that_is_refused_for_its_form_is_not() {
    let metrics = Metrics::new();
    let scope = Scope::of("payments", "charge");
    let intent = crate::intent::IntentId::new("", "payments", "charge", "k").unwrap();
    let now = crate::clock::Timestamp(0);
    let refused = |refusal| Denial::Refused { refusal, intent: intent.clone(), now };
    let fenced = refused(Refusal::Fenced { current_attempt: 2, kept: true });
    let forgotten = refused(Refusal::Fenced { current_attempt: 2, kept: false });
    for denial in [&fenced, &forgotten, &Denial::Overloaded] {
        metrics.reported(&scope, "succeeded", Err(denial));
    }
    let page = metrics.prometheus();
    let line = r#"onced_late_reports_total{namespace="payments",operation="charge",outcome="succeeded"} 1"#;
    assert!(page.contains(line), "{page}");
    assert!(!page.contains("onced_outcomes_total{"), "{page}");
}

const GUIDE: &str = include_str!("../../../../docs/metrics.md");

/// Name, type and labels of every metric of the guide, in order.
fn described() -> Vec<[String; 3]> {
    let cells = |row: &str| {
        let cells: Vec<_> = row.split('|').map(|cell| cell.replace('`', "")).collect();
        [1, 2, 3].map(|n| cells[n].trim().to_owned())
    };
    let mut rows: Vec<_> =
        GUIDE.lines().filter(|line| line.starts_with("| `")).map(cells).collect();
    rows.sort();
    rows
}

/// The same of every metric of a page.
fn exposed(page: &str) -> Vec<[String; 3]> {
    let types = page.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let mut found: Vec<_> = types
        .map(|(name, kind)| {
            let name = if kind == "counter" && !name.ends_with("_total") {
                format!("{name}_total")
            } else {
                name.to_owned()
            };
            let labels = labels(page, &name);
            [name, kind.to_owned(), labels]
        })
        .collect();
    found.sort();
    found
}

/// The labels of a metric's first line.
fn labels(page: &str, name: &str) -> String {
    let line = page.lines().find(|line| line.starts_with(name)).expect("a value");
    let labels = line.split_once('{').expect("labels").1.split_once('}').expect("their end").0;
    let names = labels.split(',').filter_map(|label| label.split_once('=')).map(|(name, _)| name);
    names.filter(|name| *name != "le").collect::<Vec<_>>().join(", ")
}

#[test]
fn the_guide_describes_every_metric_and_no_other() {
    assert_eq!(described(), exposed(&touched().prometheus()));
}

#[test]
fn every_metric_that_is_registered_is_in_the_guide() {
    let code =
        concat!(include_str!("../metrics.rs"), include_str!("keys.rs"), include_str!("open.rs"));
    let is_metric = |text: &&str| text.starts_with("onced_") || text.starts_with("rpc_server_");
    let registered: Vec<_> = code.split('"').filter(is_metric).collect();
    let described = described();
    let names: Vec<_> =
        described.iter().map(|row| row[0].strip_suffix("_total").unwrap_or(&row[0])).collect();
    assert_eq!(registered.len(), names.len(), "{registered:?}");
    assert!(registered.iter().all(|name| names.contains(name)), "{registered:?}");
}
