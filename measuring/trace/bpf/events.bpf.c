// SPDX-License-Identifier: GPL-2.0
/*
 * What happens on the measured processors: interrupts, softirqs, switches. The last events of each are kept in a ring that
 * is overwritten; the reader looks into it when it has found one of the worst latencies. Nothing here waits or locks.
 */
#include "kernel.h"
#include "split.h"

_Static_assert(sizeof(struct split_event) == 32, "record.rs says 32");
_Static_assert(sizeof(struct split_urgent) == 48, "record.rs says 48");

struct {
	MAP_INT(type, BPF_MAP_TYPE_ARRAY);
	MAP_INT(max_entries, SPLIT_CPUS);	/* by processor: 0 is not measured, n+1 is the n-th ring */
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, __u32);
} rings SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_ARRAY);
	MAP_INT(max_entries, SPLIT_CPUS);	/* by ring: how many events there ever were */
	MAP_INT(map_flags, BPF_F_MMAPABLE);
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, __u64);
} written SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_ARRAY);
	MAP_INT(max_entries, SPLIT_EVENTS);	/* the loader makes it fit the processors */
	MAP_INT(map_flags, BPF_F_MMAPABLE);
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, struct split_event);
} events SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_ARRAY);
	MAP_INT(max_entries, 1);	/* the measured threads' kernel priority; 0 until it is told */
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, __s32);
} measured SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_ARRAY);
	MAP_INT(max_entries, SPLIT_URGENT);
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, struct split_urgent);
} urgent SEC(".maps");

/* The place of the next event on this processor; none where it is not measured. */
INLINE struct split_event *place(void)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u32 *ring = bpf_map_lookup_elem(&rings, &cpu);
	__u32 number, at;
	__u64 *count;

	if (!ring || !*ring)
		return 0;
	number = *ring - 1;
	count = bpf_map_lookup_elem(&written, &number);
	if (!count)
		return 0;
	/* An interrupt may come between two events of one processor, so that a place is taken in one step. */
	at = number * SPLIT_EVENTS + __sync_fetch_and_add(count, 1) % SPLIT_EVENTS;
	return bpf_map_lookup_elem(&events, &at);
}

INLINE int note(__u16 kind, __s32 id)
{
	struct split_event *event = place();

	if (event) {
		event->at_ns = bpf_ktime_get_ns();
		event->kind = kind;
		event->extra = 0;
		event->id = id;
	}
	return 0;
}

INLINE void note_urgent(struct task_struct *next, __u64 now_ns)
{
	__u32 only = 0, tid = (__u32)next->pid, at = tid % SPLIT_URGENT;
	__s32 *ours = bpf_map_lookup_elem(&measured, &only);
	struct split_urgent *slot;

	if (!ours || next->prio >= *ours)
		return;		/* a measured thread, or one that it preempts */
	slot = bpf_map_lookup_elem(&urgent, &at);
	if (!slot)
		return;
	if (slot->tid && slot->tid != tid) {
		slot->hidden++;
		return;
	}
	if (!slot->tid) {
		slot->first_ns = now_ns;
		slot->cpu = bpf_get_smp_processor_id();
		slot->tid = tid;
		copy_name(slot->name, next);
	}
	slot->prio = next->prio;
	slot->last_ns = now_ns;
	slot->times++;
}

SEC("tp_btf/sched_switch")
int event_switch(__u64 *context)
{
	struct task_struct *next = (struct task_struct *)context[2];
	struct split_event *event = place();

	if (event) {
		event->at_ns = bpf_ktime_get_ns();
		event->kind = SPLIT_SWITCH;
		event->extra = next->prio;
		event->id = next->pid;
		copy_name(event->name, next);
		note_urgent(next, event->at_ns);
	}
	return 0;
}

