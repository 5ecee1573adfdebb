//! EDF on one processor.

configuration!(EarliestDeadlineFirst on 1 processors, queues 0..1);
