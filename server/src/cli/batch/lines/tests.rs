use super::*;

fn names() -> Names {
    Names { namespace: Some("n".into()), operation: Some("o".into()) }
}

fn renewals(text: &str) -> anyhow::Result<Vec<Line<RenewRequest>>> {
    read(text, &names())
}

#[test]
fn a_line_is_a_request_whose_names_may_be_given_for_all() {
    let lines = renewals(
        "{\"intent\":{\"key\":\"a\"},\"fencingToken\":\"7\"}\n\n\
         {\"intent\":{\"namespace\":\"m\",\"operation\":\"p\",\"key\":\"b\"},\"fencingToken\":8}\n",
    );
    let lines = lines.unwrap();
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            let intent = line.message.intent.clone().unwrap();
            (line.number, intent.namespace, intent.key, line.message.fencing_token)
        })
        .collect();
    assert_eq!(told, [(1, "n".into(), "a".into(), 7), (3, "m".into(), "b".into(), 8)]);
}

#[test]
fn every_fault_is_told_with_its_line() {
    let told = renewals("{\nnull\n{\"intent\":{\"key\":\"a\"}}\n{}\n{\"intent\":{},\"tokn\":1}");
    let told = told.unwrap_err().to_string();
    for line in ["line 1: ", "line 2: ", "line 4: ", "line 5: "] {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(!told.contains("line 3"), "{told}");
}

#[test]
fn a_claim_without_a_claimant_gets_one_of_its_own() {
    let text = "{\"intent\":{\"key\":\"a\"}}\n{\"intent\":{\"key\":\"b\"}}";
    let lines = read::<ClaimRequest>(text, &names()).unwrap();
    let claimants: HashSet<_> = lines.iter().map(|line| &line.message.claimant).collect();
    assert!(claimants.len() == 2 && claimants.iter().all(|claimant| claimant.len() == 36));
}

fn lengths(keys: impl Iterator<Item = String>) -> Vec<usize> {
    let text: String = keys
        .fold(String::new(), |text, key| text + &format!("{{\"intent\":{{\"key\":\"{key}\"}}}}\n"));
    chunks(renewals(&text).unwrap()).iter().map(Vec::len).collect()
}

#[test]
fn a_call_takes_a_thousand_and_no_intent_twice() {
    assert_eq!(lengths((0..2_001).map(|n| n.to_string())), [1_000, 1_000, 1]);
    let keys = ["a", "b", "a", "c", "b", "c"].map(str::to_owned);
    assert_eq!(lengths(keys.into_iter()), [2, 3, 1]);
    assert_eq!(lengths((0..9).map(|n| n.to_string().repeat(500_000))), [6, 3]);
}
