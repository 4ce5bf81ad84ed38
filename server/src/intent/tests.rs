use super::*;

#[test]
fn the_provider_key_has_golden_vectors() {
    let intent = IntentId::new("intent", "payments", "charge", "charge:v1:order-42").unwrap();
    let identity = intent.identity();
    assert_eq!(identity.provider_key(ProviderKeyForm::Text).len(), 38);
    assert_eq!(identity.provider_key(ProviderKeyForm::Uuid).len(), 36);
}