SEC("tp_btf/sched_migrate_task")
int event_migrate(__u64 *context)
{
	struct task_struct *task = (struct task_struct *)context[0];
	struct split_event *event = place();

	if (event) {
		event->at_ns = bpf_ktime_get_ns();
		event->kind = SPLIT_MIGRATE;
		event->extra = (__s16)context[1];
		event->id = task->pid;
	}
	return 0;
}

#define EVENT(point, kind, id)				\
	SEC("tp_btf/" #point)				\
	int event_##point(__u64 *context)		\
	{						\
		return note(kind, (__s32)(id));		\
	}

EVENT(irq_handler_entry, SPLIT_IRQ_ENTRY, context[0])
EVENT(irq_handler_exit, SPLIT_IRQ_EXIT, context[0])
EVENT(softirq_entry, SPLIT_SOFTIRQ_ENTRY, context[0])
EVENT(softirq_exit, SPLIT_SOFTIRQ_EXIT, context[0])
/* Only some architectures have these. */
EVENT(local_timer_entry, SPLIT_VECTOR_ENTRY, SPLIT_LOCAL_TIMER)
EVENT(local_timer_exit, SPLIT_VECTOR_EXIT, SPLIT_LOCAL_TIMER)
EVENT(reschedule_entry, SPLIT_VECTOR_ENTRY, SPLIT_RESCHEDULE)
EVENT(reschedule_exit, SPLIT_VECTOR_EXIT, SPLIT_RESCHEDULE)
EVENT(call_function_entry, SPLIT_VECTOR_ENTRY, SPLIT_CALL_FUNCTION)
EVENT(call_function_exit, SPLIT_VECTOR_EXIT, SPLIT_CALL_FUNCTION)
EVENT(call_function_single_entry, SPLIT_VECTOR_ENTRY, SPLIT_CALL_FUNCTION_SINGLE)
EVENT(call_function_single_exit, SPLIT_VECTOR_EXIT, SPLIT_CALL_FUNCTION_SINGLE)
/* Only where gaps are looked for: each of these interrupts a busy loop as well. */
EVENT(irq_work_entry, SPLIT_VECTOR_ENTRY, SPLIT_IRQ_WORK)
EVENT(irq_work_exit, SPLIT_VECTOR_EXIT, SPLIT_IRQ_WORK)
EVENT(thermal_apic_entry, SPLIT_VECTOR_ENTRY, SPLIT_THERMAL)
EVENT(thermal_apic_exit, SPLIT_VECTOR_EXIT, SPLIT_THERMAL)
EVENT(threshold_apic_entry, SPLIT_VECTOR_ENTRY, SPLIT_MACHINE_CHECK)
EVENT(threshold_apic_exit, SPLIT_VECTOR_EXIT, SPLIT_MACHINE_CHECK)
EVENT(deferred_error_apic_entry, SPLIT_VECTOR_ENTRY, SPLIT_MACHINE_CHECK)
EVENT(deferred_error_apic_exit, SPLIT_VECTOR_EXIT, SPLIT_MACHINE_CHECK)
EVENT(x86_platform_ipi_entry, SPLIT_VECTOR_ENTRY, SPLIT_PLATFORM_IPI)
EVENT(x86_platform_ipi_exit, SPLIT_VECTOR_EXIT, SPLIT_PLATFORM_IPI)
EVENT(spurious_apic_entry, SPLIT_VECTOR_ENTRY, SPLIT_SPURIOUS)
EVENT(spurious_apic_exit, SPLIT_VECTOR_EXIT, SPLIT_SPURIOUS)
EVENT(error_apic_entry, SPLIT_VECTOR_ENTRY, SPLIT_SPURIOUS)
EVENT(error_apic_exit, SPLIT_VECTOR_EXIT, SPLIT_SPURIOUS)
/* Traced behind each handler, with how long it took. */
EVENT(nmi_handler, SPLIT_NMI_EXIT, context[1] > 0x7fffffff ? 0x7fffffff : context[1])

char LICENSE[] SEC("license") = "GPL";
