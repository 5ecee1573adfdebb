// SPDX-License-Identifier: GPL-2.0
// The measured path up to the task: the trigger takes t1 and raises the line, the handler takes t2 and wakes the task.
//
// Nothing here takes a lock but the raw ones below swake_up_one, so that it may run in an interrupt under PREEMPT_RT.

#include "session.h"

/* True for one trigger at a time: the one that found the task waiting. */
static bool claim(struct session *session)
{
	return atomic_cmpxchg(&session->state, ARMED, CLAIMED) == ARMED;
}

/* A line that was raised long ago, and nothing came: the sample is given up, so that the run goes on. */
static void give_up_lost(struct session *session)
{
	if (atomic_read_acquire(&session->state) != RAISED)
		return;
	if (stamp_ns() - session->sample.t1_ns < session->plan.lost_after_ns)
		return;
	if (atomic_cmpxchg(&session->state, RAISED, ARMED) == RAISED) {
		session->source->lower(session);
		atomic64_inc(&session->lost);
	}
}

static void raise(struct session *session, u64 sequence, u64 due_ns)
{
	struct irqlat_sample *sample = &session->sample;
	unsigned long flags;

	memset(sample, 0, sizeof(*sample));
	sample->sequence = sequence;
	sample->due_ns = due_ns;
	/* Interrupts are off from the stamp to the raised line: what comes between would be counted as latency. */
	local_irq_save(flags);
	sample->trigger_cpu = raw_smp_processor_id();
	sample->t1_ns = stamp_ns();
	atomic_set_release(&session->state, RAISED);
	session->source->raise(session);
	local_irq_restore(flags);
}

/* One trigger; false when it was the last one. */
bool fire(struct session *session, u64 due_ns)
{
	u64 number = atomic64_fetch_inc(&session->sent);

	if (number >= session->plan.triggers) {
		atomic64_dec(&session->sent);
		return false;
	}
	give_up_lost(session);
	if (claim(session))
		raise(session, number, due_ns);
	else
		atomic64_inc(&session->overruns);
	return number + 1 < session->plan.triggers;
}

/* The interrupt of a line whose handler was asked to be a thread. */
irqreturn_t stamp_in_interrupt(int irq, void *data)
{
	struct session *session = data;
	u64 now_ns = stamp_ns();

	if (atomic_read_acquire(&session->state) == RAISED)
		session->sample.hard_ns = now_ns;
	return IRQ_WAKE_THREAD;
}

/* While the line is being tried out: where does the handler run? */
static irqreturn_t answer_probe(struct session *session)
{
	bool is_thread = !in_hardirq();

	session->source->lower(session);
	session->ready.context = is_thread ? IRQLAT_CONTEXT_THREAD : IRQLAT_CONTEXT_HARD;
	session->ready.irq_thread_pid = is_thread ? task_pid_nr(current) : 0;
	atomic_set_release(&session->state, ANSWERED);
	return IRQ_HANDLED;
}

/* The handler. It lowers the line before it wakes the task, which may trigger anew before the handler has ended. */
irqreturn_t handle(int irq, void *data)
{
	u64 now_ns = stamp_ns();
	struct session *session = data;
	struct irqlat_sample *sample = &session->sample;

	if (atomic_read_acquire(&session->state) == PROBING)
		return answer_probe(session);
	if (!session->source->lower(session))
		return IRQ_NONE;
	if (atomic_read_acquire(&session->state) != RAISED) {
		atomic64_inc(&session->spurious);
		return IRQ_HANDLED;
	}
	sample->t2_ns = now_ns;
	sample->handler_cpu = raw_smp_processor_id();
	if (session->ready.context == IRQLAT_CONTEXT_HARD)
		sample->hard_ns = now_ns;
	if (atomic_cmpxchg(&session->state, RAISED, HANDLED) == RAISED)
		swake_up_one(&session->task_waits);
	else
		atomic64_inc(&session->spurious);
	return IRQ_HANDLED;
}
