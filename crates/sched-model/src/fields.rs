//! Macros that write setters and whole configurations from a list of fields, and that check deserialized values.

/// Writes a setter for each listed field, which takes and returns `self`. With `=> Some` the field is an `Option`,
/// and its setter takes the value in it. A setter without documentation gets "Sets `field`". A type with parameters
/// is given as `impl<'a> Settings<'a>`.
///
/// ```
/// #[derive(Debug, Clone, Default, PartialEq)]
/// #[must_use]
/// #[non_exhaustive]
/// pub struct Settings {
///     pub seed: u64,
///     pub nodes: u32,
///     pub most: Option<u32>,
/// }
/// sched_model::setters!(Settings {
///     with_seed: seed: u64,
///     /// Sets the number of nodes.
///     with_nodes: nodes: u32,
///     with_most: most: u32 => Some,
/// });
/// let settings = Settings::default().with_seed(7).with_nodes(3).with_most(5);
/// assert_eq!(settings, Settings { seed: 7, nodes: 3, most: Some(5) });
/// ```
#[macro_export]
macro_rules! setters {
    (impl<$($param:tt),+> $config:ty {
        $($(#[$doc:meta])* $setter:ident: $field:ident: $kind:ty $(=> $wrap:ident)?),* $(,)?
    }) => {
        impl<$($param),+> $config {
            $($crate::setters!(@one $(#[$doc])* $setter: $field: $kind $(=> $wrap)?);)*
        }
    };
    ($config:ty { $($(#[$doc:meta])* $setter:ident: $field:ident: $kind:ty $(=> $wrap:ident)?),* $(,)? }) => {
        impl $config {
            $($crate::setters!(@one $(#[$doc])* $setter: $field: $kind $(=> $wrap)?);)*
        }
    };
    (@one $setter:ident: $field:ident: $kind:ty $(=> $wrap:ident)?) => {
        $crate::setters!(
            @one
            #[doc = concat!("Sets [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
            $setter: $field: $kind $(=> $wrap)?
        );
    };
    (@one $(#[$doc:meta])+ $setter:ident: $field:ident: $kind:ty $(=> $wrap:ident)?) => {
        $(#[$doc])+
        pub fn $setter(self, $field: $kind) -> Self {
            Self { $field: $($wrap)?($field), ..self }
        }
    };
}

/// Writes a configuration as one table: the documentation, setter, type and default of each field. With `=> Some` the
/// field is an `Option` of the type, and the setter takes the type; with `_` in place of a setter, the field has
/// none.
///
/// With the feature `serde` of the calling crate, missing fields are read as their defaults, and unknown fields are
/// refused. A configuration that needs initial values has a `new` with arguments instead of `Default`; then only
/// fields with their own `serde(default)` may be missing.
///
/// ```
/// sched_model::settings! {
///     /// The settings of a search.
///     pub struct Settings {
///         /// The seed of the random numbers.
///         with_seed: seed: u64 = 1,
///         /// The maximum number of nodes, if limited.
///         with_most: most: u32 => Some = None,
///     }
/// }
/// let settings = Settings::default().with_most(5);
/// assert_eq!((settings.seed, settings.most), (1, Some(5)));
/// ```
#[macro_export]
macro_rules! settings {
    ($(#[$meta:meta])* pub struct $name:ident {
        $(#[$made:meta])* new($($given:ident: $of:ty),*);
        $($fields:tt)*
    }) => {
        $crate::settings!(@struct [deny_unknown_fields] $(#[$meta])* $name { $($fields)* });
        $crate::settings!(@make [$(#[$made])* pub fn new($($given: $of),*)] $name { $($fields)* });
    };
    ($(#[$meta:meta])* pub struct $name:ident { $($fields:tt)* }) => {
        $crate::settings!(@struct [default, deny_unknown_fields] $(#[$meta])* $name { $($fields)* });
        impl Default for $name {
            $crate::settings!(@fn [fn default()] $name { $($fields)* });
        }
    };
    (@struct [$($serde:tt)*] $(#[$meta:meta])* $name:ident {
        $($(#[$doc:meta])* $($setter:ident)? $(_)?: $field:ident: $kind:ty $(=> $wrap:ident)? = $default:expr,)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde($($serde)*))]
        #[non_exhaustive]
        #[must_use]
        pub struct $name {
            $($(#[$doc])* pub $field: $crate::settings!(@kind $kind $(=> $wrap)?),)*
        }

        impl $name {
            $($crate::settings!(@setter $($setter)?: $field: $kind $(=> $wrap)?);)*
        }
    };
    (@make [$($head:tt)*] $name:ident { $($fields:tt)* }) => {
        impl $name {
            $crate::settings!(@fn [$($head)*] $name { $($fields)* });
        }
    };
    (@fn [$($head:tt)*] $name:ident {
        $($(#[$doc:meta])* $($setter:ident)? $(_)?: $field:ident: $kind:ty $(=> $wrap:ident)? = $default:expr,)*
    }) => {
        $($head)* -> Self {
            Self { $($field: $default),* }
        }
    };
    (@kind $kind:ty) => { $kind };
    (@kind $kind:ty => Some) => { Option<$kind> };
    (@setter : $field:ident: $kind:ty $(=> $wrap:ident)?) => {};
    (@setter $(#[$doc:meta])* $setter:ident: $field:ident: $kind:ty $(=> $wrap:ident)?) => {
        $crate::setters!(@one $(#[$doc])* $setter: $field: $kind $(=> $wrap)?);
    };
}

/// As [`settings!`](crate::settings) with `new`, for a type with private fields. The documentation of a field
/// becomes that of its setter, and nothing is derived.
///
/// ```
/// sched_model::builder! {
///     /// A market.
///     #[derive(Debug)]
///     pub struct Market {
///         /// Creates a market with `prices`.
///         new(prices: Vec<f64>);
///         _: prices: Vec<f64> = prices,
///         /// Sets the number of rounds.
///         with_rounds: rounds: u32 = 3,
///     }
/// }
/// let market = Market::new(vec![1.0]).with_rounds(5);
/// assert_eq!((market.prices.len(), market.rounds), (1, 5));
/// ```
#[macro_export]
macro_rules! builder {
    ($(#[$meta:meta])* pub struct $name:ident {
        $(#[$made:meta])* new($($given:ident: $of:ty),*);
        $($(#[$doc:meta])* $($setter:ident)? $(_)?: $field:ident: $kind:ty $(=> $wrap:ident)? = $default:expr,)*
    }) => {
        $(#[$meta])*
        pub struct $name {
            $($field: $crate::settings!(@kind $kind $(=> $wrap)?),)*
        }

        impl $name {
            $(#[$made])*
            pub fn new($($given: $of),*) -> Self {
                Self { $($field: $default),* }
            }
            $($crate::settings!(@setter $(#[$doc])* $($setter)?: $field: $kind $(=> $wrap)?);)*
        }
    };
}

/// Implements `Serialize` and `Deserialize` for types whose fields are listed once more as a private `remote` form. A
/// deserialized value must pass the `checked` of the type, which its constructors use too. (With `remote = "Self"` on
/// the type itself, its own public `deserialize` would come before that of the trait, and would check nothing.)
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! serde_checked {
    ($($kind:ident as $form:ident),*) => {$(
        impl $crate::internal::serde::Serialize for $kind {
            fn serialize<S>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error>
            where
                S: $crate::internal::serde::Serializer,
            {
                $form::serialize(self, serializer)
            }
        }

        impl<'de> $crate::internal::serde::Deserialize<'de> for $kind {
            fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
            where
                D: $crate::internal::serde::Deserializer<'de>,
            {
                $form::deserialize(deserializer)?.checked().map_err($crate::internal::serde::de::Error::custom)
            }
        }
    )*};
}
