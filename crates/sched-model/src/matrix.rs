//! Estimated times of jobs on resources, row-major.

use std::ops::Index;

use crate::quantity::MAX_QUANTITY;
use crate::{ModelError, Time};

/// The expected times to compute (ETC) of jobs (rows) on resources (columns). Each value is finite and not negative.
///
/// ```
/// use sched_model::EtcMatrix;
/// let etc = EtcMatrix::from_rows(&[[3.0, 5.0], [4.0, 1.0]])?;
/// assert_eq!((etc.rows(), etc.cols(), etc[1][0]), (2, 2, 4.0));
/// assert_eq!(etc[0], [3.0, 5.0]);
/// assert!(EtcMatrix::from_rows(&[[3.0, -1.0]]).is_err());
/// # Ok::<(), sched_model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct EtcMatrix {
    rows: usize,
    cols: usize,
    values: Vec<f64>,
    ready: Option<Vec<Time>>,
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "EtcMatrix", rename = "EtcMatrix")]
struct EtcMatrixForm {
    rows: usize,
    cols: usize,
    values: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ready: Option<Vec<Time>>,
}

#[cfg(feature = "serde")]
crate::serde_checked!(EtcMatrix as EtcMatrixForm);

impl EtcMatrix {
    /// Creates a matrix for `rows` jobs and `cols` resources from its values, row by row.
    ///
    /// # Errors
    /// [`ModelError::Shape`] unless there are `rows * cols` values, [`ModelError::Cell`] for the first value that
    /// is not finite, negative, or above 1e60.
    pub fn new(rows: usize, cols: usize, values: Vec<f64>) -> Result<Self, ModelError> {
        Self { rows, cols, values, ready: None }.checked()
    }

    fn checked(mut self) -> Result<Self, ModelError> {
        let Self { rows, cols, ref mut values, .. } = self;
        if rows.checked_mul(cols) != Some(values.len()) {
            return Err(ModelError::Shape { rows, cols, values: values.len() });
        }
        if let Some(index) = values.iter().position(|value| !(0.0..=MAX_QUANTITY).contains(value)) {
            // There is a value, so `cols` is not zero.
            let (row, col, value) = (index / cols, index % cols, values[index]);
            let expected = "finite, at least 0 and at most 1e60";
            return Err(ModelError::Cell { row, col, expected, value });
        }
        // Adding zero turns -0.0 into 0.0.
        values.iter_mut().for_each(|value| *value += 0.0);
        Ok(self)
    }

    /// Creates a matrix from its rows.
    ///
    /// # Errors
    /// [`ModelError::Shape`] if the rows differ in length, otherwise as for [`new`](Self::new).
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

    /// All values, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Sets the time from which each resource is free. By default, all are free from time 0.
    pub fn with_ready(self, ready: impl Into<Vec<Time>>) -> Self {
        Self { ready: Some(ready.into()), ..self }
    }

    /// The time from which each resource is free, as given to [`with_ready`](Self::with_ready); otherwise time 0 for
    /// each.
    pub fn ready(&self) -> impl ExactSizeIterator<Item = Time> + '_ {
        let given = self.ready.as_deref();
        let count = given.map_or(self.cols, <[Time]>::len);
        (0..count).map(move |resource| given.map_or(Time::ZERO, |ready| ready[resource]))
    }
}

impl Index<usize> for EtcMatrix {
    type Output = [f64];

    /// The values of job `row`, by resource.
    ///
    /// # Panics
    /// If `row >= rows()`.
    fn index(&self, row: usize) -> &[f64] {
        &self.values[row * self.cols..(row + 1) * self.cols]
    }
}
