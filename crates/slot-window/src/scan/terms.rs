//! The terms on which a search takes slots: by price alone, by a tariff, on nodes that meet demands.

use sched_model::{Eligible, Money, Price, Slot, Span, Tariff};

/// The terms on which slots are taken: the charge of a price and a span, and the nodes that are allowed.
/// Loops are compiled separately for the default terms, so that tariffs and demands do not slow these down.
pub(crate) trait Terms: Copy {
    fn charge(self, price: Price, span: Span) -> Money;

    /// Whether the node of the slot is one that the job may have.
    #[inline(always)]
    fn allow(self, _slot: &Slot) -> bool {
        true
    }
}

/// Price x span, on any node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain;

impl Terms for Plain {
    #[inline(always)]
    fn charge(self, price: Price, span: Span) -> Money {
        price * span
    }
}

/// By a tariff, on any node.
impl Terms for &Tariff {
    fn charge(self, price: Price, span: Span) -> Money {
        Tariff::charge(self, price, span)
    }
}

/// By a tariff, on nodes that meet demands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Masked<'a> {
    pub(crate) tariff: &'a Tariff,
    pub(crate) eligible: &'a Eligible,
}

impl Terms for Masked<'_> {
    #[inline(always)]
    fn charge(self, price: Price, span: Span) -> Money {
        self.tariff.charge(price, span)
    }

    #[inline(always)]
    fn allow(self, slot: &Slot) -> bool {
        self.eligible.allows(slot)
    }
}

/// Calls a loop on the terms of a query; the loop is compiled separately for each kind of terms.
macro_rules! on_terms_of {
    ($query:expr, |$terms:ident| $call:expr) => {{
        let tariff = $query.slots.tariff();
        match $query.mask() {
            Some(eligible) => {
                let $terms = $crate::scan::Masked { tariff, eligible };
                $call
            }
            None if tariff.is_plain() => {
                let $terms = $crate::scan::Plain;
                $call
            }
            None => {
                let $terms = tariff;
                $call
            }
        }
    }};
}
pub(crate) use on_terms_of;
