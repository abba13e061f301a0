//! Lists of undominated states, and the operations of recurrences on them.
//!
//! | word | meaning |
//! |---|---|
//! | step | an alternative as what it adds to the objective `p` and to the limited sum `w` |
//! | state | the two sums of one alternative for each of some jobs, and the link to its history |
//! | list | states by rising `w` and strictly falling `p`: none is at least as good as another in both |
//! | product | the list of all sums of a state and a step |
//! | history | the alternatives behind each state, shared between states |

mod history;
mod product;
mod state;

pub(crate) use history::History;
pub(crate) use product::{Chain, Runs, hold, product};
pub(crate) use state::{NONE, State, Step, best_pair, keep_undominated, lightest_pair};
pub(crate) use state::{order, rising, sort_keys, undominated};
