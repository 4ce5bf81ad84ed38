//! Memories that move when they must not.

use onced::{
    record::Revision,
    store::{Answer, Memory, Remembered, Store},
};

use super::Flaw;

/// The last writer wins.
pub struct LastWriterWins;

/// Says that what was given stands, whether it does or not.
pub struct AnswersWhatWasGiven;

/// The last one is not listed.
pub struct MissesOne;

/// The namespace is not looked at.
pub struct OfEveryNamespace;

impl Flaw for MissesOne {
    fn memories<'a>(
        &'a self,
        whole: &'a dyn Store,
        namespace: Option<&'a str>,
    ) -> Answer<'a, Vec<Remembered>> {
        Box::pin(async move {
            let mut all = whole.memories(namespace).await?;
            all.pop();
            Ok(all)
        })
    }
}

impl Flaw for OfEveryNamespace {
    fn memories<'a>(
        &'a self,
        whole: &'a dyn Store,
        _namespace: Option<&'a str>,
    ) -> Answer<'a, Vec<Remembered>> {
        whole.memories(None)
    }
}

impl Flaw for LastWriterWins {
    fn set_memory<'a>(
        &'a self,
        whole: &'a dyn Store,
        namespace: &'a str,
        operation: &'a str,
        _expected: Option<Revision>,
        memory: &'a Memory,
    ) -> Answer<'a, Memory> {
        Box::pin(async move {
            let standing = whole.memory(namespace, operation).await?;
            let expected = standing.map(|memory| memory.revision);
            whole.set_memory(namespace, operation, expected, memory).await
        })
    }
}

impl Flaw for AnswersWhatWasGiven {
    fn set_memory<'a>(
        &'a self,
        whole: &'a dyn Store,
        namespace: &'a str,
        operation: &'a str,
        expected: Option<Revision>,
        memory: &'a Memory,
    ) -> Answer<'a, Memory> {
        Box::pin(async move {
            whole.set_memory(namespace, operation, expected, memory).await?;
            Ok(memory.clone())
        })
    }
}
