use onced_proto::admin::v1::{KeyWindow, RecordSample};

use super::{
    super::finding::{Cause, Certainty},
    *,
};

fn answer() -> DiagnoseResponse {
    let whole = KeyWindow { keys_count: 1_200, keys_again_count: 36, ..KeyWindow::default() };
    let sample = RecordSample { records_count: 900, ..RecordSample::default() };
    let one = Diagnosis {
        namespace: "payments".to_owned(),
        operation: "charge".to_owned(),
        whole: Some(whole),
        sample: Some(sample),
        ..Diagnosis::default()
    };
    let fresh = Diagnosis { operation: "refund".to_owned(), whole: None, ..one.clone() };
    DiagnoseResponse { diagnoses: vec![one, fresh], ..DiagnoseResponse::default() }
}

fn finding() -> Finding {
    let signs = vec!["one".to_owned(), "two".to_owned()];
    Finding { cause: Cause::KeyPerAttempt, certainty: Certainty::Probable, signs }
}

#[test]
fn a_person_gets_a_table_with_a_line_for_each_operation() {
    let told = text(&answer(), &[vec![], vec![]]);
    let expected = "\
healthy: nothing is wrong with 2 operations
  operation        keys  again  records  unresolved
  payments/charge  1200  3.0 %     900+          0+  healthy
  payments/refund     0      -     900+          0+  healthy; too few keys to judge shares
";
    assert_eq!(told, expected);
}

#[test]
fn a_finding_says_how_sure_it_is_why_and_what_to_do() {
    let told = text(&answer(), &[vec![finding()], vec![]]);
    assert!(told.starts_with("findings: 1 in 2 operations\n"), "{told}");
    for line in [
        "probably: each attempt has a key of its own: a retry acts again",
        "  operation  payments/charge",
        "  sign       one",
        "  sign       two",
        "next:",
    ] {
        assert!(told.lines().any(|told| told == line), "{line}: {told}");
    }
}

#[test]
fn a_script_gets_the_findings_and_the_numbers() {
    let told: Value =
        serde_json::from_str(&json(&answer(), &[vec![finding()], vec![]]).unwrap()).unwrap();
    let found = &told["findings"][0];
    assert_eq!(
        (&found["finding"], &found["certainty"]),
        (&json!("KEY_PER_ATTEMPT"), &json!("probably"))
    );
    assert_eq!(found["operation"], "charge");
    assert_eq!(told["numbers"]["diagnoses"][0]["whole"]["keysCount"], "1200");
}

#[test]
fn every_line_fits_a_terminal() {
    let causes = [
        Cause::KeyPerAttempt,
        Cause::TooFewKeys,
        Cause::LeasesEnd,
        Cause::Unresolved,
        Cause::Disputed,
        Cause::LateReports,
        Cause::MemoryGap,
        Cause::MemoryTooShort,
    ];
    for cause in causes {
        let lines = cause.steps().iter().copied().chain([cause.meaning()]);
        for line in lines {
            assert!(line.len() <= 78, "{line}");
        }
    }
}
