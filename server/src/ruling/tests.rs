//! The rulings, cell by cell, sentence by sentence, and over random histories.
//!
//! No record is made up: each is brought about by requests that were ruled on and written.

mod asks;
mod bounds;
mod claim;
mod complete;
mod contested;
mod expiry;
mod margin;
mod memory;
mod oracle;
mod own_attempt;
mod payloads;
mod property;
mod reclaim;
mod release;
mod renew;
mod repeats;
mod resolve;
mod scene;
mod spent;
mod strictness;
mod tokens;
mod windows;
mod words;
