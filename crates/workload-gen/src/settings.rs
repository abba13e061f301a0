//! Configurations of generators, each stated once.

/// A configuration as one table: of each field its documentation, its setter, its type and its default.
///
/// With the feature `serde` a configuration is read with its defaults for what is left out, and no other field.
macro_rules! settings {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[$doc:meta])* $setter:ident: $field:ident: $kind:ty = $default:expr,)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
        #[non_exhaustive]
        #[must_use]
        pub struct $name {
            $($(#[$doc])* pub $field: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default),* }
            }
        }

        sched_model::setters!($name { $($setter: $field: $kind),* });
    };
}
pub(crate) use settings;
