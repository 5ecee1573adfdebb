/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * What the module irqlat and its reader say to each other, once, for both.
 *
 * The Rust twin is measuring/abi/src/irqlat.rs; a test compiles this file and compares every size and offset. A change of
 * anything here is a new IRQLAT_ABI. All instants are CLOCK_MONOTONIC in nanoseconds, so that a user task's stamps compare.
 *
 *   open ─► PREPARE ─► (priorities are set from outside) ─► ARM ─► read, COUNTS ... ─► STOP ─► read ─► close
 *                                        user task: WAIT, WAIT ... ─┘
 */
#ifndef PRAZO_IRQLAT_H
#define PRAZO_IRQLAT_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define IRQLAT_ABI 1

/* Who raises the line, and so stamps t1. */
#define IRQLAT_TRIGGER_HRTIMER 1   /* a timer's interrupt on trigger_cpu */
#define IRQLAT_TRIGGER_PROCESSOR 2 /* the same, on another processor than the measured one */
#define IRQLAT_TRIGGER_ETHERNET 3  /* a frame of type IRQLAT_ETHERTYPE on `device` */

/* Which line is raised. */
#define IRQLAT_SOURCE_PARPORT 1  /* QEMU's parallel port, whose control register raises its line */
#define IRQLAT_SOURCE_LOOPBACK 2 /* a parallel port with pin 9 (D7) wired to pin 10 (nACK) */
#define IRQLAT_SOURCE_EDU 3      /* QEMU's PCI device `edu` */
#define IRQLAT_SOURCE_GPIO 4     /* an output line wired to an input line of one gpiochip */

/* Where the handler runs, as asked. */
#define IRQLAT_HANDLER_KERNEL 1 /* as this kernel does it: a thread under PREEMPT_RT or `threadirqs`, else the interrupt */
#define IRQLAT_HANDLER_HARD 2   /* IRQF_NO_THREAD: in the interrupt on every kernel */
#define IRQLAT_HANDLER_THREAD 3 /* a thread on every kernel, with a stamp in the interrupt that wakes it */

/* Where the handler ran, as found. */
#define IRQLAT_CONTEXT_HARD 1
#define IRQLAT_CONTEXT_THREAD 2

/* Who takes t3. */
#define IRQLAT_TASK_KERNEL 1
#define IRQLAT_TASK_USER 2

/* Where PREPARE or ARM came to when it failed. */
#define IRQLAT_STEP_DONE 0
#define IRQLAT_STEP_PLAN 1    /* a field that cannot be */
#define IRQLAT_STEP_MEMORY 2  /* no memory for the ring or the task */
#define IRQLAT_STEP_SOURCE 3  /* the device of the source is not there, or not free */
#define IRQLAT_STEP_LINE 4    /* its interrupt line cannot be had */
#define IRQLAT_STEP_AFFINE 5  /* the line cannot be moved to measured_cpu */
#define IRQLAT_STEP_SILENT 6  /* the line was raised and nothing came */
#define IRQLAT_STEP_TRIGGER 7 /* the trigger's device or processor is not there */
#define IRQLAT_STEP_TASK 8    /* the task that takes t3 never came to wait */

/* Frames of this type trigger; it is one of the two kept for local experiments (IEEE 802). */
#define IRQLAT_ETHERTYPE 0x88B5

#define IRQLAT_NAME_MAX 32

/* What shall be measured. */
struct irqlat_plan {
	__u32 abi;     /* IRQLAT_ABI */
	__u32 trigger; /* IRQLAT_TRIGGER_* */
	__u32 source;  /* IRQLAT_SOURCE_* */
	__u32 handler; /* IRQLAT_HANDLER_* */
	__u32 task;    /* IRQLAT_TASK_* */
	__u32 trigger_cpu;
	__s32 measured_cpu; /* kernel task and, where it can be moved, line go there; -1 leaves both where they are */
	__u32 ring_records; /* a power of two */
	__u64 triggers;     /* ends when so many were sent, whatever became of them */
	__u64 period_ns;    /* between two triggers; not for frames */
	__u64 jitter_ns;    /* 0 to this long more, drawn from seed */
	__u64 seed;
	__u64 lost_after_ns; /* a raised line that was not handled for so long is lost */
	__u32 port;          /* the parallel port's first I/O address */
	__u32 irq;           /* and its interrupt line */
	__u32 gpio_out;
	__u32 gpio_in;
	char device[IRQLAT_NAME_MAX]; /* the card that frames come from, or the gpiochip's label */
};

/* What PREPARE found. */
struct irqlat_ready {
	__u32 step;    /* IRQLAT_STEP_DONE, or where it failed */
	__u32 irq;     /* the line */
	__u32 context; /* IRQLAT_CONTEXT_* */
	__s32 irq_thread_pid; /* of the thread that handles it; 0 without */
	__s32 task_pid;       /* of the kernel task; 0 with a user task */
	__u32 line_probes;    /* how often the line was raised to see that it works */
	__u64 clock_step_min_ns;  /* the smallest step of the clock that was seen, other than none */
	__u64 stamp_reads;        /* how many stamps took stamp_total_ns */
	__u64 stamp_total_ns;
	__u64 raise_min_ns; /* raising the line, with one stamp: of line_probes, the shortest */
	__u64 raise_max_ns; /* and the longest */
};

struct irqlat_prepare {
	struct irqlat_plan plan;
	struct irqlat_ready ready;
};

/* What a user task hands over with each WAIT, and gets. */
struct irqlat_wait {
	__u64 t3_ns;    /* in: when it ran; 0 the first time */
	__u32 cpu;      /* in: where */
	__u32 reserved; /* 0 */
};

/* What became of the triggers: sent = recorded + dropped + overruns + lost + outstanding. */
struct irqlat_counts {
	__u64 sent;        /* triggers, up to plan.triggers */
	__u64 recorded;    /* samples that went to the ring */
	__u64 dropped;     /* samples that found the ring full */
	__u64 overruns;    /* triggers while a sample was outstanding; the line was not raised */
	__u64 lost;        /* lines raised, and nothing came for lost_after_ns, or until STOP */
	__u64 outstanding; /* 1 while a sample is under way */
	__u64 spurious;    /* handlers that ran though nothing was raised */
	__u64 frames_missing; /* gaps in the frames' numbers: never arrived, so never sent */
};

/* One sample, as read(2) gives it; whole records only, -EAGAIN where there is none. */
struct irqlat_sample {
	__u64 sequence; /* the trigger's number, from 0 */
	__u64 due_ns;   /* when the trigger itself was due; 0 for frames */
	__u64 t1_ns;    /* before the line was raised */
	__u64 hard_ns;  /* in the interrupt; 0 where only a thread can stamp */
	__u64 t2_ns;    /* in the handler, first thing */
	__u64 t3_ns;    /* in the task, first thing */
	__u32 trigger_cpu;
	__u32 handler_cpu;
	__u32 task_cpu;
	__u32 reserved;
};

#define IRQLAT_PREPARE _IOWR('q', 1, struct irqlat_prepare)
#define IRQLAT_ARM _IO('q', 2)
#define IRQLAT_WAIT _IOW('q', 3, struct irqlat_wait)
#define IRQLAT_COUNTS _IOR('q', 4, struct irqlat_counts)
#define IRQLAT_STOP _IO('q', 5)

#endif
