//! The shape of a registry: an enum with names.

/// Writes an enum of interchangeable variants with `ALL`, `name`, `Display` and `FromStr`.
macro_rules! kinds {
    ($(#[$doc:meta])* pub enum $kind:ident: $family:literal {
        $($(#[$variant_doc:meta])* $variant:ident => $name:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum $kind {
            $(
                $(#[$variant_doc])*
                #[cfg_attr(feature = "serde", serde(rename = $name))]
                $variant,
            )*
        }

        impl $kind {
            /// All variants.
            pub const ALL: &'static [$kind] = &[$($kind::$variant),*];

            /// The name by which the variant is found.
            pub fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $name,)*
                }
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $kind {
            type Err = $crate::WorkloadError;

            /// Finds a variant by name; case does not matter.
            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.iter().find(|kind| kind.name().eq_ignore_ascii_case(name));
                found.copied().ok_or_else(|| $crate::WorkloadError::unknown(
                    $family,
                    name,
                    Self::ALL.iter().map(|kind| kind.name()),
                ))
            }
        }
    };
}

pub(crate) use kinds;
