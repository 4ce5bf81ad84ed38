//! The loop, over a store that fails on purpose.
