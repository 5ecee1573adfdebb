/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * What activations.bpf.c and its reader share. Times are nanoseconds of CLOCK_MONOTONIC.
 * A change here is a change in src/programs/layout.rs; a test compares sizes and offsets.
 */
#ifndef PRAZO_ACTIVATIONS_H
#define PRAZO_ACTIVATIONS_H

#define ACTIVATIONS_THREADS 16384	/* threads that can be followed at once */
#define ACTIVATIONS_CALLS 512	/* system calls that can be told apart */
#define ACTIVATIONS_MARKS 65536	/* a thread's mark is its number modulo this */

/* What is done with a system call, by its number: flags, and the argument that points to a time. */
#define CALL_ALWAYS 1	/* a record even where the thread did not sleep in it */
#define CALL_VALUE 2	/* where it answers 8: the eight bytes that argument 1 points to */
#define CALL_LOCK 4	/* the word that argument 0 points to */
#define CALL_TIMES 8	/* two pairs of seconds and nanoseconds instead of one */
#define CALL_TIMEOUT 16	/* a record where it answers -ETIMEDOUT, even if the time was past and the thread did not sleep */
#define CALL_TIMED_OUT (-110)
#define CALL_DEADLINE 32	/* a record where a thread of SCHED_DEADLINE makes it; user has what the kernel knows of its period */
#define CALL_POINTER_SHIFT 8	/* the argument that points to the time, and one more; 0 without one */

/* What a process is followed for. */
#define FOLLOW_THREADS 1	/* its new threads */
#define FOLLOW_CHILDREN 2	/* the processes that it starts, and theirs */

#define PRIO_REAL_TIME_MAX 99	/* the least urgent real-time priority inside the kernel */

enum activations_kind {
	ACTIVATIONS_CALL = 1,
	ACTIVATIONS_OFF = 2,
	ACTIVATIONS_THREAD = 3,
	ACTIVATIONS_PLACE = 4,
	ACTIVATIONS_MADE = 5,
};

/* A system call of a followed thread that has returned. */
struct activations_call {
	__u32 kind;
	__u32 tid;
	__u32 tgid;
	__u32 number;		/* counts these records of the thread, those that found the ring full included */
	__u64 enter_ns;		/* 0 where it was under way when the thread began to be followed */
	__u64 exit_ns;
	__s64 result;
	__u32 call;		/* its number, all ones where enter_ns is 0 */
	__u32 slept;		/* the thread blocked in it */
	__u64 args[4];
	__u64 user[4];		/* what the caller's memory held; see CALL_* */
	__u32 minor_faults;	/* of the thread so far */
	__u32 major_faults;
	__u64 fault_ns;		/* that it spent in them so far, blocked or not; 0 where the kernel does not show it */
};

/* A stretch in which a followed thread was not on a processor; written when it is back. */
struct activations_off {
	__u32 kind;
	__u32 tid;
	__u64 off_ns;
	__u64 waking_ns;	/* 0 where it was preempted */
	__u64 on_ns;
	__u64 due_ns;		/* programmed expiry of the timer whose function woke it; 0 when none did */
	__u64 latest_ns;	/* the same with the timer's slack */
	__u64 handler_ns;	/* that timer's function was about to run */
	__u32 state;		/* of the thread when it left: 0 could have run on */
	__u32 call;		/* the system call that it was in, and one more; 0 outside of any */
	__u16 cpu_off;
	__u16 cpu_on;
	__u16 cpu_waking;
	__s16 taker_prio;	/* of the thread that came instead, inside the kernel */
	__u32 taker_tid;
	__u32 waker_tid;	/* the thread that ran where it was woken */
	char taker[16];
	char waker[16];
	__s16 prio;		/* its own inside the kernel */
	__u16 throttled;	/* it could have run and left with its budget spent, or for a less urgent thread */
	__u32 lost;		/* these records of the thread that found the ring full, so far */
};

/* A thread began to be followed because it was started, or ended. */
struct activations_thread {
	__u32 kind;
	__u32 tid;
	__u32 tgid;
	__u32 is_end;
	__u64 at_ns;
	char name[16];
};

/* A followed thread reached a place of its program. */
struct activations_place {
	__u32 kind;
	__u32 tid;
	__u32 tgid;
	__u32 number;		/* counts these records of the thread, those that found the ring full included */
	__u64 at_ns;
	__u64 stack;		/* where its stack ends; only within one thread it tells an inner call from an outer one */
	__u32 place;		/* as the reader numbers them */
	__u32 minor_faults;	/* of the thread so far */
	__u32 major_faults;
	__u32 unused;
	__u64 fault_ns;
};

/* System calls that a followed thread has made and that have no record of their own, since the last such record. */
struct activations_made {
	__u32 kind;
	__u32 tid;
	__u64 calls[ACTIVATIONS_CALLS / 64];	/* a bit for each number */
};

/* A followed thread. */
struct activations_slot {
	__u32 call;		/* the system call that it is in, and one more; 0 outside of any */
	__u32 number;
	__u32 slept;
	__u32 lost_offs;
	__u64 enter_ns;
	__u64 args[4];
	__u64 user[4];
	__u64 fault_ns;
	__u64 fault_since_ns;	/* the page fault under way; 0 without one */
	__u32 places;
	__u32 unused;
	struct activations_off off;	/* off_ns is 0 while it is on a processor */
};

#endif
