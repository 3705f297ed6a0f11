use crate::constants;
use crate::{Cluster, HttpResponse, List, NameList, Ops, Params, Sample, Tick, View};

/// What the methods of a [`Plugin`] return.
pub type Result<T = ()> = core::result::Result<T, Code>;

/// An error code, a negative number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub i32);

impl Code {
    /// It did not work, for a reason that has no code of its own.
    pub const FAILED: Code = Code(constants::FAILED);
    /// What was asked for does not fit the buffer given.
    pub const BUFFER_SMALL: Code = Code(constants::BUFFER_SMALL);
    /// There is nothing of that name.
    pub const NOT_FOUND: Code = Code(constants::NOT_FOUND);
    /// An argument makes no sense.
    pub const BAD_ARGUMENT: Code = Code(constants::BAD_ARGUMENT);
    /// Not granted to this plugin, or not in this call.
    pub const DENIED: Code = Code(constants::DENIED);
    /// A limit is reached.
    pub const LIMIT: Code = Code(constants::LIMIT);
    /// This cannot be done here.
    pub const UNSUPPORTED: Code = Code(constants::UNSUPPORTED);
    /// Not now; it may work later.
    pub const BUSY: Code = Code(constants::BUSY);
    /// Somebody else was faster.
    pub const CONFLICT: Code = Code(constants::CONFLICT);
    /// It took too long.
    pub const TIMEOUT: Code = Code(constants::TIMEOUT);
    /// The other side could not be reached.
    pub const UNREACHABLE: Code = Code(constants::UNREACHABLE);
}

/// What a matcher says of a request. A bool is one, too: `.into()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The request does not match.
    NoMatch,
    /// The request matches.
    Match,
    /// The rule does not match, whatever its expression says around the call.
    Unknown,
}

impl From<bool> for Answer {
    fn from(matches: bool) -> Self {
        if matches {
            Answer::Match
        } else {
            Answer::NoMatch
        }
    }
}

/// A plugin. It has the methods that [`plugin!`](crate::plugin) names for it;
/// the others are never called.
#[allow(unused_variables)]
pub trait Plugin {
    /// `gw_configure`: the plugin's params. An error is what the operator reads;
    /// the gateway keeps its old configuration then.
    fn configure(&mut self, params: Params) -> core::result::Result<(), &'static str> {
        Ok(())
    }

    /// `gw_on_cluster` of a router or collector: the cluster table, at first and
    /// whenever it has changed.
    fn on_cluster(&mut self, cluster: Cluster) -> Result {
        Err(Code::UNSUPPORTED)
    }

    /// `gw_route` of a router. Who lists nothing abstains.
    fn route(&mut self, view: View, list: &mut List) -> Result {
        Err(Code::UNSUPPORTED)
    }

    /// `gw_route_names` of a router, which it may have instead of `gw_route`.
    fn route_names(&mut self, view: View, list: &mut NameList) -> Result {
        Err(Code::UNSUPPORTED)
    }

    /// `gw_match` of a matcher.
    fn matches(&mut self, view: View) -> Result<Answer> {
        Err(Code::UNSUPPORTED)
    }

    /// `gw_collect` of a collector: the metric, 0 (no room) to `METRIC_IDLE`, or
    /// none: then the old one stays until it is stale.
    fn collect(&mut self, sample: Sample) -> Result<Option<u32>> {
        Err(Code::UNSUPPORTED)
    }

    /// `gw_enabled` of a collector: whether it wants the next sample.
    fn enabled(&mut self) -> bool {
        true
    }

    /// `gw_on_request` of a filter. Who writes no operation changes nothing.
    fn on_request(&mut self, view: View, ops: &mut Ops) -> Result {
        Err(Code::UNSUPPORTED)
    }

    /// `gw_on_response` of a filter.
    fn on_response(&mut self, view: View, ops: &mut Ops) -> Result {
        Err(Code::UNSUPPORTED)
    }

    /// `gw_tick` of a router, collector or filter.
    fn tick(&mut self, tick: Tick) -> Result {
        Err(Code::UNSUPPORTED)
    }

    /// `gw_on_http_response`, which a plugin that calls out must have.
    fn on_http_response(&mut self, response: HttpResponse) -> Result {
        Err(Code::UNSUPPORTED)
    }
}

/// Declares the plugin of a module: its type, the value it begins with (which
/// must be a constant), and the methods of [`Plugin`] that are exports.
///
/// ```ignore
/// gw1::plugin! { Router = Router { first: None }; configure, on_cluster, route }
/// ```
#[macro_export]
macro_rules! plugin {
    ($type:ty = $begin:expr; $($method:ident),+ $(,)?) => {
        static PLUGIN: $crate::Shared<$type> = $crate::Shared::new($begin);

        #[no_mangle]
        pub extern "C" fn gw_abi_1() -> i32 {
            $crate::MINOR
        }

        #[no_mangle]
        pub extern "C" fn gw_buffer(size: i32) -> i32 {
            $crate::serve::buffer(size)
        }

        $($crate::export!($method);)+
    };
}

/// One export, by the name of its method.
#[doc(hidden)]
#[macro_export]
macro_rules! export {
    (configure) => {
        $crate::export!(gw_configure configure);
    };
    (on_cluster) => {
        $crate::export!(gw_on_cluster on_cluster);
    };
    (route) => {
        $crate::export!(gw_route route);
    };
    (route_names) => {
        $crate::export!(gw_route_names route_names);
    };
    (matches) => {
        $crate::export!(gw_match matches);
    };
    (collect) => {
        $crate::export!(gw_collect collect);
    };
    (on_request) => {
        $crate::export!(gw_on_request on_request);
    };
    (on_response) => {
        $crate::export!(gw_on_response on_response);
    };
    (tick) => {
        $crate::export!(gw_tick tick);
    };
    (on_http_response) => {
        $crate::export!(gw_on_http_response on_http_response);
    };
    (enabled) => {
        #[no_mangle]
        pub extern "C" fn gw_enabled() -> i32 {
            PLUGIN.call(|p| $crate::Plugin::enabled(p) as i32)
        }
    };
    ($export:ident $method:ident) => {
        #[no_mangle]
        pub extern "C" fn $export(size: i32) -> i32 {
            PLUGIN.call(|p| $crate::serve::$method(p, size))
        }
    };
}

/// What a plugin without std does when it panics: the call ends as a fault.
/// Plugins with std have that already.
#[macro_export]
macro_rules! trap_on_panic {
    () => {
        #[cfg(target_arch = "wasm32")]
        #[panic_handler]
        fn trap(_: &core::panic::PanicInfo) -> ! {
            core::arch::wasm32::unreachable()
        }
    };
}
