// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel's scheduling costs: pairs of stamps on one processor, as Feather-Trace takes them on a patched kernel.
 *
 *   local_timer_entry -> sched_wakeup                    release, with its event latency
 *   the scheduler's entry -> sched_switch                scheduling decision
 *   sched_switch -> the scheduler's exit in a task       context switch
 *   hrtimer_expire_entry -> hrtimer_expire_exit          the tick's function
 *   a reschedule interrupt sent -> entered               IPI
 *
 * No hash map, no ring that locks: each processor has one entry for its pairs under way and a stretch of records that is read when
 * all is over. A first stamp is the last thing that its program does, a second stamp the first. What does not become a pair is
 * counted by kind; what became one with something in between is marked.
 */
#include "kernel.h"
#include "overheads.h"

_Static_assert(sizeof(struct overheads_record) == 16, "record.rs says 16");
_Static_assert(sizeof(struct overheads_processor) == 128, "record.rs says 128");

const volatile __u32 room;	/* records of each processor */
const volatile __u32 process;	/* whose real-time threads are the tasks */
const volatile __u64 tick_function;	/* 0 where it is not known */

enum { REAL_TIME_BELOW = 100 };	/* the kernel's priorities of real-time and deadline threads */

struct {
	MAP_INT(type, BPF_MAP_TYPE_ARRAY);
	MAP_INT(max_entries, OVERHEADS_CPUS);
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, struct overheads_processor);
} processors SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_ARRAY);
	MAP_INT(max_entries, 1);	/* the loader makes it fit the run */
	MAP_INT(map_flags, BPF_F_MMAPABLE);
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, struct overheads_record);
} records SEC(".maps");

INLINE struct overheads_processor *processor(__u32 cpu)
{
	struct overheads_processor *found = bpf_map_lookup_elem(&processors, &cpu);

	return found && found->place ? found : 0;
}

INLINE struct overheads_processor *here(void)
{
	return processor(bpf_get_smp_processor_id());
}

/* An interrupt may come between two records of one processor, so that a place is taken in one step. */
INLINE void note(struct overheads_processor *cpu, __u8 kind, __u64 from_ns, __u64 to_ns, __u8 marks, __u16 jobs)
{
	__u64 number = __sync_fetch_and_add(&cpu->written, 1);
	struct overheads_record *record;
	__u32 at;

	if (number >= room)
		return;	/* the reader sees it in `written` */
	at = (cpu->place - 1) * room + (__u32)number;
	record = bpf_map_lookup_elem(&records, &at);
	if (!record)
		return;
	record->at_ns = from_ns;
	record->cost_ns = (__u32)(to_ns - from_ns);
	record->kind = kind;
	record->marks = marks;
	record->jobs = jobs;
}

INLINE void incomplete(struct overheads_processor *cpu, __u32 kind)
{
	/* Other processors count here too: a reschedule interrupt is counted where it goes to. */
	__sync_fetch_and_add(&cpu->incomplete[kind], 1);
}

