//! Chained setters for the fields of a configuration.

/// Writes one setter for each field named, with the field's own name.
macro_rules! setters {
    ($config:ty { $($field:ident: $kind:ty),* $(,)? }) => {
        impl $config {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $kind) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
}

pub(crate) use setters;
