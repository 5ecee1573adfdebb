/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * What split.bpf.c and its reader share. Times are nanoseconds of CLOCK_MONOTONIC.
 * A change here is a change in src/split/record.rs; both sides assert the sizes.
 */
#ifndef PRAZO_SPLIT_H
#define PRAZO_SPLIT_H

#define SPLIT_VERSION 2
#define SPLIT_SLOTS 4096	/* a measured thread's place is its number modulo this */
#define SPLIT_EVENTS 131072	/* events kept of each measured processor */
#define SPLIT_CPUS 1024		/* processors that can be named */
#define SPLIT_URGENT 1024	/* a more urgent thread's place is its number modulo this */
#define SPLIT_LINES 4096	/* interrupts that can be a card's */

#define SPLIT_SELF 1		/* woken while it ran: it never slept */

/*
 * One wake-up of a measured thread, as it leaves through the ring. Its first three stamps are a timer's, or a frame's.
 */
struct split_wakeup {
	__u32 tid;
	__u16 flags;
	__u16 cpu;		/* where the thread was switched to, or never slept */
	__u64 due_ns;		/* programmed expiry, or the card's interrupt; 0 when there was none in front of the wake-up */
	__u64 latest_ns;	/* programmed expiry with the timer's slack; or the interrupt's thread starts, 0 without one */
	__u64 handler_ns;	/* the timer's handler is about to run, or the receive softirq */
	__u64 waking_ns;	/* the thread is made runnable */
	__u64 switch_ns;	/* the processor switches to it; 0 when it never slept */
};

/* A measured thread, and its wake-up under way. */
struct split_slot {
	__u32 tid;		/* 0 is an empty place */
	__u32 lost;		/* wake-ups that found the ring full */
	__u32 hidden;		/* it left a processor that it was never seen coming to */
	__u32 is_on;		/* it was seen coming to a processor, and has not left it */
	struct split_wakeup wakeup;
};

enum split_kind {
	SPLIT_SWITCH = 1,	/* id: the next thread, name: its command */
	SPLIT_IRQ_ENTRY = 2,	/* id: the interrupt's number */
	SPLIT_IRQ_EXIT = 3,
	SPLIT_SOFTIRQ_ENTRY = 4,	/* id: the softirq's number */
	SPLIT_SOFTIRQ_EXIT = 5,
	SPLIT_VECTOR_ENTRY = 6,	/* id: one of split_vector */
	SPLIT_VECTOR_EXIT = 7,
	SPLIT_MIGRATE = 8,	/* id: the measured thread; extra: its new processor */
	SPLIT_NMI_EXIT = 9,	/* id: how long the handler took, in nanoseconds */
};

enum split_vector {
	SPLIT_LOCAL_TIMER = 1,
	SPLIT_RESCHEDULE = 2,
	SPLIT_CALL_FUNCTION = 3,
	SPLIT_CALL_FUNCTION_SINGLE = 4,
	SPLIT_IRQ_WORK = 5,
	SPLIT_THERMAL = 6,
	SPLIT_MACHINE_CHECK = 7,	/* corrected errors above a threshold, and deferred ones */
	SPLIT_PLATFORM_IPI = 8,
	SPLIT_SPURIOUS = 9,	/* and errors of the interrupt controller */
};

/* Something that happened on a measured processor. */
struct split_event {
	__u64 at_ns;
	__u16 kind;
	__s16 extra;		/* of a switch: the next thread's kernel priority, below 100 is real-time */
	__s32 id;
	char name[16];
};

/* A thread that is more urgent than the measured ones, and ran on their processors. */
struct split_urgent {
	__u64 first_ns;
	__u64 last_ns;		/* its latest switch */
	__u32 tid;		/* 0 is an empty place */
	__u32 times;
	__u32 hidden;		/* switches to others that have the same place */
	__s16 prio;		/* the kernel's: less is more urgent, -1 is a deadline thread */
	__u16 cpu;		/* where it ran first */
	char name[16];
};

#endif
