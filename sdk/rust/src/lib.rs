//! For people who write plugins in Rust: reads what the gateway shows a plugin
//! and writes what the plugin answers.
//!
//! A plugin is a type with a value that lives as long as the instance, the
//! methods of [`Plugin`] that it has an answer for, and one line that says which
//! of them are exports:
//!
//! ```ignore
//! #![no_std]
//! use gw1::{List, Plugin, Result, View};
//!
//! struct First;
//!
//! impl Plugin for First {
//!     fn route(&mut self, _: View, list: &mut List) -> Result {
//!         list.add(0);
//!         Ok(())
//!     }
//! }
//!
//! gw1::plugin! { First = First; route }
//! gw1::trap_on_panic!();
//! ```
//!
//! The crate needs neither std nor an allocator. What views return borrows from
//! the exchange buffer and cannot outlive the call: copy what you keep, for
//! instance into a [`Fixed`]. Whatever the bytes say, reading never panics: what
//! is absent, or outside the blob, is `None` or zero.
//!
//! An error is an answer, not a fault: the configuration's `on_error` decides
//! what becomes of the exchange.
#![cfg_attr(not(test), no_std)]
#![warn(missing_docs)]

mod blob;
mod buffer;
mod cluster;
#[allow(missing_docs)]
pub mod constants;
mod fixed;
pub mod host;
mod params;
mod plugin;
mod sample;
#[doc(hidden)]
pub mod serve;
mod shared;
#[cfg(test)]
mod tests;
mod text;
mod view;
mod write;

pub use cluster::{Cluster, Member};
pub use constants::*;
pub use fixed::Fixed;
pub use params::{Params, Value};
pub use plugin::{Answer, Code, Plugin, Result};
pub use sample::{HttpResponse, Sample, Tick};
#[doc(hidden)]
pub use shared::Shared;
pub use text::{decoded, query_value, Decoded};
pub use view::{Fields, Origin, Origins, View};
pub use write::{List, NameList, Ops};
