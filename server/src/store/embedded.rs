//! The embedded engine: SQLite.
