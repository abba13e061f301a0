//! Results of replicates as bytes, so that a run can be stopped, resumed, and divided among processes.

/// A result that is written and read to the bit.
pub trait Record: Sized {
    /// Appends its bytes.
    fn write(&self, to: &mut Vec<u8>);

    /// Reads a result from the front and removes its bytes; `None` if the bytes are not a result.
    fn read(from: &mut &[u8]) -> Option<Self>;
}

/// Keeps results of replicates: a file, or memory.
///
/// A study runs replicates in one or more rounds; `round` counts them from 0, `index` the replicates of one.
pub trait Store: Send + Sync {
    /// Whether a replicate without a record is to be computed; if not, another process computes it.
    fn wants(&self, round: u32, index: u64) -> bool;

    /// The record of a replicate, if there is one.
    fn get(&self, round: u32, index: u64) -> Option<Vec<u8>>;

    /// Keeps the record of a replicate. Called from any thread.
    fn put(&self, round: u32, index: u64, record: &[u8]);

    /// Saves all records up to now, so that none is lost. Called some sixteen times in a round, and after
    /// every few hundred replicates.
    ///
    /// # Errors
    /// Why records cannot be kept.
    fn flush(&self) -> Result<(), crate::Failure>;
}

fn take<const N: usize>(from: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = from.split_first_chunk::<N>()?;
    *from = tail;
    Some(*head)
}

impl Record for u64 {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.to_le_bytes());
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        take(from).map(Self::from_le_bytes)
    }
}

impl Record for usize {
    fn write(&self, to: &mut Vec<u8>) {
        (*self as u64).write(to);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        u64::read(from).and_then(|value| Self::try_from(value).ok())
    }
}

impl Record for f64 {
    fn write(&self, to: &mut Vec<u8>) {
        self.to_bits().write(to);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        u64::read(from).map(Self::from_bits)
    }
}

impl Record for bool {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(u8::from(*self));
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        match take(from)? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
}

impl<R: Record> Record for Option<R> {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(u8::from(self.is_some()));
        if let Some(value) = self {
            value.write(to);
        }
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        match take(from)? {
            [0] => Some(None),
            [1] => R::read(from).map(Some),
            _ => None,
        }
    }
}

impl<R: Record> Record for Vec<R> {
    fn write(&self, to: &mut Vec<u8>) {
        self.len().write(to);
        self.iter().for_each(|value| value.write(to));
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let count = usize::read(from)?;
        // Each value takes a byte at least: a damaged count must not reserve memory.
        if count > from.len() {
            return None;
        }
        (0..count).map(|_| R::read(from)).collect()
    }
}

impl<R: Record, const N: usize> Record for [R; N] {
    fn write(&self, to: &mut Vec<u8>) {
        self.iter().for_each(|value| value.write(to));
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let values: Option<Vec<R>> = (0..N).map(|_| R::read(from)).collect();
        values?.try_into().ok()
    }
}

impl<A: Record, B: Record> Record for (A, B) {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
        self.1.write(to);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        Some((A::read(from)?, B::read(from)?))
    }
}

/// A structure field by field.
macro_rules! record {
    ($type:ident { $($field:ident),* $(,)? }) => {
        impl $crate::record::Record for $type {
            fn write(&self, to: &mut Vec<u8>) {
                $($crate::record::Record::write(&self.$field, to);)*
            }

            fn read(from: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: $crate::record::Record::read(from)?,)* })
            }
        }
    };
}
pub(crate) use record;

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes<R: Record>(value: &R) -> Vec<u8> {
        let mut bytes = Vec::new();
        value.write(&mut bytes);
        bytes
    }

    #[test]
    fn what_is_written_is_read_to_the_bit() {
        type Value = (Vec<[Option<f64>; 2]>, u64);
        let value: Value = (vec![[Some(-0.0), None], [Some(f64::NAN), Some(5e-324)]], u64::MAX);
        let written = bytes(&value);
        let mut rest = written.as_slice();
        let read = Value::read(&mut rest).unwrap();
        assert!(rest.is_empty());
        // NaN is not equal to itself, so the bytes are compared.
        assert_eq!(bytes(&read), written);
    }

    #[test]
    fn damaged_bytes_are_no_record() {
        let written = bytes(&vec![Some(1.0), None]);
        for length in 0..written.len() {
            assert!(Vec::<Option<f64>>::read(&mut &written[..length]).is_none(), "{length}");
        }
        assert!(Vec::<f64>::read(&mut [0xff; 16].as_slice()).is_none());
        assert!(Option::<f64>::read(&mut [2; 9].as_slice()).is_none());
    }
}
