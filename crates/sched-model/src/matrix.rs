//! Matrices of jobs against resources, row-major.

use crate::{ModelError, Time};

macro_rules! matrix {
    ($(#[$doc:meta])* $name:ident, $expected:literal, |$v:ident| $valid:expr $(, $ready:ident)?) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(try_from = "RawMatrix", into = "RawMatrix"))]
        #[must_use]
        pub struct $name {
            rows: usize,
            cols: usize,
            values: Vec<f64>,
            $($ready: Option<Vec<Time>>,)?
        }

        impl $name {
            /// A matrix of `rows` jobs and `cols` resources from its values, one row after another.
            ///
            /// # Errors
            /// [`ModelError::Shape`] if there are not `rows * cols` values, [`ModelError::Cell`] for the
            /// first value
            #[doc = concat!("that is not ", $expected, ".")]
            pub fn new(rows: usize, cols: usize, mut values: Vec<f64>) -> Result<Self, ModelError> {
                if rows.checked_mul(cols) != Some(values.len()) {
                    return Err(ModelError::Shape { rows, cols, values: values.len() });
                }
                let bad = values.iter().position(|&$v| !($v.is_finite() && $v.abs() <= crate::MAX_QUANTITY && $valid));
                match bad {
                    // There is a value, so `cols` is not zero.
                    Some(index) => Err(ModelError::Cell {
                        row: index / cols,
                        col: index % cols,
                        expected: $expected,
                        value: values[index],
                    }),
                    None => {
                        // Adding zero turns -0.0 into 0.0.
                        values.iter_mut().for_each(|value| *value += 0.0);
                        Ok(Self { rows, cols, values $(, $ready: None)? })
                    }
                }
            }

            /// A matrix whose value in row `i`, column `j` is `value(i, j)`.
            ///
            /// # Errors
            /// As for [`new`](Self::new).
            pub fn from_fn(
                rows: usize,
                cols: usize,
                mut value: impl FnMut(usize, usize) -> f64,
            ) -> Result<Self, ModelError> {
                let mut values = Vec::new();
                for row in 0..rows {
                    values.extend((0..cols).map(|col| value(row, col)));
                }
                Self::new(rows, cols, values)
            }

            /// A matrix from its rows.
            ///
            /// # Errors
            /// [`ModelError::Shape`] if the rows differ in length, else as for [`new`](Self::new).
            pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self, ModelError> {
                let cols = rows.first().map_or(0, |row| row.as_ref().len());
                if let Some(odd) = rows.iter().find(|row| row.as_ref().len() != cols) {
                    return Err(ModelError::Shape { rows: 1, cols, values: odd.as_ref().len() });
                }
                let values = rows.iter().flat_map(|row| row.as_ref().iter().copied()).collect();
                Self::new(rows.len(), cols, values)
            }

            /// Number of jobs.
            pub fn rows(&self) -> usize {
                self.rows
            }

            /// Number of resources.
            pub fn cols(&self) -> usize {
                self.cols
            }

            /// The values of one job, by resource.
            ///
            /// # Panics
            /// If `row >= rows()`, as indexing a slice does.
            pub fn row(&self, row: usize) -> &[f64] {
                &self.values[row * self.cols..(row + 1) * self.cols]
            }

            /// One value.
            ///
            /// # Panics
            /// If `row >= rows()` or `col >= cols()`, as indexing a slice does.
            pub fn get(&self, row: usize, col: usize) -> f64 {
                self.row(row)[col]
            }

            /// All values, row after row.
            pub fn values(&self) -> &[f64] {
                &self.values
            }
        }

        #[cfg(feature = "serde")]
        impl TryFrom<RawMatrix> for $name {
            type Error = ModelError;
            fn try_from(raw: RawMatrix) -> Result<Self, ModelError> {
                let matrix = Self::new(raw.rows, raw.cols, raw.values)?;
                Ok(Self { $($ready: raw.$ready,)? ..matrix })
            }
        }

        #[cfg(feature = "serde")]
        impl From<$name> for RawMatrix {
            fn from(matrix: $name) -> RawMatrix {
                let ready = None $(.or(matrix.$ready))?;
                RawMatrix { rows: matrix.rows, cols: matrix.cols, values: matrix.values, ready }
            }
        }
    };
}

/// A matrix as it is written down, before it has been checked.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct RawMatrix {
    rows: usize,
    cols: usize,
    values: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ready: Option<Vec<Time>>,
}

matrix!(
    /// Expected time to compute of each job (row) on each resource (column): finite and positive or zero.
    ///
    /// ```
    /// use sched_model::EtcMatrix;
    /// let etc = EtcMatrix::from_rows(&[[3.0, 5.0], [4.0, 1.0]])?;
    /// assert_eq!((etc.rows(), etc.cols(), etc.get(1, 0)), (2, 2, 4.0));
    /// assert!(EtcMatrix::from_rows(&[[3.0, -1.0]]).is_err());
    /// # Ok::<(), sched_model::ModelError>(())
    /// ```
    EtcMatrix, "finite, at least 0 and at most 1e60", |v| v >= 0.0, ready
);

impl EtcMatrix {
    /// With the time from which each resource is free; all are free from time 0 else.
    pub fn with_ready(self, ready: impl Into<Vec<Time>>) -> Self {
        Self { ready: Some(ready.into()), ..self }
    }

    /// The ready times given, one for each resource; `None` if all resources are ready at time 0.
    pub fn ready(&self) -> Option<&[Time]> {
        self.ready.as_deref()
    }

    /// The time from which one resource is free; time 0 where none is given.
    pub fn ready_at(&self, resource: usize) -> Time {
        self.ready().and_then(|ready| ready.get(resource)).copied().unwrap_or(Time::ZERO)
    }
}

matrix!(
    /// Cost of each job (row) on each resource (column): finite, of either sign.
    CostMatrix, "finite, at most 1e60 in magnitude", |v| true
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_place() {
        let error = EtcMatrix::new(2, 3, vec![1.0, 2.0, 3.0, 4.0, f64::NAN, 6.0]).unwrap_err();
        assert!(matches!(error, ModelError::Cell { row: 1, col: 1, .. }));
        let error = CostMatrix::new(2, 2, vec![1.0; 3]).unwrap_err();
        assert_eq!(error.to_string(), "a matrix of 2 x 2 needs 2 * 2 values, got 3");
        assert!(CostMatrix::new(usize::MAX, 3, vec![]).is_err());
        assert!(EtcMatrix::from_rows(&[vec![1.0], vec![1.0, 2.0]]).is_err());
    }

    #[test]
    fn minus_zero_is_zero() {
        let cells = EtcMatrix::from_rows(&[[-0.0, 1.0]]).unwrap();
        assert!(cells.get(0, 0).is_sign_positive());
        let cells = CostMatrix::new(1, 1, vec![-0.0]).unwrap();
        assert!(cells.get(0, 0).is_sign_positive());
    }

    #[test]
    fn empty_matrices_have_rows_without_values() {
        let matrix = CostMatrix::new(2, 0, vec![]).unwrap();
        assert!(matrix.row(1).is_empty());
    }
}
