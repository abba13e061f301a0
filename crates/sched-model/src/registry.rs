//! The trait of registries, which the macro [`registry!`](crate::registry!) implements.

use crate::ModelError;
use std::fmt;

/// An enum whose variants are found by name. [`registry!`](crate::registry!) implements it.
pub trait Registry: Copy + fmt::Display + 'static {
    /// The kind of the variants, for example "window search".
    const WHAT: &'static str;

    /// All variants.
    const ALL: &'static [Self];

    /// The name by which the variant is found, printed and written to files.
    fn name(self) -> &'static str;

    /// Returns the variant with this name; the case of ASCII letters does not matter.
    ///
    /// # Errors
    /// [`ModelError::UnknownName`] with all names.
    fn find(name: &str) -> Result<Self, ModelError> {
        let found = Self::ALL.iter().copied().find(|kind| kind.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| ModelError::UnknownName {
            what: Self::WHAT,
            name: name.to_owned(),
            known: Self::ALL.iter().map(|kind| kind.name()).collect(),
        })
    }
}

/// Reads a variant by name.
///
/// # Errors
/// [`ModelError::UnknownName`], as an error of the deserializer.
#[cfg(feature = "serde")]
pub fn read_name<'de, K: Registry, D: serde::Deserializer<'de>>(deserializer: D) -> Result<K, D::Error> {
    struct Name<K>(std::marker::PhantomData<K>);

    impl<K: Registry> serde::de::Visitor<'_> for Name<K> {
        type Value = K;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "the name of a {}", K::WHAT)
        }

        fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<K, E> {
            K::find(name).map_err(E::custom)
        }
    }

    deserializer.deserialize_str(Name(std::marker::PhantomData))
}
