/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One measurement, from open(2) to close(2): its plan, its line, its trigger, its task, its ring.
 *
 * One sample is outstanding at most. Whoever moves `state` on owns `sample` until it is moved again:
 *
 *   OFF ─► ARMED ─► CLAIMED ─► RAISED ─► HANDLED ─► RUNNING ─► RECORDING ─► ARMED
 *          task     trigger    trigger   handler    task       task         task
 */
#ifndef SESSION_H
#define SESSION_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/swait.h>
#include "irqlat.h"

enum state { OFF, ARMED, CLAIMED, RAISED, HANDLED, RUNNING, RECORDING, PROBING, ANSWERED };

/* How far a session is; each phase is entered once. */
enum phase { OPENED, PREPARED, RUNS, STOPPED };

struct session;

/* A line that can be raised from an interrupt, even where spinlocks sleep. */
struct source {
	unsigned long irq_flags;
	int (*open)(struct session *session); /* sets session->irq */
	void (*raise)(struct session *session);
	bool (*lower)(struct session *session); /* false: the line was not this device's */
	void (*close)(struct session *session);
};

/* Who raises the line. */
struct trigger {
	int (*open)(struct session *session);
	int (*start)(struct session *session);
	void (*stop)(struct session *session); /* returns when it will not fire any more */
	void (*close)(struct session *session);
};

struct ring {
	struct irqlat_sample *records;
	u32 mask;
	u32 head; /* written by the task alone */
	u32 tail; /* written by the reader alone */
};

struct session {
	struct mutex lock; /* over phases and the reader; never taken on the measured path */
	enum phase phase;
	bool stopping;

	struct irqlat_plan plan;
	struct irqlat_ready ready;
	const struct source *source;
	const struct trigger *trigger;
	unsigned int irq;

	atomic_t state;
	struct irqlat_sample sample;
	struct swait_queue_head task_waits;
	struct task_struct *task; /* the kernel task */
	struct ring ring;

	atomic64_t sent, overruns, lost, spurious, frames_missing;
	u64 recorded, dropped; /* the task's */

	/* The sources' and the triggers' own. */
	void __iomem *edu;
	struct pci_dev *edu_device;
	struct gpio_desc *gpio_out, *gpio_in;
	struct gpiod_lookup_table *gpio_table;
	struct device *device;
	struct hrtimer timer;
	u64 random;
	struct packet_type packets;
	struct net_device *card;
	u64 frame_next;
};

#if defined(CONFIG_HAS_IOPORT) || defined(CONFIG_X86)
extern const struct source source_parport, source_loopback;
#endif
extern const struct source source_edu, source_gpio;
extern const struct trigger trigger_hrtimer, trigger_processor, trigger_ethernet;

/* session.c */
int session_prepare(struct session *session);
int session_arm(struct session *session);
void session_stop(struct session *session);
void session_free(struct session *session);
void session_counts(struct session *session, struct irqlat_counts *counts);

/* measure.c: t1 and t2 */
bool fire(struct session *session, u64 due_ns);
irqreturn_t stamp_in_interrupt(int irq, void *session);
irqreturn_t handle(int irq, void *session);

/* task.c: t3 */
int task_start(struct session *session);
void task_stop(struct session *session);
int task_wait(struct session *session, const struct irqlat_wait *last);

/* ring.c */
int ring_open(struct ring *ring, u32 records);
void ring_close(struct ring *ring);
bool ring_push(struct ring *ring, const struct irqlat_sample *sample);
ssize_t ring_read(struct ring *ring, char __user *to, size_t size);

/* calibrate.c */
void calibrate_clock(struct irqlat_ready *ready);
int calibrate_line(struct session *session);

/* The clock of every stamp: CLOCK_MONOTONIC. */
static inline u64 stamp_ns(void)
{
	return ktime_get_ns();
}

#endif
