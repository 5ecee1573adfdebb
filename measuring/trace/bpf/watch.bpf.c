// SPDX-License-Identifier: GPL-2.0
/*
 * The jobs of some threads, as a stock kernel shows them: woken, switched to, preempted, moved, blocked.
 *
 *   hrtimer_expire_entry -> sched_waking -> hrtimer_expire_exit; sched_wakeup -> sched_switch ... sched_switch (blocks) -> ring
 *
 * Five short programs; no hash map, no lock but the ring's. sched_waking says when and by what, on the processor that wakes;
 * sched_wakeup comes once the thread has left its processor for good, so that it alone begins a job. A job that found the ring
 * full is counted in its thread's slot.
 */
#include "kernel.h"
#include "watch.h"

_Static_assert(sizeof(struct watch_job) == 64, "record.rs says 64");
_Static_assert(sizeof(struct watch_slot) == 232, "record.rs says 232");

struct {
	MAP_INT(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	MAP_INT(max_entries, 1);	/* the programmed expiry of the timer whose function runs here; 0 while none does */
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, __u64);
} timers SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_ARRAY);
	MAP_INT(max_entries, WATCH_SLOTS);
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, struct watch_slot);
} slots SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_RINGBUF);
	MAP_INT(max_entries, 1 << 20);	/* the loader makes it fit the tasks */
} jobs SEC(".maps");

INLINE struct watch_slot *slot_of(int tid)
{
	__u32 place = (__u32)tid % WATCH_SLOTS;
	struct watch_slot *slot = bpf_map_lookup_elem(&slots, &place);

	return slot && tid && slot->tid == (__u32)tid ? slot : 0;
}

INLINE __u64 *timer_here(void)
{
	__u32 only = 0;

	return bpf_map_lookup_elem(&timers, &only);
}

INLINE void begin(struct watch_slot *slot, __u64 start_ns)
{
	struct watch_job fresh = { .tid = slot->tid, .due_ns = slot->due_ns, .waking_ns = slot->waking_ns, .start_ns = start_ns };

	slot->job = fresh;
}

INLINE void finish(struct watch_slot *slot, __u64 now)
{
	struct watch_job *out;

	slot->job.end_ns = now;
	slot->job.cpu = bpf_get_smp_processor_id();
	out = bpf_ringbuf_reserve(&jobs, sizeof(*out), 0);
	if (out) {
		*out = slot->job;
		bpf_ringbuf_submit(out, BPF_RB_NO_WAKEUP);
	} else {
		slot->lost++;
	}
	slot->job.waking_ns = 0;
}

SEC("tp_btf/hrtimer_expire_entry")
int timer_expires(__u64 *context)
{
	struct hrtimer *timer = (struct hrtimer *)context[0];
	__u64 *last = timer_here();

	if (last)
		*last = timer->_softexpires;
	return 0;
}

SEC("tp_btf/hrtimer_expire_exit")
int timer_is_done(__u64 *context)
{
	__u64 *last = timer_here();

	if (last)
		*last = 0;	/* whoever is woken now is woken by something else */
	return 0;
}

SEC("tp_btf/sched_waking")
int thread_is_woken(__u64 *context)
{
	struct task_struct *woken = (struct task_struct *)context[0];
	struct watch_slot *slot = slot_of(woken->pid);
	__u64 *last;

	if (!slot)
		return 0;
	last = timer_here();
	slot->due_ns = last ? *last : 0;
	slot->waking_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sched_wakeup")
int thread_is_runnable(__u64 *context)
{
	struct task_struct *woken = (struct task_struct *)context[0];
	struct watch_slot *slot = slot_of(woken->pid);

	if (!slot || !slot->waking_ns)
		return 0;
	if (!slot->job.waking_ns) {
		begin(slot, 0);
	} else if ((__u32)bpf_get_current_pid_tgid() == slot->tid && slot->due_ns) {
		/* Its timer expired before it slept: that job is over, and the next has begun. */
		slot->job.ran_ns += slot->waking_ns - slot->since_ns;
		slot->since_ns = slot->waking_ns;
		finish(slot, slot->waking_ns);
		begin(slot, slot->waking_ns);
	}
	slot->waking_ns = 0;
	return 0;
}

/* One deadline thread may follow another, so that the spent budget tells; it is filled again when the throttling ends. */
INLINE int is_throttled(struct task_struct *before, struct task_struct *next)
{
	if (before->prio < 0)
		return before->dl.runtime <= 0;
	/* The kernel's own stopper has 0 and comes before everybody. */
	return next->prio > before->prio && next->prio != 0;
}

INLINE void leaves(struct watch_slot *slot, int preempted, int throttled, __u64 now)
{
	if (!slot)
		return;
	if (slot->job.waking_ns && slot->is_on) {
		slot->job.ran_ns += now - slot->since_ns;
		if (preempted) {
			slot->job.preemptions++;
			slot->job.throttled += throttled;
		} else {
			finish(slot, now);
		}
	}
	slot->is_on = 0;
}

INLINE void comes(struct watch_slot *slot, __u64 now)
{
	__u32 cpu = bpf_get_smp_processor_id(), word = (cpu / 64) % WATCH_WORDS;

	if (!slot)
		return;
	if (slot->job.waking_ns) {
		if (!slot->job.start_ns)
			slot->job.start_ns = now;
		slot->job.migrations += slot->last_cpu && slot->last_cpu != cpu + 1;
		slot->job.outside += !(slot->cluster[word] >> (cpu % 64) & 1);
	}
	slot->last_cpu = cpu + 1;
	slot->since_ns = now;
	slot->is_on = 1;
}

SEC("tp_btf/sched_switch")
int processor_switches(__u64 *context)
{
	struct task_struct *before = (struct task_struct *)context[1];
	struct task_struct *next = (struct task_struct *)context[2];
	/* Preempted, or switched away from while it could have run on: throttled, or it yielded. */
	int preempted = context[0] || !(__u32)context[3];
	struct watch_slot *left, *come;
	__u64 now;

	/* Most switches are of others: who is watched has a real-time policy or a deadline. */
	if (before->prio > WATCH_PRIO_MAX && next->prio > WATCH_PRIO_MAX)
		return 0;
	left = slot_of(before->pid);
	come = slot_of(next->pid);
	if (!left && !come)
		return 0;
	now = bpf_ktime_get_ns();
	leaves(left, preempted, is_throttled(before, next), now);
	comes(come, now);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
