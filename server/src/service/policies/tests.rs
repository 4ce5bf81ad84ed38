use std::fmt::Write;

use tonic::Code;

use super::*;
use crate::{policy::Mode, service::trial::fields};

fn set() -> PolicySet {
    let mut text = String::new();
    for name in ["payments.operations.charge", "payments.operations.refund", "mail.operations.send"]
    {
        writeln!(text, "[namespaces.{name}]\neffect_class = \"accumulative\"").unwrap();
    }
    PolicySet::parse(&text, "policy.toml", Mode::Serve).unwrap()
}

fn page(size: i32, token: &str, namespace: &str) -> Result<(Vec<String>, String), Denial> {
    let request = v1::ListPoliciesRequest {
        namespace: namespace.to_owned(),
        page_size: size,
        page_token: token.to_owned(),
    };
    let page = list(&set(), &request)?;
    let names = page.policies.into_iter().map(|policy| policy.operation).collect();
    Ok((names, page.next_page_token))
}

#[test]
fn pages_follow_each_other_to_the_end() {
    let (names, next) = page(2, "", "").unwrap();
    assert_eq!(names, ["send", "charge"]);
    let (names, next) = page(2, &next, "").unwrap();
    assert_eq!((names, next.as_str()), (vec!["refund".to_owned()], ""));
    assert_eq!(page(0, "", "").unwrap().0.len(), 3);
    assert_eq!(page(5_000, "", "payments").unwrap().0, ["charge", "refund"]);
}

#[test]
fn the_last_full_page_has_none_after_it() {
    assert_eq!(page(3, "", "").unwrap().1, "");
}

#[test]
fn a_token_means_nothing_for_another_question() {
    let (_, next) = page(1, "", "payments").unwrap();
    assert_eq!(page(1, &next, "payments").unwrap().0, ["refund"]);
    for (size, token, namespace, field) in [
        (1, next.as_str(), "", "page_token"),
        (1, "nonsense", "payments", "page_token"),
        (-1, "", "", "page_size"),
        (1, "", "Payments", "namespace"),
    ] {
        let status = page(size, token, namespace).unwrap_err().status();
        assert_eq!((status.code(), fields(&status)), (Code::InvalidArgument, vec![field.into()]));
    }
}

#[test]
fn a_policy_is_found_by_both_names_or_not_at_all() {
    let names = |namespace: &str, operation: &str| v1::GetPolicyRequest {
        namespace: namespace.to_owned(),
        operation: operation.to_owned(),
    };
    let found = get(&set(), names("payments", "charge")).unwrap();
    assert_eq!(found.effect_class(), v1::EffectClass::Accumulative);
    assert_eq!(found.source_digest, set().digest());
    assert_eq!(get(&set(), names("mail", "charge")).unwrap_err().reason(), "OPERATION_UNKNOWN");
    let status = get(&set(), names("", "Charge")).unwrap_err().status();
    assert_eq!(fields(&status), ["namespace", "operation"]);
}
