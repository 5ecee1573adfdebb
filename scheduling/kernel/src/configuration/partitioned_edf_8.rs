//! P-EDF on eight processors, for tests of many switches.

configuration!(EarliestDeadlineFirst on 8 processors, queues 0..1, 1..2, 2..3, 3..4, 4..5, 5..6, 6..7, 7..8);
