//! Get.

use super::{Get, Ruling};
use crate::store::Stored;

pub(super) fn rule(_stored: Option<&Stored>, _get: &Get) -> Ruling {
    todo!("next commit")
}
