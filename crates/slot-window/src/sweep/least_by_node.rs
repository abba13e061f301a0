//! The least values of so many different nodes.

/// The least values of `count` different nodes, whenever they are free. A node counts once, at its least
/// value.
#[derive(Debug)]
pub(crate) struct LeastByNode {
    count: usize,
    /// (value, node), ascending.
    least: Vec<(f64, u32)>,
}

impl LeastByNode {
    pub(crate) fn new(count: usize) -> Self {
        Self { count, least: Vec::new() }
    }

    /// O(count) for a value that is among the least so far, else O(1).
    pub(crate) fn add(&mut self, value: f64, node: u32) {
        let least = &mut self.least;
        if least.len() == self.count && least.last().is_none_or(|last| value >= last.0) {
            return;
        }
        if let Some(same) = least.iter().position(|other| other.1 == node) {
            if value >= least[same].0 {
                return;
            }
            least.remove(same);
        }
        let at = least.partition_point(|other| other.0 <= value);
        least.insert(at, (value, node));
        least.truncate(self.count);
    }

    pub(crate) fn len(&self) -> usize {
        self.least.len()
    }

    /// With their nodes, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (f64, u32)> {
        self.least.iter().copied()
    }

    /// Ascending.
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> {
        self.least.iter().map(|least| least.0)
    }
}

#[cfg(test)]
mod tests {
    use super::LeastByNode;

    #[test]
    fn the_least_values_of_different_nodes_are_kept() {
        let mut least = LeastByNode::new(2);
        assert_eq!(least.len(), 0);
        least.add(5.0, 1);
        assert_eq!(least.len(), 1);
        // Node 1 again, then two more nodes, of which one is less than the greatest kept.
        for (value, node, kept) in [
            (4.0, 1, vec![4.0]),
            (6.0, 1, vec![4.0]),
            (9.0, 2, vec![4.0, 9.0]),
            (9.0, 3, vec![4.0, 9.0]),
            (7.0, 3, vec![4.0, 7.0]),
            (3.0, 3, vec![3.0, 4.0]),
            (3.5, 2, vec![3.0, 3.5]),
        ] {
            least.add(value, node);
            assert_eq!(least.values().collect::<Vec<_>>(), kept, "{value} of node {node}");
        }
        assert_eq!(least.len(), 2);
        assert_eq!(least.iter().collect::<Vec<_>>(), [(3.0, 3), (3.5, 2)]);
    }
}
