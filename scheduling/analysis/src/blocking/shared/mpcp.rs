//! Semaphores whose most urgent waiter is next and whose holders are more urgent than all that hold nothing: MPCP.
//!
//! Whoever holds q, task l on processor p, runs unless another holder of p does. Each other task of p has one request at most that is not
//! done meanwhile: to make another it would have to run without a resource. In whatever order holders run, l gives back after
//!
//! ```text
//! H(l, q) = longest section of q of l + sum over the other tasks of p of their longest section
//! ```
//!
//! A request of task i for q waits for the one that holds it, if that is less urgent, and for all more urgent requests that come before
//! it is granted, w later at the latest:
//!
//! ```text
//! w = max over the less urgent l of H(l, q) + sum over the more urgent h of A_h(w + D_h) N_h(q) H(h, q)
//! ```
//!
//! A_h counts the jobs that arrive in an open interval: those that can be pending in w, as long as no job is late. The first that
//! is late had all these bounds on its side, so there is none. Once it is granted, i holds q for H(i, q). All more urgent tasks count, of its own processor too;
//! what they delay it there is interference also, and is counted twice. Beside that a job waits for less urgent ones of its processor, see
//! `begun_by_others`. Rajkumar, ICDCS 1990.

use super::placed::{Open, Placed, Waits};
use crate::Budget;
use crate::blocking::arrivals::Arrivals;
use crate::blocking::system::System;
use prazo_core::behaviour::Locking;

pub(super) fn waits(placed: &Placed<'_>, budget: &mut Budget) -> Result<Vec<Waits>, Open> {
    let behaviours = (0..placed.tasks.len()).map(|task| placed.behaviours.of(task)).collect();
    let arrivals = System::new(placed.tasks.to_vec(), behaviours, Locking::Mpcp).all_arrivals();
    let urgencies = placed.urgencies();
    let mut all = Vec::with_capacity(placed.tasks.len());
    for (task, of) in placed.tasks.iter().enumerate() {
        let neighbours: u128 = placed.neighbours(task).map(|other| placed.longest(other)).sum();
        let mut wait = Waits { remote: 0, local: placed.requests(task) * neighbours + placed.begun_by_others(task) };
        for section in placed.sections(task) {
            let one = Request { placed, arrivals: &arrivals, urgencies: &urgencies, task, resource: section.resource };
            let (near, far) = one.wait(of.deadline.into(), budget)?;
            wait.local += u128::from(section.requests) * near;
            wait.remote += u128::from(section.requests) * far;
        }
        all.push(wait);
    }
    Ok(all)
}

/// One request of a task.
struct Request<'a> {
    placed: &'a Placed<'a>,
    arrivals: &'a [Arrivals],
    urgencies: &'a [usize],
    task: usize,
    resource: u32,
}

impl Request<'_> {
    /// w, as what is waited for tasks of the same processor and of others.
    fn wait(&self, deadline: u128, budget: &mut Budget) -> Result<(u128, u128), Open> {
        let mut w = 0;
        loop {
            budget.spend(self.placed.tasks.len() as u64)?;
            let (near, far) = self.within(w);
            let sum = near.saturating_add(far);
            if sum <= w {
                return Ok((near, far));
            }
            w = sum;
            if w > deadline {
                return Err(Open::Late(self.task, w));
            }
        }
    }

    /// What stands before the request in `w`.
    fn within(&self, w: u128) -> (u128, u128) {
        let (placed, own) = (self.placed, self.urgencies[self.task]);
        let users = (0..placed.tasks.len()).filter(|&user| placed.held(user, self.resource) > 0);
        let (less, more): (Vec<usize>, Vec<usize>) =
            users.filter(|&user| user != self.task).partition(|&user| self.urgencies[user] > own);
        let is_near = |user: &usize| placed.places[*user] == placed.places[self.task];
        let mut sums = (0, 0);
        let mut add = |user: usize, work: u128| {
            let sum = if is_near(&user) { &mut sums.0 } else { &mut sums.1 };
            *sum = u128::saturating_add(*sum, work);
        };
        if let Some(longest) = less.into_iter().max_by_key(|&user| self.holding(user)) {
            add(longest, self.holding(longest));
        }
        for user in more {
            let jobs = self.arrivals[user].arrived((w + u128::from(placed.tasks[user].deadline)).saturating_sub(1));
            let requests = placed.sections(user).iter().filter(|section| section.resource == self.resource);
            let requests: u128 = requests.map(|section| u128::from(section.requests)).sum();
            add(user, jobs.saturating_mul(requests).saturating_mul(self.holding(user)));
        }
        sums
    }

    /// H.
    fn holding(&self, user: usize) -> u128 {
        let others = self.placed.neighbours(user).map(|other| self.placed.longest(other));
        self.placed.held(user, self.resource) + others.sum::<u128>()
    }
}
