//! The macro that defines registries: enums whose variants are found by name.

/// Defines a registry: an enum with `ALL`, `name`, `FromStr`, `Display` and, with the feature `serde` of this crate,
/// `Serialize` and `Deserialize`. All of these use the same names. The enum is `#[non_exhaustive]`.
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
/// With `=> dyn Trait`, the registry also has `build`, which makes a boxed value of each variant:
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
/// With the word `setting` before the kind of the variants (`pub enum Rounding: setting "rounding"`), `ALL` and
/// `name` are private, and the variants are only parsed and printed.
///
/// For an enum written by hand, because it must be matched in full or its variants carry values, the macro adds
/// everything but the enum, `ALL` and `name`:
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
        impl $crate::internal::Registry for $kind {
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
            type Err = $crate::ModelError;

            /// Finds a variant by name; the case of ASCII letters does not matter.
            fn from_str(name: &str) -> ::std::result::Result<Self, $crate::ModelError> {
                $crate::internal::Registry::find(name)
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
            /// The algorithm of the variant, with its default configuration.
            $vis fn build(self) -> ::std::boxed::Box<$built> {
                match self {
                    $(Self::$variant => ::std::boxed::Box::new($build),)*
                }
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis enum $kind:ident: $what:literal $variants:tt) => {
        $crate::registry! { @$vis, $(#[$meta])* $vis enum $kind: $what $variants }
    };
    ($(#[$meta:meta])* $vis:vis enum $kind:ident: setting $what:literal $variants:tt) => {
        $crate::registry! { @, $(#[$meta])* $vis enum $kind: $what $variants }
    };
    (@$listed:vis, $(#[$meta:meta])* $vis:vis enum $kind:ident: $what:literal {
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
            $listed const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name by which the variant is found, printed, and written to files.
            $listed const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        $crate::registry!(impl $kind: $what);
    };
}

/// With the feature `serde`, implements `Serialize` and `Deserialize` by name.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __registry_serde {
    ($kind:ty) => {
        impl $crate::internal::serde::Serialize for $kind {
            fn serialize<S: $crate::internal::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(<$kind>::name(*self))
            }
        }

        impl<'de> $crate::internal::serde::Deserialize<'de> for $kind {
            fn deserialize<D: $crate::internal::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                $crate::internal::read_name(deserializer)
            }
        }
    };
}

/// Without the feature `serde`, expands to nothing.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __registry_serde {
    ($kind:ty) => {};
}
