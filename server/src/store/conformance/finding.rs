//! What the provider's side names is found, in its namespace alone.

use super::{
    Fault,
    bench::{Bench, same},
    sample::{self, seconds},
};
use crate::{
    intent::{IntentId, ProviderKeyForm},
    record::Record,
    store::{Expiry, Find, LeaseWrite, Write},
};

pub(super) async fn a_provider_key_finds_its_intent(bench: Bench) -> Result<(), Fault> {
    let (intent, other) = (bench.intent("k"), bench.intent("other"));
    let record = bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
    bench.put(&other, sample::claim(bench.record(&other), 60)).await?;
    found(&bench, Find::ProviderKey(record.provider_key), &["k"]).await?;
    found(&bench, Find::ProviderKey("once1-".to_owned()), &[]).await?;
    found(&bench, Find::ProviderKey("someone else's".to_owned()), &[]).await
}

pub(super) async fn a_provider_key_of_the_other_form_finds_its_intent(
    bench: Bench,
) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let provider_key = intent.identity().provider_key(ProviderKeyForm::Uuid);
    let record = Record { provider_key: provider_key.clone(), ..bench.record(&intent) };
    bench.put(&intent, sample::claim(record, 60)).await?;
    found(&bench, Find::ProviderKey(provider_key), &["k"]).await?;
    // It was not forwarded in this form.
    let text = intent.identity().provider_key(ProviderKeyForm::Text);
    found(&bench, Find::ProviderKey(text), &[]).await
}

pub(super) async fn a_provider_reference_finds_every_intent_that_names_it(
    bench: Bench,
) -> Result<(), Fault> {
    for key in ["one", "two", "three"] {
        let intent = bench.intent(key);
        let claimed = bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
        let settled = match key {
            "one" => sample::succeeded_as(&claimed, "ch_1"),
            "two" => sample::failed_as(&claimed, "ch_1"),
            _ => sample::succeeded_as(&claimed, "ch_2"),
        };
        let write = sample::complete(&claimed, b"", 86_400);
        bench.put(&intent, Write { record: settled, ..write }).await?;
    }
    found(&bench, Find::ProviderReference("ch_1".to_owned()), &["one", "two"]).await?;
    found(&bench, Find::ProviderReference("ch_2".to_owned()), &["three"]).await?;
    found(&bench, Find::ProviderReference("ch_3".to_owned()), &[]).await
}

pub(super) async fn a_reference_of_a_late_report_finds_its_intent(
    bench: Bench,
) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let claimed = bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
    let settled = sample::succeeded_as(&claimed, "ch_1");
    let write = sample::complete(&claimed, b"", 86_400);
    let settled = bench.put(&intent, Write { record: settled, ..write }).await?;
    let reported = sample::with_late_report(&settled, bench.now(), "ch_2");
    bench.put(&intent, sample::annotate(&settled, reported)).await?;
    for reference in ["ch_1", "ch_2"] {
        found(&bench, Find::ProviderReference(reference.to_owned()), &["k"]).await?;
    }
    Ok(())
}

pub(super) async fn what_is_found_is_of_the_namespace(bench: Bench) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let claimed = bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
    let named = sample::succeeded_as(&claimed, "ch_1");
    let record = bench.put(&intent, sample::annotate(&claimed, named)).await?;
    let elsewhere = format!("{}-2", bench.namespace);
    for by in [Find::ProviderKey(record.provider_key), Find::ProviderReference("ch_1".to_owned())] {
        let foreign = bench.store.find(&elsewhere, &by).await?;
        same(&foreign.len(), &0, "intents that another namespace finds")?;
    }
    Ok(())
}

pub(super) async fn at_most_a_hundred_are_found(bench: Bench) -> Result<(), Fault> {
    for number in 0..105 {
        let intent = bench.intent(&format!("k{number}"));
        let record = sample::succeeded_as(&bench.record(&intent), "batch");
        bench.put(&intent, sample::create(record)).await?;
    }
    let by = Find::ProviderReference("batch".to_owned());
    let found = bench.store.find(&bench.namespace, &by).await?;
    same(&found.len(), &100, "intents that are found")
}

pub(super) async fn what_has_expired_is_not_found(bench: Bench) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let claimed = bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
    let named = sample::succeeded_as(&claimed, "ch_1");
    let write = sample::complete(&claimed, b"", bench.length());
    let record = bench.put(&intent, Write { record: named, ..write }).await?;
    bench.pass_until_after(bench.length()).await;
    found(&bench, Find::ProviderKey(record.provider_key), &[]).await?;
    found(&bench, Find::ProviderReference("ch_1".to_owned()), &[]).await
}

pub(super) async fn unsettled_is_said_of_an_operation_until_it_has_its_outcome(
    bench: Bench,
) -> Result<(), Fault> {
    let intent = bench.intent("k");
    unsettled(&bench, &intent, false).await?;
    let claimed = bench.put(&intent, sample::claim(bench.record(&intent), bench.length())).await?;
    unsettled(&bench, &intent, true).await?;
    bench.pass_until_after(bench.length()).await;
    unsettled(&bench, &intent, true).await?;
    // Unreconciled, but settled.
    let settle = Write { expiry: Expiry::Never, ..sample::complete(&claimed, b"", 86_400) };
    bench.put(&intent, settle).await?;
    unsettled(&bench, &intent, false).await
}

pub(super) async fn unsettled_is_said_of_one_operation_alone(bench: Bench) -> Result<(), Fault> {
    let (charge, refund) = (bench.intent_of("charge", "k"), bench.intent_of("refund", "k"));
    let claimed = bench.put(&charge, sample::claim(bench.record(&charge), 60)).await?;
    unsettled(&bench, &charge, true).await?;
    unsettled(&bench, &refund, false).await?;
    // Without an outcome, but to be forgotten.
    let release = Write {
        lease: LeaseWrite::Clear,
        expiry: Expiry::After(seconds(bench.length())),
        ..sample::annotate(&claimed, sample::released(&claimed))
    };
    bench.put(&charge, release).await?;
    bench.pass_until_after(bench.length()).await;
    unsettled(&bench, &charge, false).await
}

async fn unsettled(bench: &Bench, intent: &IntentId, wanted: bool) -> Result<(), Fault> {
    let said = bench.store.any_unsettled(&bench.namespace, intent.operation()).await?;
    same(&said, &wanted, "whether any is unsettled")
}

async fn found(bench: &Bench, by: Find, wanted: &[&str]) -> Result<(), Fault> {
    let found = bench.store.find(&bench.namespace, &by).await?;
    let mut got: Vec<_> = found.iter().map(|(intent, _)| intent.key()).collect();
    got.sort_unstable();
    let mut wanted = wanted.to_vec();
    wanted.sort_unstable();
    same(&got, &wanted, &format!("what {by:?} finds"))?;
    let results = found.iter().filter(|(_, stored)| stored.result.is_some()).count();
    same(&results, &0, "results among what is found")
}
