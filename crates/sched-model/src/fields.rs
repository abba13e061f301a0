//! What a type with fields has: setters, getters, and its written form.

/// Writes a setter that takes `self` for each field named; with `=> Some` for a field that is optional. A setter
/// without documentation gets one that names its field. A configuration that borrows is given as
/// `impl<'a> Settings<'a>`.
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
///     /// The same with so many nodes.
///     with_nodes: nodes: u32,
///     with_most: most: u32 => Some,
/// });
/// let settings = Settings::default().with_seed(7).with_nodes(3).with_most(5);
/// assert_eq!(settings, Settings { seed: 7, nodes: 3, most: Some(5) });
/// ```
#[macro_export]
macro_rules! setters {
    (impl<$($lifetime:lifetime),+> $config:ty {
        $($(#[$doc:meta])* $setter:ident: $field:ident: $kind:ty $(=> $wrap:ident)?),* $(,)?
    }) => {
        impl<$($lifetime),+> $config {
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

/// Writes a method for each field named, which returns it: for types with private fields that are plain values.
///
/// ```
/// pub struct Interval {
///     start: f64,
///     end: f64,
/// }
/// sched_model::getters!(Interval {
///     /// The first instant.
///     start: f64,
///     /// The first instant after it.
///     end: f64,
/// });
/// assert_eq!(Interval { start: 1.0, end: 3.0 }.end(), 3.0);
/// ```
#[macro_export]
macro_rules! getters {
    ($kind:ty { $($(#[$doc:meta])+ $field:ident: $of:ty),* $(,)? }) => {
        impl $kind {$(
            $(#[$doc])+
            #[inline]
            pub fn $field(&self) -> $of {
                self.$field
            }
        )*}
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
