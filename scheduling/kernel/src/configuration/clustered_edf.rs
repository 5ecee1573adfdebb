//! C-EDF: two clusters of two processors.

configuration!(EarliestDeadlineFirst on 4 processors, queues 0..2, 2..4);
