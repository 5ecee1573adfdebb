/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * What watch.bpf.c and its reader share. Times are nanoseconds of CLOCK_MONOTONIC.
 * A change here is a change in src/deployed/record.rs; both sides assert the sizes.
 */
#ifndef PRAZO_WATCH_H
#define PRAZO_WATCH_H

#define WATCH_SLOTS 4096	/* a watched thread's place is its number modulo this */
#define WATCH_PRIO_MAX 99	/* the least urgent real-time priority inside the kernel */
#define WATCH_WORDS 16		/* processors that a cluster can name, in words of 64 */

/* One job of a watched thread: from its wake-up to where it blocks. */
struct watch_job {
	__u32 tid;
	__u16 cpu;		/* where it ended */
	__u16 pad;
	__u64 due_ns;		/* programmed expiry of the timer whose function woke it; 0 when none did */
	__u64 waking_ns;	/* it is woken */
	__u64 start_ns;		/* a processor switches to it */
	__u64 end_ns;		/* it blocks, or finds its next instant past already */
	__u64 ran_ns;		/* between on and off, interrupts included */
	__u32 preemptions;	/* it left a processor though it could have run */
	__u32 throttled;	/* of these, with its budget spent, or for a less urgent thread */
	__u32 migrations;	/* it came to another processor than it left */
	__u32 outside;		/* it came to a processor that is not its cluster's */
};

/* A watched thread, and its job under way. */
struct watch_slot {
	__u32 tid;		/* 0 is an empty place */
	__u32 lost;		/* jobs that found the ring full */
	__u32 is_on;		/* it was seen coming to a processor, and has not left it */
	__u32 last_cpu;		/* where it was last, and one more; 0 is unknown */
	__u64 since_ns;		/* it came to its processor */
	__u64 due_ns;		/* of the wake-up that is being made */
	__u64 waking_ns;
	__u64 cluster[WATCH_WORDS];
	struct watch_job job;	/* waking_ns is 0 while there is none */
};

#endif
