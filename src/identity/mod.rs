//! When two messages are the same conversational message.
