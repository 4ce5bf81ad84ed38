use super::*;

#[test]
fn every_metric_has_its_promised_name_in_both_formats() {
    let metrics = Metrics::new();
    let scope = Scope::of("payments", "charge");
    metrics.ruled(&scope, &Verdict::Completed);
    metrics.reclaimed(&scope, "policy");
    metrics.refused(&Scope::other(), "FENCED");
    let warning = v1::Warning { r#type: v1::WarningType::KeyHasClock.into(), ..Default::default() };
    metrics.key_warnings(&scope, &[warning]);
    metrics.called("onced.v1.ClaimService/Claim", "OK", Duration::from_millis(3));
    metrics.store_called("load", Duration::from_millis(1));
    metrics.store_wrote("applied");
    let waiting = metrics.waiting(&scope);
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
