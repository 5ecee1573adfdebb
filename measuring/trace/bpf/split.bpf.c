// SPDX-License-Identifier: GPL-2.0
/*
 * Where a wake-up's time goes: a timer expires or a frame comes in, the thread is made runnable, the processor switches to it.
 *
 *   hrtimer_expire_entry                                  -> sched_waking -> sched_switch -> ring
 *   irq_handler_entry [-> sched_switch] -> softirq_entry  -> sched_waking -> sched_switch -> ring
 *
 * Three short programs for a timer, five for frames; no hash map, no lock but the ring's. The first keep what happens on this
 * processor; sched_waking takes it when a measured thread is woken; sched_switch hands the whole on when that thread gets its
 * processor. The reader joins it with the thread's own stamp. What is not seen is counted: a full ring and a switch that was
 * hidden in the thread's slot, everything else by the reader, who knows which wake-ups there must have been.
 */
#include "kernel.h"
#include "split.h"

_Static_assert(sizeof(struct split_wakeup) == 48, "record.rs says 48");
_Static_assert(sizeof(struct split_slot) == 64, "record.rs says 64");

/* The first three stamps of a wake-up; split.h says what each is. */
struct origin {
	__u64 due_ns;
	__u64 latest_ns;
	__u64 handler_ns;
};

enum { SOFTIRQ_NET_RX = 3 };

struct {
	MAP_INT(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	MAP_INT(max_entries, 1);
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, struct origin);
} origins SEC(".maps");

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

struct {
	MAP_INT(type, BPF_MAP_TYPE_ARRAY);
	MAP_INT(max_entries, SPLIT_LINES);	/* by interrupt: 1 where it is the measured card's */
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, __u32);
} lines SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_ARRAY);
	MAP_INT(max_entries, SPLIT_SLOTS);	/* by thread: its number where it handles the card's interrupts */
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, __u32);
} handlers SEC(".maps");

INLINE struct origin *origin_here(void)
{
	__u32 only = 0;

	return bpf_map_lookup_elem(&origins, &only);
}

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
	struct origin *origin = origin_here();

	if (origin) {
		origin->due_ns = timer->_softexpires;
		origin->latest_ns = timer->node.expires;
		origin->handler_ns = bpf_ktime_get_ns();
	}
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int card_interrupts(__u64 *context)
{
	__u32 line = (__u32)context[0];
	__u32 *ours = bpf_map_lookup_elem(&lines, &line);
	struct origin *origin = origin_here();

	if (!ours || !*ours || !origin)
		return 0;	/* another device's */
	origin->due_ns = bpf_ktime_get_ns();
	origin->latest_ns = 0;
	return 0;
}

SEC("tp_btf/sched_switch")
int handler_thread_starts(__u64 *context)
{
	struct task_struct *next = (struct task_struct *)context[2];
	__u32 tid = (__u32)next->pid, place = tid % SPLIT_SLOTS;
	__u32 *handler = bpf_map_lookup_elem(&handlers, &place);
	struct origin *origin = origin_here();

	if (!handler || !tid || *handler != tid || !origin)
		return 0;	/* another thread */
	if (origin->due_ns && !origin->latest_ns)
		origin->latest_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/softirq_entry")
int frames_are_received(__u64 *context)
{
	struct origin *origin = origin_here();

	if ((__u32)context[0] == SOFTIRQ_NET_RX && origin)
		origin->handler_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sched_waking")
int thread_is_woken(__u64 *context)
{
	struct task_struct *woken = (struct task_struct *)context[0];
	struct split_slot *slot = slot_of(woken->pid);
	struct origin *origin;

	if (!slot)
		return 0;
	origin = origin_here();
	if (!origin)
		return 0;
	slot->wakeup.tid = slot->tid;
	slot->wakeup.due_ns = origin->due_ns;
	slot->wakeup.latest_ns = origin->latest_ns;
	slot->wakeup.handler_ns = origin->handler_ns;
	origin->due_ns = 0;	/* it woke this thread, and will not be taken for what wakes the next */
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

/* A measured thread leaves its processor. Where it was not seen coming, the kernel hides what runs from its tracing. */
INLINE void leaves(struct split_slot *slot)
{
	if (!slot)
		return;
	slot->hidden += !slot->is_on;
	slot->is_on = 0;
}

SEC("tp_btf/sched_switch")
int processor_switches(__u64 *context)
{
	struct task_struct *before = (struct task_struct *)context[1];
	struct task_struct *next = (struct task_struct *)context[2];
	struct split_slot *slot = slot_of(next->pid);

	leaves(slot_of(before->pid));
	if (!slot)
		return 0;
	slot->is_on = 1;
	if (!slot->wakeup.waking_ns)
		return 0;	/* back after a preemption */
	slot->wakeup.switch_ns = bpf_ktime_get_ns();
	slot->wakeup.cpu = bpf_get_smp_processor_id();
	emit(slot);
	slot->wakeup.waking_ns = 0;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
