// SPDX-License-Identifier: GPL-2.0
/*
 * Where a wake-up's time goes: a timer expires, its handler makes the thread runnable, the processor switches to it.
 *
 *   hrtimer_expire_entry -> sched_waking -> sched_switch -> ring
 *
 * Three short programs, no hash map, no lock but the ring's. The first keeps what expires on this processor; the second
 * takes it when a measured thread is woken; the third hands the whole on when that thread gets its processor. The reader
 * joins it with the thread's own stamp. What is not seen is counted: a full ring in the thread's slot, everything else by
 * the reader, who knows which wake-ups there must have been.
 */
#include "kernel.h"
#include "split.h"

_Static_assert(sizeof(struct split_wakeup) == 48, "record.rs says 48");
_Static_assert(sizeof(struct split_slot) == 56, "record.rs says 56");

struct expiry {
	__u64 due_ns;
	__u64 latest_ns;
	__u64 handler_ns;
};

struct {
	MAP_INT(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	MAP_INT(max_entries, 1);
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, struct expiry);
} expiring SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_ARRAY);
	MAP_INT(max_entries, SPLIT_SLOTS);
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, struct split_slot);
} slots SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_RINGBUF);
	MAP_INT(max_entries, 1 << 20);	/* the loader makes it fit the plan */
} wakeups SEC(".maps");

INLINE struct split_slot *slot_of(int tid)
{
	__u32 place = (__u32)tid % SPLIT_SLOTS;
	struct split_slot *slot = bpf_map_lookup_elem(&slots, &place);

	return slot && tid && slot->tid == (__u32)tid ? slot : 0;
}

INLINE void emit(struct split_slot *slot)
{
	struct split_wakeup *out = bpf_ringbuf_reserve(&wakeups, sizeof(*out), 0);

	if (out) {
		*out = slot->wakeup;
		bpf_ringbuf_submit(out, BPF_RB_NO_WAKEUP);
	} else {
		slot->lost++;
	}
}

SEC("tp_btf/hrtimer_expire_entry")
int timer_expires(__u64 *context)
{
	struct hrtimer *timer = (struct hrtimer *)context[0];
	__u32 only = 0;
	struct expiry *expiry = bpf_map_lookup_elem(&expiring, &only);

	if (expiry) {
		expiry->due_ns = timer->_softexpires;
		expiry->latest_ns = timer->node.expires;
		expiry->handler_ns = bpf_ktime_get_ns();
	}
	return 0;
}

SEC("tp_btf/sched_waking")
int thread_is_woken(__u64 *context)
{
	struct task_struct *woken = (struct task_struct *)context[0];
	struct split_slot *slot = slot_of(woken->pid);
	struct expiry *expiry;
	__u32 only = 0;

	if (!slot)
		return 0;
	expiry = bpf_map_lookup_elem(&expiring, &only);
	if (!expiry)
		return 0;
	slot->wakeup.tid = slot->tid;
	slot->wakeup.due_ns = expiry->due_ns;
	slot->wakeup.latest_ns = expiry->latest_ns;
	slot->wakeup.handler_ns = expiry->handler_ns;
	expiry->due_ns = 0;	/* it woke this thread, and will not be taken for what wakes the next */
	slot->wakeup.waking_ns = bpf_ktime_get_ns();
	slot->wakeup.switch_ns = 0;
	slot->wakeup.flags = 0;
	slot->wakeup.cpu = bpf_get_smp_processor_id();
	if ((__u32)bpf_get_current_pid_tgid() == slot->tid) {
		slot->wakeup.flags = SPLIT_SELF;
		emit(slot);
		slot->wakeup.waking_ns = 0;
	}
	return 0;
}

SEC("tp_btf/sched_switch")
int processor_switches(__u64 *context)
{
	struct task_struct *next = (struct task_struct *)context[2];
	struct split_slot *slot = slot_of(next->pid);

	if (!slot || !slot->wakeup.waking_ns)
		return 0;	/* not measured, or back after a preemption */
	slot->wakeup.switch_ns = bpf_ktime_get_ns();
	slot->wakeup.cpu = bpf_get_smp_processor_id();
	emit(slot);
	slot->wakeup.waking_ns = 0;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
