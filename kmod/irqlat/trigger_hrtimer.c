// SPDX-License-Identifier: GPL-2.0
// A timer's interrupt raises the line: on the measured processor, or on another one.
//
// On the measured processor t1 comes as late as the timer's own interrupt, so that whatever keeps interrupts off is seen in
// t1 - due alone. From another processor it is seen in t2 - t1.

#include <linux/cpu.h>
#include <linux/math64.h>
#include <linux/version.h>
#include "session.h"

/* Marsaglia's xorshift64: the seed's sequence is the same on every kernel. */
static u64 draw(struct session *session, u64 up_to)
{
	u64 x = session->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	session->random = x;
	return up_to == U64_MAX ? x : x - div64_u64(x, up_to + 1) * (up_to + 1);
}

static u64 next_distance(struct session *session)
{
	return session->plan.period_ns + draw(session, session->plan.jitter_ns);
}

static enum hrtimer_restart expired(struct hrtimer *timer)
{
	struct session *session = container_of(timer, struct session, timer);
	ktime_t due = hrtimer_get_expires(timer);

	if (!fire(session, ktime_to_ns(due)))
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, ktime_add_ns(due, next_distance(session)));
	return HRTIMER_RESTART;
}

static int open(struct session *session)
{
	const struct irqlat_plan *plan = &session->plan;

	if (!plan->period_ns || plan->period_ns > NSEC_PER_SEC * 3600 || plan->jitter_ns > NSEC_PER_SEC * 3600)
		return -EINVAL;
	if (plan->trigger_cpu >= nr_cpu_ids || !cpu_online(plan->trigger_cpu))
		return -ENXIO;
	session->random = plan->seed ?: 1;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&session->timer, expired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
#else
	hrtimer_init(&session->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	session->timer.function = expired;
#endif
	return 0;
}

static int open_elsewhere(struct session *session)
{
	const struct irqlat_plan *plan = &session->plan;

	if (plan->measured_cpu < 0 || plan->measured_cpu == plan->trigger_cpu)
		return -EINVAL;
	return open(session);
}

/* A pinned timer stays where it was started. */
static void start_here(void *data)
{
	struct session *session = data;
	ktime_t due = ktime_add_ns(ktime_get(), next_distance(session));

	hrtimer_start(&session->timer, due, HRTIMER_MODE_ABS_PINNED_HARD);
}

static int start(struct session *session)
{
	return smp_call_function_single(session->plan.trigger_cpu, start_here, session, true);
}

static void stop(struct session *session)
{
	hrtimer_cancel(&session->timer);
}

static void close(struct session *session)
{
}

const struct trigger trigger_hrtimer = { .open = open, .start = start, .stop = stop, .close = close };
const struct trigger trigger_processor = { .open = open_elsewhere, .start = start, .stop = stop, .close = close };
