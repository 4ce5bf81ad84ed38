//! PolicyService: the policies in force, read-only.

use std::sync::Arc;

use data_encoding::BASE64URL_NOPAD;
use onced_proto::v1::{self, policy_service_server::PolicyService};
use sha2::{Digest, Sha256};
use tonic::{Request, Response, Status};

use crate::{
    intent::name_fault,
    policy::{Policies, PolicySet},
    status::Denial,
    violation::Violation,
    wire,
};

/// Page size if none is asked for, and the largest.
const PAGE: (usize, usize) = (100, 1_000);
/// Bytes of a page token that bind it to its question.
const SEAL: usize = 16;

/// PolicyService over the policies in force.
#[derive(Clone)]
pub struct PolicyReader(pub Arc<Policies>);

#[tonic::async_trait]
impl PolicyService for PolicyReader {
    async fn get_policy(
        &self,
        request: Request<v1::GetPolicyRequest>,
    ) -> Result<Response<v1::GetPolicyResponse>, Status> {
        let policy = get(&self.0.current(), request.into_inner());
        let policy = policy.map_err(|denial| denial.status())?;
        Ok(Response::new(v1::GetPolicyResponse { policy: Some(policy) }))
    }

    async fn list_policies(
        &self,
        request: Request<v1::ListPoliciesRequest>,
    ) -> Result<Response<v1::ListPoliciesResponse>, Status> {
        let page = list(&self.0.current(), &request.into_inner());
        page.map(Response::new).map_err(|denial| denial.status())
    }
}

fn get(set: &PolicySet, request: v1::GetPolicyRequest) -> Result<v1::Policy, Denial> {
    let v1::GetPolicyRequest { namespace, operation } = request;
    let faults = [("namespace", &namespace), ("operation", &operation)];
    let violations: Vec<_> = faults
        .into_iter()
        .filter_map(|(field, name)| Some(Violation::new("", field, name_fault(name)?)))
        .collect();
    if !violations.is_empty() {
        return Err(Denial::Malformed(violations));
    }
    match set.policy(&namespace, &operation) {
        Some(policy) => Ok(wire::policy::policy(&namespace, &operation, &policy, set.digest())),
        None => Err(Denial::OperationUnknown { namespace, operation }),
    }
}

fn list(
    set: &PolicySet,
    request: &v1::ListPoliciesRequest,
) -> Result<v1::ListPoliciesResponse, Denial> {
    let (size, after) = page(request).map_err(Denial::Malformed)?;
    let wanted = |namespace: &str| [namespace, ""].contains(&request.namespace.as_str());
    let mut found = set
        .iter()
        .filter(|(namespace, _, _)| wanted(namespace))
        .skip_while(|(namespace, operation, _)| !after.is_before(namespace, operation));
    let policies: Vec<v1::Policy> = found
        .by_ref()
        .take(size)
        .map(|(namespace, operation, policy)| {
            wire::policy::policy(namespace, operation, policy, set.digest())
        })
        .collect();
    let more = found.next().is_some();
    let last = policies.last().filter(|_| more);
    let next_page_token =
        last.map(|last| token(request, &last.namespace, &last.operation)).unwrap_or_default();
    Ok(v1::ListPoliciesResponse { policies, next_page_token })
}

/// The last policy of the page before, if there was one.
struct After(Option<(String, String)>);

impl After {
    fn is_before(&self, namespace: &str, operation: &str) -> bool {
        self.0.as_ref().is_none_or(|(last_namespace, last_operation)| {
            (namespace, operation) > (last_namespace.as_str(), last_operation.as_str())
        })
    }
}

fn page(request: &v1::ListPoliciesRequest) -> Result<(usize, After), Vec<Violation>> {
    let mut violations = Vec::new();
    if !request.namespace.is_empty() {
        let fault = name_fault(&request.namespace);
        violations.extend(fault.map(|fault| Violation::new("", "namespace", fault)));
    }
    let size = usize::try_from(request.page_size);
    if size.is_err() {
        violations.push(Violation::new("", "page_size", "is negative"));
    }
    let after = after(request);
    if after.is_none() {
        let fault = "is not of an answer to this very question";
        violations.push(Violation::new("", "page_token", fault));
    }
    match (size, after) {
        (Ok(size), Some(after)) if violations.is_empty() => Ok((page_size(size), after)),
        _ => Err(violations),
    }
}

fn page_size(asked: usize) -> usize {
    if asked == 0 { PAGE.0 } else { asked.min(PAGE.1) }
}

fn after(request: &v1::ListPoliciesRequest) -> Option<After> {
    if request.page_token.is_empty() {
        return Some(After(None));
    }
    let bytes = BASE64URL_NOPAD.decode(request.page_token.as_bytes()).ok()?;
    let (_, place) = bytes.split_at_checked(SEAL)?;
    let (namespace, operation) = std::str::from_utf8(place).ok()?.split_once('\0')?;
    let genuine = token(request, namespace, operation) == request.page_token;
    genuine.then(|| After(Some((namespace.to_owned(), operation.to_owned()))))
}

/// A page token says where to go on, and for which question: it means nothing for another one.
fn token(request: &v1::ListPoliciesRequest, namespace: &str, operation: &str) -> String {
    let place = format!("{namespace}\0{operation}");
    let seal = Sha256::digest(format!("onced policies\0{}\0{place}", request.namespace));
    BASE64URL_NOPAD.encode(&[&seal[..SEAL], place.as_bytes()].concat())
}

#[cfg(test)]
mod tests;
