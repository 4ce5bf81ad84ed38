use super::*;

impl Flights {
    /// How many keys it knows.
    pub(in crate::keeper) fn len(&self) -> usize {
        self.0.iter().map(|stripe| stripe.lock().unwrap().len()).sum()
    }
}
