//! Chained setters for the fields of a configuration.

/// Writes one setter for each field named: `with_field: field: type`.
macro_rules! setters {
    ($config:ty { $($setter:ident: $field:ident: $kind:ty),* $(,)? }) => {
        impl $config {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
                #[must_use]
                pub fn $setter(mut self, $field: $kind) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
}

pub(crate) use setters;
