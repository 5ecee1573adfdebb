//! G-EDF: one queue for eight processors.

configuration!(EarliestDeadlineFirst on 8 processors, queues 0..8);
