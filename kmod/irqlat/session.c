// SPDX-License-Identifier: GPL-2.0
// A measurement's life: prepared, armed, stopped; each step names itself where it fails.

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/irq.h>
#include <linux/slab.h>
#include "session.h"

/* How long the task may take to come to its first wait. */
#define TASK_COMES_MS 1000

static const struct source *find_source(u32 source)
{
	switch (source) {
#if defined(CONFIG_HAS_IOPORT) || defined(CONFIG_X86)
	case IRQLAT_SOURCE_PARPORT:
		return &source_parport;
	case IRQLAT_SOURCE_LOOPBACK:
		return &source_loopback;
#endif
	case IRQLAT_SOURCE_EDU:
		return &source_edu;
	case IRQLAT_SOURCE_GPIO:
		return &source_gpio;
	default:
		return NULL;
	}
}

static const struct trigger *find_trigger(u32 trigger)
{
	switch (trigger) {
	case IRQLAT_TRIGGER_HRTIMER:
		return &trigger_hrtimer;
	case IRQLAT_TRIGGER_PROCESSOR:
		return &trigger_processor;
	case IRQLAT_TRIGGER_ETHERNET:
		return &trigger_ethernet;
	default:
		return NULL;
	}
}

static int check_plan(struct session *session)
{
	const struct irqlat_plan *plan = &session->plan;

	session->source = find_source(plan->source);
	session->trigger = find_trigger(plan->trigger);
	if (plan->abi != IRQLAT_ABI)
		return -EPROTO;
	if (!session->source || !session->trigger)
		return -EOPNOTSUPP;
	if (plan->handler < IRQLAT_HANDLER_KERNEL || plan->handler > IRQLAT_HANDLER_THREAD)
		return -EINVAL;
	if (plan->task != IRQLAT_TASK_KERNEL && plan->task != IRQLAT_TASK_USER)
		return -EINVAL;
	if (!plan->triggers || !plan->lost_after_ns || !is_power_of_2(plan->ring_records))
		return -EINVAL;
	if (plan->measured_cpu >= 0 && (plan->measured_cpu >= nr_cpu_ids || !cpu_online(plan->measured_cpu)))
		return -ENXIO;
	return 0;
}

static int open_line(struct session *session)
{
	unsigned long flags = session->source->irq_flags;

	switch (session->plan.handler) {
	case IRQLAT_HANDLER_THREAD:
		flags |= IRQF_NO_THREAD | IRQF_ONESHOT;
		return request_threaded_irq(session->irq, stamp_in_interrupt, handle, flags, "irqlat", session);
	case IRQLAT_HANDLER_HARD:
		return request_irq(session->irq, handle, flags | IRQF_NO_THREAD, "irqlat", session);
	default:
		return request_irq(session->irq, handle, flags, "irqlat", session);
	}
}

static void close_line(struct session *session)
{
	irq_set_affinity_hint(session->irq, NULL);
	free_irq(session->irq, session);
}

/* A line that its controller cannot move (a gpiochip's, often) may be handled where it is: each sample says where that was. */
static int move_line(struct session *session)
{
	int cpu = session->plan.measured_cpu;
	struct irq_data *line = irq_get_irq_data(session->irq);
	int error;

	if (cpu < 0)
		return 0;
	error = irq_set_affinity_and_hint(session->irq, cpumask_of(cpu));
	if (error && line && cpumask_test_cpu(cpu, irq_data_get_effective_affinity_mask(line)))
		return 0;
	return error;
}

/* Runs a step, and keeps its name where it fails. */
static int step(struct session *session, u32 name, int error)
{
	if (error)
		session->ready.step = name;
	return error;
}

int session_prepare(struct session *session)
{
	int error;

	error = step(session, IRQLAT_STEP_PLAN, check_plan(session));
	if (error)
		return error;
	calibrate_clock(&session->ready);
	error = step(session, IRQLAT_STEP_MEMORY, ring_open(&session->ring, session->plan.ring_records));
	if (error)
		return error;
	error = step(session, IRQLAT_STEP_SOURCE, session->source->open(session));
	if (error)
		goto close_ring;
	error = step(session, IRQLAT_STEP_LINE, open_line(session));
	if (error)
		goto close_source;
	error = step(session, IRQLAT_STEP_AFFINE, move_line(session));
	if (error)
		goto close_line;
	error = step(session, IRQLAT_STEP_SILENT, calibrate_line(session));
	if (error)
		goto close_line;
	error = step(session, IRQLAT_STEP_TRIGGER, session->trigger->open(session));
	if (error)
		goto close_line;
	error = step(session, IRQLAT_STEP_TASK, task_start(session));
	if (error)
		goto close_trigger;
	session->ready.irq = session->irq;
	session->phase = PREPARED;
	return 0;

close_trigger:
	session->trigger->close(session);
close_line:
	close_line(session);
close_source:
	session->source->close(session);
close_ring:
	ring_close(&session->ring);
	return error;
}

/* The handshake: no trigger before the task waits, or the first sample would measure the task's start. */
static int await_task(struct session *session)
{
	int waited_ms;

	for (waited_ms = 0; waited_ms < TASK_COMES_MS; waited_ms++) {
		if (atomic_read(&session->state) == ARMED)
			return 0;
		usleep_range(1000, 1100);
	}
	return -ETIMEDOUT;
}

int session_arm(struct session *session)
{
	int error;

	if (session->phase != PREPARED)
		return -EBUSY;
	error = await_task(session);
	if (!error)
		error = session->trigger->start(session);
	if (!error)
		session->phase = RUNS;
	return error;
}

/* First the trigger, then the line, then the task; a line still raised then is lost. */
void session_stop(struct session *session)
{
	if (session->phase != PREPARED && session->phase != RUNS)
		return;
	session->trigger->stop(session);
	session->trigger->close(session);
	close_line(session);
	if (atomic_cmpxchg(&session->state, RAISED, OFF) == RAISED)
		atomic64_inc(&session->lost);
	task_stop(session);
	session->source->close(session);
	session->phase = STOPPED;
}

void session_free(struct session *session)
{
	ring_close(&session->ring);
}

static bool is_outstanding(int state)
{
	return state == CLAIMED || state == RAISED || state == HANDLED || state == RUNNING ||
	       state == RECORDING;
}

void session_counts(struct session *session, struct irqlat_counts *counts)
{
	memset(counts, 0, sizeof(*counts));
	/* Read first: what is counted after it can only be more. */
	counts->outstanding = is_outstanding(atomic_read(&session->state));
	counts->sent = atomic64_read(&session->sent);
	counts->recorded = READ_ONCE(session->recorded);
	counts->dropped = READ_ONCE(session->dropped);
	counts->overruns = atomic64_read(&session->overruns);
	counts->lost = atomic64_read(&session->lost);
	counts->spurious = atomic64_read(&session->spurious);
	counts->frames_missing = atomic64_read(&session->frames_missing);
}
