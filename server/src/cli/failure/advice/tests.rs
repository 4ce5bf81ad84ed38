use std::collections::BTreeMap;

use onced_proto::v1::ErrorReason;
use tonic::Code;
use tonic_types::{ErrorDetails, StatusExt};

use super::*;

/// The documentation's table of refusals: reason and what to do.
fn documented() -> BTreeMap<&'static str, String> {
    let page = include_str!("../../../../../docs/semantics.md");
    let table = page.split_once("## Refusals").unwrap().1;
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"));
    let cells = rows.map(|row| row.split(" | ").collect::<Vec<_>>());
    cells
        .flat_map(|cells| {
            let advice = cells[2].replace('`', "");
            let reasons = cells[0].split(", ").map(|reason| reason.trim_matches('`'));
            reasons.map(move |reason| (reason, advice.clone())).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn every_reason_is_advised_on_as_documented() {
    let documented = documented();
    assert!(documented.contains_key("QUOTA"), "{documented:?}");
    for (reason, advice) in &documented {
        assert_eq!(by_reason(reason), Some(advice.as_str()), "{reason}");
    }
    for number in 1..100 {
        let Ok(reason) = ErrorReason::try_from(number) else { continue };
        let name = reason.as_str_name().trim_start_matches("ERROR_REASON_");
        assert!(documented.contains_key(name), "{name}");
    }
}

#[test]
fn reasons_of_others_are_not_judged() {
    let told = |domain| {
        let details = ErrorDetails::with_error_info("FENCED", domain, []);
        of(&Status::with_error_details(Code::Aborted, "", details))
    };
    assert!(told("onced.v1").is_some_and(|advice| advice.starts_with("stop")));
    assert_eq!(told("proxy"), None);
}
