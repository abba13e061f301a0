//! Times one instance by the methods named, and prints `method milliseconds total` a line.
//!
//! Usage: `assignment-peers FILE REPEATS METHOD...`, a method being one of auction-assign's registry, or `lapjv`,
//! `pathfinding`, `rs-graph`, `pass` (one pass over the costs: column minima).
//!
//! FILE, little-endian: five u64 (1 if sparse, rows, columns, entries, 1 if every job must be placed), then for a dense
//! matrix its f64 row by row, for a sparse one the row offsets as u64, columns as u32, values as f64; capacities as u32.

use std::time::Instant;

use auction_assign::{AssignerKind, Costs, Coverage, Problem};
use rs_graph::mcf::NetworkSimplex;
use rs_graph::traits::IndexGraph as _;
use rs_graph::{Buildable, Builder, VecGraph};

type Error = Box<dyn std::error::Error>;

struct Instance {
    sparse: bool,
    rows: usize,
    cols: usize,
    every: bool,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    capacities: Vec<u32>,
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (head, rest) = self.0.split_first_chunk::<N>().ok_or("the instance ends early")?;
        self.0 = rest;
        Ok(*head)
    }

    fn count(&mut self) -> Result<usize, Error> {
        Ok(usize::try_from(u64::from_le_bytes(self.take()?))?)
    }
}

fn read(path: &str) -> Result<Instance, Error> {
    let bytes = std::fs::read(path)?;
    let mut reader = Reader(&bytes);
    let sparse = reader.count()? == 1;
    let (rows, cols, entries) = (reader.count()?, reader.count()?, reader.count()?);
    let every = reader.count()? == 1;
    let (mut offsets, mut columns) = (Vec::new(), Vec::new());
    if sparse {
        offsets = (0..=rows).map(|_| reader.count()).collect::<Result<_, _>>()?;
        columns = (0..entries).map(|_| Ok(u32::from_le_bytes(reader.take()?))).collect::<Result<_, Error>>()?;
    }
    let values = (0..entries).map(|_| Ok(f64::from_le_bytes(reader.take()?))).collect::<Result<_, Error>>()?;
    let capacities = (0..cols).map(|_| Ok(u32::from_le_bytes(reader.take()?))).collect::<Result<_, Error>>()?;
    Ok(Instance { sparse, rows, cols, every, offsets, columns, values, capacities })
}

/// Seconds of the solver itself, and the total it found.
type Timed = Result<(f64, f64), Error>;

/// The least sum by a method of auction-assign, its checks of the input included.
fn ours(instance: &Instance, kind: AssignerKind) -> Timed {
    let start = Instant::now();
    let Instance { rows, cols, offsets, columns, values, .. } = instance;
    let costs = if instance.sparse {
        Costs::sparse(*rows, *cols, offsets, columns, values)?
    } else {
        Costs::dense(*rows, *cols, values)?
    };
    let coverage = if instance.every { Coverage::EveryJob } else { Coverage::MostJobs };
    let mut problem = Problem::new(costs).with_coverage(coverage);
    if instance.capacities.iter().any(|&capacity| capacity != 1) {
        problem = problem.with_capacities(&instance.capacities)?;
    }
    let answer = kind.build().assign(&problem)?;
    Ok((start.elapsed().as_secs_f64(), answer.assignment().map_or(f64::NAN, |assignment| assignment.total)))
}

fn lapjv(instance: &Instance) -> Timed {
    let matrix = ndarray::Array2::from_shape_vec((instance.rows, instance.cols), instance.values.clone())?;
    let start = Instant::now();
    let (rows, _) = lapjv::lapjv(&matrix).map_err(|_| "lapjv fails")?;
    let seconds = start.elapsed().as_secs_f64();
    Ok((seconds, rows.iter().enumerate().map(|(i, &r)| instance.values[i * instance.cols + r]).sum()))
}

fn kuhn_munkres(instance: &Instance) -> Timed {
    let weights = instance.values.iter().map(|&value| -(value as i64)).collect();
    let weights = pathfinding::matrix::Matrix::from_vec(instance.rows, instance.cols, weights)?;
    let start = Instant::now();
    let total = -pathfinding::kuhn_munkres::kuhn_munkres(&weights).0 as f64;
    Ok((start.elapsed().as_secs_f64(), total))
}

/// Jobs give one unit each to a resource, resources hand on up to their capacity; what jobs cannot place goes past.
fn network_simplex(instance: &Instance) -> Timed {
    let (n, m) = (instance.rows, instance.cols);
    let mut builder = VecGraph::<u32>::new_builder();
    let nodes = builder.add_nodes(n + m + 1);
    let mut costs: Vec<i64> = Vec::new();
    let mut uppers: Vec<i64> = Vec::new();
    for i in 0..n {
        let range = if instance.sparse { instance.offsets[i]..instance.offsets[i + 1] } else { i * m..(i + 1) * m };
        for (k, entry) in range.enumerate() {
            let r = if instance.sparse { instance.columns[entry] as usize } else { k };
            builder.add_edge(nodes[i], nodes[n + r]);
            costs.push(instance.values[entry] as i64);
            uppers.push(1);
        }
    }
    for r in 0..m {
        builder.add_edge(nodes[n + r], nodes[n + m]);
        costs.push(0);
        uppers.push(i64::from(instance.capacities[r]));
    }
    let out = n as i64 - instance.capacities.iter().map(|&c| i64::from(c)).sum::<i64>().min(n as i64);
    if out > 0 {
        let past = *nodes.last().ok_or("no node")?;
        let void = builder.add_node();
        for &job in &nodes[..n] {
            builder.add_edge(job, void);
            costs.push(0);
            uppers.push(1);
        }
        builder.add_edge(void, past);
        costs.push(0);
        uppers.push(out);
    }
    let graph = builder.into_graph();
    let mut simplex = NetworkSimplex::new(&graph);
    simplex.set_balances(|u| match graph.node_id(u) {
        id if id < n => 1i64,
        id if id == n + m => -(n as i64),
        _ => 0,
    });
    simplex.set_lowers(|_| 0);
    simplex.set_uppers(|e| uppers[graph.edge_id(e)]);
    simplex.set_costs(|e| costs[graph.edge_id(e)]);
    let start = Instant::now();
    simplex.solve();
    Ok((start.elapsed().as_secs_f64(), simplex.value() as f64))
}

fn pass(instance: &Instance) -> Timed {
    let start = Instant::now();
    let mut least = vec![f64::INFINITY; instance.cols];
    for row in instance.values.chunks_exact(instance.cols.max(1)) {
        for (least, &cost) in least.iter_mut().zip(row) {
            *least = if cost < *least { cost } else { *least };
        }
    }
    let total = least.iter().sum();
    Ok((start.elapsed().as_secs_f64(), total))
}

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().collect();
    let [_, path, repeats, methods @ ..] = args.as_slice() else {
        return Err("usage: assignment-peers FILE REPEATS METHOD...".into());
    };
    let instance = read(path)?;
    for method in methods {
        let mut best = f64::INFINITY;
        let mut total = f64::NAN;
        for _ in 0..repeats.parse::<usize>()? {
            let (seconds, value) = match method.as_str() {
                "pass" => pass(&instance)?,
                "lapjv" => lapjv(&instance)?,
                "pathfinding" => kuhn_munkres(&instance)?,
                "rs-graph" => network_simplex(&instance)?,
                kind => ours(&instance, kind.parse()?)?,
            };
            total = value;
            best = best.min(seconds * 1e3);
            if seconds > 2.0 {
                break;
            }
        }
        println!("{method} {best} {total}");
    }
    Ok(())
}
