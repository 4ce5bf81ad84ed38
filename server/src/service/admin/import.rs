//! Import: exported records land by conditional writes, in namespaces that are sealed here.
//!
//! Grants nothing and decides nothing: a record that another one is in the way of is told, not
//! judged.

use std::{collections::HashSet, sync::Arc};

use futures_util::{StreamExt, TryStreamExt, stream};
use onced_proto::admin::v1;
use tonic::{Status, Streaming};

use super::super::Service;
use crate::{
    keeper::Hold,
    status::{Denial, operator},
    store::Store,
    transfer::{self, Landed},
    violation::Violation,
    wire,
};

/// Records that land at once.
const AT_ONCE: usize = 64;
/// Most records that are named in one answer.
const NAMED_MAX: usize = 1_000;
/// What a person is told of a record that another one is in the way of.
const CONFLICT: &str = "another record stands here";

/// One import under way.
struct Import<'a> {
    service: &'a Service,
    store: Arc<dyn Store>,
    told: v1::ImportResponse,
}

impl Service {
    pub(super) async fn import(
        &self,
        mut parts: Streaming<v1::ImportRequest>,
    ) -> Result<v1::ImportResponse, Status> {
        let store = self.keeper.store();
        let mut import = Import { service: self, store, told: v1::ImportResponse::default() };
        while let Some(part) = parts.message().await? {
            import.take(part).await?;
        }
        // What was learned before these records came is not believed any more.
        self.keeper.forget();
        Ok(import.told)
    }
}

impl Import<'_> {
    async fn take(&mut self, part: v1::ImportRequest) -> Result<(), Status> {
        self.check_sealed(&part).await?;
        let store = &self.store;
        let landing: Vec<_> = part.records.into_iter().map(|record| land(store, record)).collect();
        let landed: Vec<_> = stream::iter(landing).buffer_unordered(AT_ONCE).try_collect().await?;
        for landed in landed {
            self.count(landed);
        }
        for (place, memory) in part.memories.iter().enumerate() {
            let field = format!("memories[{place}]");
            let memory = wire::transfer::carried_memory(memory)
                .ok_or_else(|| malformed(&field, "is not whole"))?;
            transfer::remember(&*self.store, &memory)
                .await
                .map_err(|error| operator::failed(&error))?;
        }
        Ok(())
    }

    /// A namespace that takes Claims would grant again what has not arrived yet.
    async fn check_sealed(&self, part: &v1::ImportRequest) -> Result<(), Status> {
        let of_records = part.records.iter().filter_map(|record| record.intent.as_ref());
        let of_records = of_records.map(|intent| intent.namespace.as_str());
        let of_memories = part.memories.iter().map(|memory| memory.namespace.as_str());
        let namespaces: HashSet<_> = of_records.chain(of_memories).collect();
        for namespace in namespaces {
            let held = self.service.keeper.held(Some(namespace).filter(|it| !it.is_empty())).await;
            if held.map_err(|error| operator::failed(&error))?.hold != Hold::Sealed {
                let named = if namespace.is_empty() { "all of it" } else { namespace };
                return Err(operator::not_sealed(named));
            }
        }
        Ok(())
    }

    fn count(&mut self, landed: Result<Landed, v1::RefusedRecord>) {
        let told = &mut self.told;
        match landed {
            Ok(Landed::Imported) => told.imported_count += 1,
            Ok(Landed::Replaced) => told.replaced_count += 1,
            Ok(Landed::Present) => told.present_count += 1,
            Ok(Landed::Conflict) => {}
            Err(refused) => {
                told.conflicts_count += 1;
                if told.refused.len() < NAMED_MAX {
                    told.refused.push(refused);
                }
            }
        }
    }
}

async fn land(
    store: &Arc<dyn Store>,
    record: v1::ExportedRecord,
) -> Result<Result<Landed, v1::RefusedRecord>, Status> {
    let intent = record.intent.clone();
    let refused = |reason: String| Ok(Err(v1::RefusedRecord { intent, reason }));
    let (names, stored) = match wire::transfer::carried(record) {
        Ok(carried) => carried,
        Err(reason) => return refused(reason),
    };
    match transfer::land(&**store, &names, &stored).await {
        Ok(Landed::Conflict) => refused(CONFLICT.to_owned()),
        Ok(landed) => Ok(Ok(landed)),
        Err(error) => Err(operator::failed(&error)),
    }
}

fn malformed(field: &str, fault: &str) -> Status {
    Denial::Malformed(vec![Violation::new("", field, fault)]).status()
}
