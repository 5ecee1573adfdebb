/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * What overheads.bpf.c and its reader share. Times are nanoseconds of CLOCK_MONOTONIC.
 * A change here is a change in src/overheads/record.rs; both sides assert the sizes.
 */
#ifndef PRAZO_OVERHEADS_H
#define PRAZO_OVERHEADS_H

#define OVERHEADS_VERSION 1
#define OVERHEADS_CPUS 1024	/* processors that can be named */
#define OVERHEADS_KINDS 8	/* a kind's number is below this */

enum overheads_kind {
	OVERHEADS_RELEASE = 1,	/* timer interrupt's entry to the last job made ready */
	OVERHEADS_SCHEDULING = 2,	/* the scheduler's entry to the switch that it decided upon */
	OVERHEADS_SWITCH = 3,	/* the switch to a task, to that task's first steps */
	OVERHEADS_TICK = 4,	/* the tick's function */
	OVERHEADS_IPI = 5,	/* reschedule interrupt, sent to entered */
	OVERHEADS_EVENT = 6,	/* programmed expiry to the timer interrupt's entry */
	OVERHEADS_STAMP = 7,	/* two programs on one trace point, with nothing between */
};

enum overheads_mark {
	OVERHEADS_INTERRUPTED = 1,	/* an interrupt came in between */
	OVERHEADS_MIGRATED = 2,	/* a job was made ready on another processor */
	OVERHEADS_AMONG_OTHERS = 4,	/* the interrupt served timers that released no job, too */
};

/* One pair of stamps. */
struct overheads_record {
	__u64 at_ns;		/* the first stamp */
	__u32 cost_ns;
	__u8 kind;
	__u8 marks;
	__u16 jobs;		/* of a release: how many jobs */
};

/* Pairs under way on one processor, and what it counts. A stamp of 0 is no pair. */
struct overheads_processor {
	__u64 interrupt_ns;	/* the timer interrupt's entry */
	__u64 expires_ns;	/* programmed expiry of the first timer that it serves */
	__u64 ready_ns;		/* its last job was made ready */
	__u64 schedule_ns;
	__u64 switch_ns;
	__u64 tick_ns;		/* also of two stamps with nothing between */
	__u64 sent_ns;		/* another processor sends a reschedule interrupt here */
	__u64 written;		/* records, those that found no room included */
	__u32 place;		/* 0 is not measured; n+1 has the n-th stretch of records */
	__u32 interrupts;	/* ever entered here */
	__u32 schedule_at;	/* that number when the pair began */
	__u32 switch_at;
	__u32 timers;		/* served by this interrupt */
	__u16 jobs;		/* released by it */
	__u16 migrated;		/* of these to another processor */
	__s32 next;		/* the thread that is switched to */
	__u32 unused;
	__u32 incomplete[OVERHEADS_KINDS];	/* pairs of which one stamp is missing, by kind */
};

#endif
