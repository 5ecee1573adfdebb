//! C-EDF: two clusters of four processors.

configuration!(EarliestDeadlineFirst on 8 processors, queues 0..4, 4..8);
