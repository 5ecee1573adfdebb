//! P-EDF: a queue for each of four processors.

configuration!(EarliestDeadlineFirst on 4 processors, queues 0..1, 1..2, 2..3, 3..4);