SEC("tp_btf/local_timer_entry")
int timer_interrupt_begins(__u64 *context)
{
	struct overheads_processor *cpu = here();

	if (!cpu)
		return 0;
	cpu->interrupts++;
	cpu->timers = 0;
	cpu->jobs = 0;
	cpu->migrated = 0;
	cpu->interrupt_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/hrtimer_expire_entry")
int timer_expires(__u64 *context)
{
	struct hrtimer *timer = (struct hrtimer *)context[0];
	struct overheads_processor *cpu = here();

	if (!cpu)
		return 0;
	if (cpu->interrupt_ns && !cpu->timers++)
		cpu->expires_ns = timer->node.expires;
	if (tick_function && (__u64)timer->function == tick_function)
		cpu->tick_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/hrtimer_expire_exit")
int tick_ends(__u64 *context)
{
	__u64 now_ns = bpf_ktime_get_ns();
	struct overheads_processor *cpu = here();

	if (!cpu || !cpu->tick_ns)
		return 0;
	note(cpu, OVERHEADS_TICK, cpu->tick_ns, now_ns, 0, 0);
	cpu->tick_ns = 0;
	return 0;
}

INLINE int is_task(struct task_struct *thread)
{
	return (__u32)thread->tgid == process && thread->prio < REAL_TIME_BELOW;
}

SEC("tp_btf/sched_wakeup")
int job_is_ready(__u64 *context)
{
	struct task_struct *task = (struct task_struct *)context[0];
	struct overheads_processor *cpu;

	if (!is_task(task))
		return 0;
	cpu = here();
	if (!cpu)
		return 0;
	if (cpu->interrupt_ns) {
		cpu->ready_ns = bpf_ktime_get_ns();
		cpu->migrated += (__u32)task->wake_cpu != bpf_get_smp_processor_id();
		cpu->jobs++;
	} else {
		incomplete(cpu, OVERHEADS_RELEASE);	/* another processor's interrupt sent it here */
	}
	return 0;
}

INLINE void release_ends(struct overheads_processor *cpu)
{
	__u8 marks = cpu->migrated ? OVERHEADS_MIGRATED : 0;

	if (cpu->timers > cpu->jobs)
		marks |= OVERHEADS_AMONG_OTHERS;
	note(cpu, OVERHEADS_RELEASE, cpu->interrupt_ns, cpu->ready_ns, marks, cpu->jobs);
}

SEC("tp_btf/local_timer_exit")
int timer_interrupt_ends(__u64 *context)
{
	struct overheads_processor *cpu = here();

	if (!cpu || !cpu->interrupt_ns)
		return 0;
	if (cpu->jobs)
		release_ends(cpu);
	if (cpu->timers && cpu->expires_ns <= cpu->interrupt_ns)
		note(cpu, OVERHEADS_EVENT, cpu->expires_ns, cpu->interrupt_ns, 0, 0);
	else
		incomplete(cpu, OVERHEADS_EVENT);	/* it served no timer, or one that was not due yet */
	cpu->interrupt_ns = 0;
	return 0;
}

INLINE int scheduler_begins(void)
{
	struct overheads_processor *cpu = here();

	if (!cpu)
		return 0;
	if (cpu->schedule_ns)
		incomplete(cpu, OVERHEADS_SCHEDULING);	/* it decided for the thread that ran */
	cpu->schedule_at = cpu->interrupts;
	cpu->schedule_ns = bpf_ktime_get_ns();
	return 0;
}

/* Since Linux 6.16. */
SEC("tp_btf/sched_entry_tp")
int scheduler_entered(__u64 *context)
{
	return scheduler_begins();
}

/* Before: the first call that the scheduler makes. */
SEC("fentry/rcu_note_context_switch")
int scheduler_notes(__u64 *context)
{
	return scheduler_begins();
}

INLINE __u8 interrupted_since(struct overheads_processor *cpu, __u32 interrupts)
{
	return cpu->interrupts != interrupts ? OVERHEADS_INTERRUPTED : 0;
}

SEC("tp_btf/sched_switch")
int scheduler_decided(__u64 *context)
{
	__u64 now_ns = bpf_ktime_get_ns();
	struct overheads_processor *cpu = here();

	if (!cpu || !cpu->schedule_ns)
		return 0;
	note(cpu, OVERHEADS_SCHEDULING, cpu->schedule_ns, now_ns, interrupted_since(cpu, cpu->schedule_at), 0);
	cpu->schedule_ns = 0;
	return 0;
}

/* Of switches to a task, since not every kernel shows where others end. */
SEC("tp_btf/sched_switch")
int switch_begins(__u64 *context)
{
	struct task_struct *next = (struct task_struct *)context[2];
	struct overheads_processor *cpu = here();

	if (!cpu)
		return 0;
	if (cpu->switch_ns)
		incomplete(cpu, OVERHEADS_SWITCH);	/* the next thread's steps were not seen */
	cpu->switch_ns = 0;
	if (!is_task(next))
		return 0;
	cpu->switch_at = cpu->interrupts;
	cpu->next = next->pid;
	cpu->switch_ns = bpf_ktime_get_ns();
	return 0;
}

/*
 * A task may be preempted in here, and is then switched to anew: what is under way is taken in one step, and one that began behind
 * `now_ns` has no end.
 */
INLINE int switch_ends(void)
{
	__u64 now_ns = bpf_ktime_get_ns();
	struct overheads_processor *cpu = here();
	__u64 from_ns;

	if (!cpu || !cpu->switch_ns)
		return 0;
	from_ns = __sync_lock_test_and_set(&cpu->switch_ns, 0);
	if (cpu->next == (__s32)bpf_get_current_pid_tgid() && from_ns && from_ns <= now_ns)
		note(cpu, OVERHEADS_SWITCH, from_ns, now_ns, interrupted_since(cpu, cpu->switch_at), 0);
	else
		incomplete(cpu, OVERHEADS_SWITCH);	/* also of a later thread, where the kernel hid the next one */
	return 0;
}

/* Since Linux 6.16: the scheduler is left, by the next thread or by the one that stays. */
SEC("tp_btf/sched_exit_tp")
int scheduler_left(__u64 *context)
{
	return switch_ends();
}

/*
 * Before: a task that slept lets go of its timer, which is its first call behind the scheduler. One that was preempted does not; the
 * timer's interrupt then comes before its next such call, and marks the pair.
 */
SEC("fentry/hrtimer_try_to_cancel")
int sleep_ends(__u64 *context)
{
	return switch_ends();
}

/* Else: the first function that the next thread calls. */
SEC("kprobe/finish_task_switch")
int switch_finishes(void *context)
{
	return switch_ends();
}

INLINE int reschedule_is_sent(__u32 target)
{
	struct overheads_processor *cpu = processor(target);

	if (!cpu)
		return 0;
	if (cpu->sent_ns)
		incomplete(cpu, OVERHEADS_IPI);	/* one was under way: both arrive as one */
	else
		cpu->sent_ns = bpf_ktime_get_ns();
	return 0;
}

/* Since Linux 6.4; a reschedule interrupt has no callback. */
SEC("tp_btf/ipi_send_cpu")
int interrupt_is_sent(__u64 *context)
{
	return context[2] ? 0 : reschedule_is_sent((__u32)context[0]);
}

/* Before, on x86. */
SEC("fentry/native_smp_send_reschedule")
int reschedule_is_called(__u64 *context)
{
	return reschedule_is_sent((__u32)context[0]);
}

SEC("tp_btf/reschedule_entry")
int reschedule_begins(__u64 *context)
{
	__u64 now_ns = bpf_ktime_get_ns();
	struct overheads_processor *cpu = here();

	if (!cpu)
		return 0;
	cpu->interrupts++;
	if (cpu->sent_ns)
		note(cpu, OVERHEADS_IPI, cpu->sent_ns, now_ns, 0, 0);
	cpu->sent_ns = 0;
	return 0;
}

#define OTHER_INTERRUPT(point)				\
	SEC("tp_btf/" #point)				\
	int other_##point(__u64 *context)		\
	{						\
		struct overheads_processor *cpu = here();	\
							\
		if (cpu)				\
			cpu->interrupts++;		\
		return 0;				\
	}

OTHER_INTERRUPT(local_timer_entry)
OTHER_INTERRUPT(reschedule_entry)
OTHER_INTERRUPT(irq_handler_entry)
OTHER_INTERRUPT(call_function_entry)
OTHER_INTERRUPT(call_function_single_entry)

/* What a pair holds too much: two programs on one trace point, attached for a moment before the run. */
SEC("tp_btf/sched_switch")
int stamp_begins(__u64 *context)
{
	struct overheads_processor *cpu = here();

	if (cpu)
		cpu->tick_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sched_switch")
int stamp_ends(__u64 *context)
{
	__u64 now_ns = bpf_ktime_get_ns();
	struct overheads_processor *cpu = here();

	if (!cpu || !cpu->tick_ns)
		return 0;
	note(cpu, OVERHEADS_STAMP, cpu->tick_ns, now_ns, 0, 0);
	cpu->tick_ns = 0;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
