//! G-EDF: one queue for four processors.

configuration!(EarliestDeadlineFirst on 4 processors, queues 0..4);
