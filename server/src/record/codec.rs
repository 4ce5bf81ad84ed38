//! The layout of a record on disk: one versioned protobuf message.
