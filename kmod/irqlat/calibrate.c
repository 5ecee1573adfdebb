// SPDX-License-Identifier: GPL-2.0
// Before the first trigger: what does a stamp cost, how fine is the clock, does the line answer, and from where?

#include <linux/delay.h>
#include "session.h"

#define STAMPS 1024
#define PROBES 16
/* A line that is silent for so long is silent. */
#define ANSWER_MS 200

/* Stamps in a row, interrupts off, so that only the clock's own cost and steps are seen. */
void calibrate_clock(struct irqlat_ready *ready)
{
	u64 first_ns, last_ns, now_ns, step_min_ns = U64_MAX;
	unsigned long flags;
	int i;

	local_irq_save(flags);
	first_ns = last_ns = stamp_ns();
	for (i = 0; i < STAMPS; i++) {
		now_ns = stamp_ns();
		if (now_ns > last_ns)
			step_min_ns = min(step_min_ns, now_ns - last_ns);
		last_ns = now_ns;
	}
	local_irq_restore(flags);
	ready->stamp_reads = STAMPS;
	ready->stamp_total_ns = last_ns - first_ns;
	ready->clock_step_min_ns = step_min_ns == U64_MAX ? 0 : step_min_ns;
}

static u64 raise_timed(struct session *session)
{
	unsigned long flags;
	u64 before_ns, after_ns;

	local_irq_save(flags);
	before_ns = stamp_ns();
	session->source->raise(session);
	after_ns = stamp_ns();
	local_irq_restore(flags);
	return after_ns - before_ns;
}

static int await_answer(struct session *session)
{
	int waited;

	for (waited = 0; waited < ANSWER_MS * 10; waited++) {
		if (atomic_read_acquire(&session->state) == ANSWERED)
			return 0;
		usleep_range(100, 110);
	}
	return -EIO;
}

static int probe(struct session *session)
{
	struct irqlat_ready *ready = &session->ready;
	u64 raise_ns;
	int error;

	atomic_set_release(&session->state, PROBING);
	raise_ns = raise_timed(session);
	error = await_answer(session);
	atomic_set_release(&session->state, OFF);
	if (error)
		return error;
	ready->raise_min_ns = ready->line_probes ? min(ready->raise_min_ns, raise_ns) : raise_ns;
	ready->raise_max_ns = max(ready->raise_max_ns, raise_ns);
	ready->line_probes++;
	return 0;
}

/* Raises the line a few times; the handler says where it runs. */
int calibrate_line(struct session *session)
{
	int error = 0;
	int i;

	for (i = 0; i < PROBES && !error; i++)
		error = probe(session);
	return error;
}
