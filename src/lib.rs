//! toolwire keeps what a tool said about itself, that it worked or failed, through every wire format.
//!
//! The house, from the ground up; each room uses only what lies below it (`tests/layers.rs` keeps that true):
//!
//! * [`path`]: the address every error and every loss carries.
//! * [`error`]: everything that can go wrong.
//! * [`json`]: text to values and back, with the one limit on depth and size.
//! * [`message`]: the typed conversation.
//! * [`outcome`]: what "failed" means; the private marker and the readable label.
//! * [`identity`]: when two messages are the same.
//! * [`dialect`]: one room per wire format; they never meet.
//! * [`request`]: an internal body becomes a provider body.
//! * [`direct`]: a body of one wire straight to another, where texts only change their place.
//! * [`graph`]: every message of a rollout once, keyed by the conversation that ends with it.
//! * [`journal`]: a graph as lines in a file, and back.
//! * [`record`]: a graph as the trace records of a host framework, and back.
//! * [`rollout`]: the requests of one rollout, each read as far as it is new.
//! * `py`: the Python module, the only room that knows of Python; it decides nothing.

pub mod dialect;
pub mod direct;
pub mod error;
pub mod graph;
pub mod identity;
pub mod journal;
pub mod json;
pub mod message;
pub mod outcome;
pub mod path;
pub mod record;
pub mod request;
pub mod rollout;

#[cfg(feature = "python")]
mod py;
