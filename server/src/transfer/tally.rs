//! How many records, and which: a sum that is the same in any order, so that two stores and a file
//! can be compared.

use sha2::{Digest, Sha256};

use crate::{intent::IntentId, record::Revision};

/// A count and a digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub records: u64,
    words: [u64; 4],
}

impl Tally {
    /// Counts one record.
    pub fn count(&mut self, intent: &IntentId, revision: Revision) {
        let hasher = Sha256::new_with_prefix(b"onced tally\0");
        let sum = hasher.chain_update(intent.identity().0).chain_update(revision.0.into_bytes());
        let sum: [u8; 32] = sum.finalize().into();
        self.records += 1;
        self.add(words(&sum));
    }

    /// Counts all that another one has counted.
    pub fn merge(&mut self, other: &Self) {
        self.records += other.records;
        self.add(other.words);
    }

    fn add(&mut self, words: [u64; 4]) {
        for (sum, word) in self.words.iter_mut().zip(words) {
            *sum = sum.wrapping_add(word);
        }
    }

    /// The digest, 32 bytes.
    pub fn digest(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }
}

fn words(sum: &[u8; 32]) -> [u64; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(sum.as_chunks().0) {
        *word = u64::from_be_bytes(*bytes);
    }
    words
}
