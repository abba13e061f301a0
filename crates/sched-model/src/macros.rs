//! What types of all crates have in common, written by macros: registries of variants that are found by name,
//! setters, getters, and checks of what is read.

use std::fmt;

/// A name that no variant of a registry has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {name:?}, expected one of: {}", known.join(", "))]
#[non_exhaustive]
pub struct UnknownName {
    /// What the variants are, such as "window search".
    pub what: &'static str,
    /// The name given.
    pub name: String,
    /// All names, in the order of the registry.
    pub known: Vec<&'static str>,
}

/// An enum whose variants are found by name. [`registry!`](crate::registry) implements it.
pub trait Registry: Copy + fmt::Display + 'static {
    /// What the variants are, such as "window search".
    const WHAT: &'static str;

    /// All variants.
    const ALL: &'static [Self];

    /// The name by which the variant is found, printed, and written to files.
    fn name(self) -> &'static str;

    /// The variant of this name; the case of ASCII letters does not matter.
    ///
    /// # Errors
    /// [`UnknownName`] with all names.
    fn find(name: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.iter().copied().find(|kind| kind.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownName {
            what: Self::WHAT,
            name: name.to_owned(),
            known: Self::ALL.iter().map(|kind| kind.name()).collect(),
        })
    }
}

/// Makes a registry: an enum with `ALL`, `name`, `FromStr`, `Display`, [`Registry`](crate::Registry) and,
/// with the feature `serde` of this crate, reading and writing. All of these use the same name. The enum is
/// `#[non_exhaustive]`.
///
/// ```
/// sched_model::registry! {
///     /// The ways to greet.
///     #[derive(Default)]
///     pub enum GreetingKind: "greeting" {
///         /// In the morning.
///         #[default]
///         Morning = "good-morning",
///         /// In the evening.
///         Evening = "good-evening",
///     }
/// }
/// assert_eq!("Good-Evening".parse(), Ok(GreetingKind::Evening));
/// assert_eq!(GreetingKind::ALL.len(), 2);
/// let error = "hello".parse::<GreetingKind>().unwrap_err();
/// assert_eq!(error.to_string(), r#"unknown greeting "hello", expected one of: good-morning, good-evening"#);
/// ```
///
/// With `=> dyn Trait`, `build` makes a boxed value of each variant:
///
/// ```
/// pub trait Tariff {
///     fn price(&self) -> f64;
/// }
/// struct Flat(f64);
/// impl Tariff for Flat {
///     fn price(&self) -> f64 {
///         self.0
///     }
/// }
/// sched_model::registry! {
///     /// The tariffs, each with its usual settings.
///     pub enum TariffKind: "tariff" => dyn Tariff {
///         /// By day.
///         Day = "day" => Flat(2.0),
///         /// By night.
///         Night = "night" => Flat(1.0),
///     }
/// }
/// assert_eq!(TariffKind::Day.build().price(), 2.0);
/// ```
///
/// An enum written by hand, because it must be matched in full or its variants carry values, gets all but the
/// enum from its own `ALL` and `name`:
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// pub enum Turn {
///     Left,
///     Right { sharp: bool },
/// }
/// impl Turn {
///     pub const ALL: &'static [Self] =
///         &[Self::Left, Self::Right { sharp: false }, Self::Right { sharp: true }];
///     pub const fn name(self) -> &'static str {
///         match self {
///             Self::Left => "left",
///             Self::Right { sharp: false } => "right",
///             Self::Right { sharp: true } => "sharp-right",
///         }
///     }
/// }
/// sched_model::registry!(impl Turn: "turn");
/// assert_eq!("sharp-right".parse(), Ok(Turn::Right { sharp: true }));
/// ```
#[macro_export]
macro_rules! registry {
    (impl $kind:ty: $what:literal) => {
        impl $crate::Registry for $kind {
            const WHAT: &'static str = $what;
            const ALL: &'static [Self] = <$kind>::ALL;
            fn name(self) -> &'static str {
                <$kind>::name(self)
            }
        }

        impl ::std::fmt::Display for $kind {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(<$kind>::name(*self))
            }
        }

        impl ::std::str::FromStr for $kind {
            type Err = $crate::UnknownName;

            /// Finds a variant by name; the case of ASCII letters does not matter.
            fn from_str(name: &str) -> ::std::result::Result<Self, $crate::UnknownName> {
                $crate::Registry::find(name)
            }
        }

        $crate::__registry_serde!($kind);
    };
    ($(#[$meta:meta])* $vis:vis enum $kind:ident: $what:literal => $built:ty {
        $($(#[$variant_meta:meta])* $variant:ident = $name:expr => $build:expr),* $(,)?
    }) => {
        $crate::registry! {
            $(#[$meta])* $vis enum $kind: $what {
                $($(#[$variant_meta])* $variant = $name),*
            }
        }

        impl $kind {
            /// The variant's algorithm, with its default configuration.
            $vis fn build(self) -> ::std::boxed::Box<$built> {
                match self {
                    $(Self::$variant => ::std::boxed::Box::new($build),)*
                }
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis enum $kind:ident: $what:literal {
        $($(#[$variant_meta:meta])* $variant:ident = $name:expr),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        $vis enum $kind {
            $($(#[$variant_meta])* $variant,)*
        }

        impl $kind {
            /// All variants, in the order of this documentation.
            $vis const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name by which the variant is found, printed, and written to files.
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        $crate::registry!(impl $kind: $what);
    };
}

/// With the feature `serde`, reads and writes a registry by name.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __registry_serde {
    ($kind:ty) => {
        impl $crate::__private::serde::Serialize for $kind {
            fn serialize<S: $crate::__private::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(<$kind>::name(*self))
            }
        }

        impl<'de> $crate::__private::serde::Deserialize<'de> for $kind {
            fn deserialize<D: $crate::__private::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                $crate::__private::deserialize(deserializer)
            }
        }
    };
}

/// Without the feature `serde`, nothing.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __registry_serde {
    ($kind:ty) => {};
}

/// Used by the code that the macros expand to; not part of the interface.
#[doc(hidden)]
pub mod __private {
    #[cfg(feature = "serde")]
    pub use serde;

    /// Reads a variant by name.
    ///
    /// # Errors
    /// [`UnknownName`](crate::UnknownName), as the format words it.
    #[cfg(feature = "serde")]
    pub fn deserialize<'de, K: crate::Registry, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<K, D::Error> {
        struct Name<K>(std::marker::PhantomData<K>);

        impl<K: crate::Registry> serde::de::Visitor<'_> for Name<K> {
            type Value = K;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "the name of a {}", K::WHAT)
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<K, E> {
                K::find(name).map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Name(std::marker::PhantomData))
    }
}

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

/// A configuration as one table: of each field its documentation, its setter, its type and its default. With `=> Some`
/// the field is an `Option` of the type, and the setter takes the type; a setter `_` stands for none.
///
/// With the feature `serde` of the crate a configuration is read with its defaults for what is left out, and no
/// other field. One that needs values to begin with has a `new` in place of `Default`; of it only what says so may be
/// left out.
///
/// ```
/// sched_model::settings! {
///     /// What is bought.
///     pub struct Settings {
///         /// The first number.
///         with_seed: seed: u64 = 1,
///         /// The most nodes.
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
    (@setter $setter:ident: $field:ident: $kind:ty $(=> $wrap:ident)?) => {
        $crate::setters!(@one $setter: $field: $kind $(=> $wrap)?);
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
