//! Users and their links.

use econsched::sched_model::{Bandwidth, Qos, Span, User, UserId};
use econsched::workload_gen::WorkloadError;
use econsched::workload_gen::range::{Draw, Least};
use rand::Rng;
use std::ops::RangeInclusive;

econsched::sched_model::registry! {
    /// The two groups of Table 2.
    pub enum UserGroup: "user group" {
        /// 10 users, quality of service 2 to 10.
        Users1 = "users1",
        /// 20 users, quality of service 2 to 15.
        Users2 = "users2",
    }
}

impl UserGroup {
    /// The row of Table 2.
    pub fn properties(self) -> UserProperties {
        let (users, most_reliable, best_qos) = match self {
            UserGroup::Users1 => (10, 100.0, 10.0),
            UserGroup::Users2 => (20, 400.0, 15.0),
        };
        UserProperties {
            users,
            bandwidth: 16.0..=512.0,
            link_mean_time_to_failure: 20.0..=most_reliable,
            qos: 2.0..=best_qos,
        }
    }
}

/// The ranges from which users are drawn: Figure 5. The default has the values of the figure, which are those
/// of the first group of Table 2.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
#[must_use]
pub struct UserProperties {
    /// Number of users.
    pub users: u32,
    /// Rate of a user's link, KB/s.
    pub bandwidth: RangeInclusive<f64>,
    /// Mean time to failure of a user's link, seconds.
    pub link_mean_time_to_failure: RangeInclusive<f64>,
    /// Quality of service a user is entitled to.
    pub qos: RangeInclusive<f64>,
}

impl Default for UserProperties {
    fn default() -> Self {
        UserGroup::Users1.properties()
    }
}

econsched::sched_model::setters!(UserProperties {
    with_users: users: u32,
    with_bandwidth: bandwidth: RangeInclusive<f64>,
    with_link_mean_time_to_failure: link_mean_time_to_failure: RangeInclusive<f64>,
    with_qos: qos: RangeInclusive<f64>,
});

/// A user behind a link.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GridUser {
    /// The user, with quality of service.
    pub user: User,
    /// Rate of the link, KB/s.
    pub bandwidth: Bandwidth,
    /// Mean time to failure of the link, seconds.
    pub link_mean_time_to_failure: Span,
}

impl UserProperties {
    /// Draws the users, ids and names from 1: for each its bandwidth, failures of the link, quality of
    /// service.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range; [`WorkloadError::Model`] for
    /// values beyond the model's range.
    pub fn generate(&self, rng: &mut dyn Rng) -> Result<Vec<GridUser>, WorkloadError> {
        let draw = |name, range| Draw::new(name, range, Least::Positive, false);
        let bandwidth = draw("bandwidth", &self.bandwidth)?;
        let link = draw("link_mean_time_to_failure", &self.link_mean_time_to_failure)?;
        let qos = draw("qos", &self.qos)?;
        let mut users = Vec::new();
        for number in 1..=self.users {
            let bandwidth = Bandwidth::new(bandwidth.sample(rng))?;
            let link_mean_time_to_failure = Span::new(link.sample(rng))?;
            let qos = Qos::new(qos.sample(rng))?;
            let user = User::new(UserId(number), format!("user {number}")).with_qos(qos);
            users.push(GridUser { user, bandwidth, link_mean_time_to_failure });
        }
        Ok(users)
    }
}
