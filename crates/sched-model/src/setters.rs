//! Chained setters for the fields of a configuration.

/// Writes a setter that takes `self` for each field named. A setter without documentation gets one that names
/// its field. A configuration that borrows is given as `impl<'a> Settings<'a>`.
///
/// ```
/// #[derive(Debug, Clone, Default, PartialEq)]
/// #[must_use]
/// #[non_exhaustive]
/// pub struct Settings {
///     pub seed: u64,
///     pub nodes: u32,
/// }
/// sched_model::setters!(Settings {
///     with_seed: seed: u64,
///     /// The same with so many nodes.
///     with_nodes: nodes: u32,
/// });
/// assert_eq!(Settings::default().with_seed(7).with_nodes(3), Settings { seed: 7, nodes: 3 });
/// ```
#[macro_export]
macro_rules! setters {
    (impl<$($lifetime:lifetime),+> $config:ty { $($(#[$doc:meta])* $setter:ident: $field:ident: $kind:ty),* $(,)? }) => {
        impl<$($lifetime),+> $config {
            $($crate::setters!(@one $(#[$doc])* $setter: $field: $kind);)*
        }
    };
    ($config:ty { $($(#[$doc:meta])* $setter:ident: $field:ident: $kind:ty),* $(,)? }) => {
        impl $config {
            $($crate::setters!(@one $(#[$doc])* $setter: $field: $kind);)*
        }
    };
    (@one $setter:ident: $field:ident: $kind:ty) => {
        $crate::setters!(
            @one
            #[doc = concat!("Sets [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
            $setter: $field: $kind
        );
    };
    (@one $(#[$doc:meta])+ $setter:ident: $field:ident: $kind:ty) => {
        $(#[$doc])+
        pub fn $setter(self, $field: $kind) -> Self {
            Self { $field, ..self }
        }
    };
}

/// Reads and writes types by their fields, as they are derived with `serde(remote = "Self")`; what is read must pass
/// the type's `checked`, by which constructors make it.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! serde_checked {
    ($($kind:ty),*) => {$(
        impl $crate::__private::serde::Serialize for $kind {
            fn serialize<S>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error>
            where
                S: $crate::__private::serde::Serializer,
            {
                <$kind>::serialize(self, serializer)
            }
        }

        impl<'de> $crate::__private::serde::Deserialize<'de> for $kind {
            fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
            where
                D: $crate::__private::serde::Deserializer<'de>,
            {
                <$kind>::deserialize(deserializer)?.checked().map_err($crate::__private::serde::de::Error::custom)
            }
        }
    )*};
}
