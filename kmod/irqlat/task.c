// SPDX-License-Identifier: GPL-2.0
// The end of the measured path: a task, of the kernel's or the user's, that waits for the handler and takes t3.

#include <linux/err.h>
#include <linux/kthread.h>
#include "session.h"

/* The sample is complete, once: of two tasks that come with it, the first. */
static void record(struct session *session, u64 t3_ns, u32 cpu)
{
	if (atomic_cmpxchg(&session->state, RUNNING, RECORDING) != RUNNING)
		return;
	session->sample.t3_ns = t3_ns;
	session->sample.task_cpu = cpu;
	if (ring_push(&session->ring, &session->sample))
		WRITE_ONCE(session->recorded, session->recorded + 1);
	else
		WRITE_ONCE(session->dropped, session->dropped + 1);
	atomic_set_release(&session->state, ARMED);
}

static bool is_over(struct session *session)
{
	return READ_ONCE(session->stopping) || atomic_read_acquire(&session->state) == HANDLED;
}

static int await_handler(struct session *session)
{
	return swait_event_interruptible_exclusive(session->task_waits, is_over(session));
}

static int kernel_task(void *data)
{
	struct session *session = data;

	atomic_cmpxchg(&session->state, OFF, ARMED);
	while (!READ_ONCE(session->stopping)) {
		u64 t3_ns;

		await_handler(session);
		t3_ns = stamp_ns();
		if (atomic_cmpxchg(&session->state, HANDLED, RUNNING) == HANDLED)
			record(session, t3_ns, raw_smp_processor_id());
	}
	/* kthread_stop() waits for this thread, and wants it to be there. */
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

int task_start(struct session *session)
{
	struct task_struct *task;

	if (session->plan.task == IRQLAT_TASK_USER)
		return 0;
	task = kthread_create(kernel_task, session, "irqlat");
	if (IS_ERR(task))
		return PTR_ERR(task);
	if (session->plan.measured_cpu >= 0)
		kthread_bind(task, session->plan.measured_cpu);
	session->task = task;
	session->ready.task_pid = task_pid_nr(task);
	wake_up_process(task);
	return 0;
}

void task_stop(struct session *session)
{
	WRITE_ONCE(session->stopping, true);
	swake_up_all(&session->task_waits);
	if (session->task)
		kthread_stop(session->task);
	session->task = NULL;
}

/*
 * A user task's wait. It brings the t3 of its last activation along, so that an activation costs one system call; -ECANCELED
 * when the measurement is over, -EINTR on a signal (it may come again: the sample waits for it).
 */
int task_wait(struct session *session, const struct irqlat_wait *last)
{
	if (session->plan.task != IRQLAT_TASK_USER)
		return -EINVAL;
	record(session, last->t3_ns, last->cpu);
	atomic_cmpxchg(&session->state, OFF, ARMED);
	if (await_handler(session))
		return -EINTR;
	if (atomic_cmpxchg(&session->state, HANDLED, RUNNING) == HANDLED)
		return 0;
	return -ECANCELED;
}
