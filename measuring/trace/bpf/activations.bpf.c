// SPDX-License-Identifier: GPL-2.0
/*
 * What the threads of any program wait for, and what keeps them from running, as a stock kernel shows it.
 *
 *   sys_enter -> sched_switch (off) -> hrtimer_expire_entry -> sched_waking -> sched_switch (on) -> ring -> sys_exit -> ring
 *
 * One record for each stretch off a processor, one for each system call that blocked or sets a timer. Nothing is judged here: the
 * reader finds the periods, the due instants and the causes. A record that found the ring full is counted in the thread's slot.
 * Of deployed tasks the reader wants stretches alone: then only timers, wake-ups and switches are attached, and nobody is named.
 */
#include "kernel.h"
#include "activations.h"

_Static_assert(sizeof(struct activations_call) == 128, "layout.rs says 128");
_Static_assert(sizeof(struct activations_off) == 120, "layout.rs says 120");
_Static_assert(sizeof(struct activations_thread) == 40, "layout.rs says 40");
_Static_assert(sizeof(struct activations_place) == 56, "layout.rs says 56");
_Static_assert(sizeof(struct activations_made) == 72, "layout.rs says 72");
_Static_assert(sizeof(struct activations_slot) == 232, "layout.rs says 232");

/* The arguments of a system call, by their places in the registers. */
#if defined(PRAZO_ARCH_x86_64)
struct pt_regs {
	unsigned long di, si, dx, r10;
} KERNEL_STRUCT;
#define STACK_AT 152
#define ARGUMENT(regs, number) ((number) == 0 ? (regs)->di : (number) == 1 ? (regs)->si : (number) == 2 ? (regs)->dx : (regs)->r10)
#elif defined(PRAZO_ARCH_aarch64)
struct pt_regs {
	__u64 regs[31];
} KERNEL_STRUCT;
#define STACK_AT 248
#define ARGUMENT(from, number) ((from)->regs[number])
#elif defined(PRAZO_ARCH_riscv64)
struct pt_regs {
	unsigned long orig_a0, a1, a2, a3;
} KERNEL_STRUCT;
#define STACK_AT 16
#define ARGUMENT(regs, number) ((number) == 0 ? (regs)->orig_a0 : (number) == 1 ? (regs)->a1 : (number) == 2 ? (regs)->a2 : (regs)->a3)
#else
struct pt_regs;
#define STACK_AT 0
#define ARGUMENT(regs, number) 0	/* no due instants from arguments: calls.rs says which processors have them */
#endif

/* Whether a rule asks which system calls a thread makes; set before the kernel checks the programs. */
const volatile __u32 keeps_made = 0;
/* Whether the threads are followed job by job, so that only their stretches count; set likewise. All have real-time priorities. */
const volatile __u32 keeps_jobs = 0;

struct origin {
	__u64 due_ns;
	__u64 latest_ns;
	__u64 handler_ns;
};

struct {
	MAP_INT(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	MAP_INT(max_entries, 1);	/* the timer whose function runs here; due_ns is 0 while none does */
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, struct origin);
} timers SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_HASH);
	MAP_INT(max_entries, ACTIVATIONS_THREADS);
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, struct activations_slot);
} threads SEC(".maps");

/*
 * Whether a thread may be followed. Almost every system call and switch is of a thread that is not, and a look into an array is a few
 * instructions. A mark stays when its thread ends: others with the same one may be followed.
 */
struct {
	MAP_INT(type, BPF_MAP_TYPE_ARRAY);
	MAP_INT(max_entries, ACTIVATIONS_MARKS);
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, __u8);
} marks SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_HASH);
	MAP_INT(max_entries, ACTIVATIONS_THREADS);	/* FOLLOW_* by process */
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, __u32);
} processes SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_ARRAY);
	MAP_INT(max_entries, ACTIVATIONS_CALLS);	/* CALL_* by number */
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, __u32);
} calls SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_ARRAY);
	MAP_INT(max_entries, 1);	/* threads that found no place, and their beginnings or ends that found none */
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, __u64);
} unfollowed SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_HASH);
	MAP_INT(max_entries, 1);	/* more where a rule asks for it; the record that a thread will write next */
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, struct activations_made);
} made SEC(".maps");

struct {
	MAP_INT(type, BPF_MAP_TYPE_RINGBUF);
	MAP_INT(max_entries, 1 << 23);
} records SEC(".maps");

INLINE __u8 *mark_of(__u32 tid)
{
	__u32 at = tid % ACTIVATIONS_MARKS;

	return bpf_map_lookup_elem(&marks, &at);
}

INLINE struct activations_slot *slot_of(__u32 tid)
{
	__u8 *mark = mark_of(tid);

	return mark && *mark ? bpf_map_lookup_elem(&threads, &tid) : 0;
}

INLINE __u32 class_of(__u32 call)
{
	__u32 *class = bpf_map_lookup_elem(&calls, &call);

	return class ? *class : 0;
}

INLINE struct origin *timer_here(void)
{
	__u32 only = 0;

	return bpf_map_lookup_elem(&timers, &only);
}

INLINE void miss(void)
{
	__u32 only = 0;
	__u64 *count = bpf_map_lookup_elem(&unfollowed, &only);

	if (count)
		__sync_fetch_and_add(count, 1);
}

/* What the caller's memory says of the time that it waits for; zeros where it cannot be read. */
INLINE void read_time(struct activations_slot *slot, __u32 class)
{
	__u32 pointer = class >> CALL_POINTER_SHIFT & 7;
	const void *from;

	slot->user[0] = slot->user[1] = slot->user[2] = slot->user[3] = 0;
	if (class & CALL_LOCK)
		bpf_probe_read_user(&slot->user[2], 4, (const void *)slot->args[0]);
	if (!pointer || pointer > 4)
		return;
	from = (const void *)slot->args[(pointer - 1) & 3];
	if (class & CALL_TIMES)
		bpf_probe_read_user(slot->user, 32, from);
	else
		bpf_probe_read_user(slot->user, 16, from);
}

SEC("tp_btf/sys_enter")
int call_begins(__u64 *context)
{
	struct pt_regs *regs = (struct pt_regs *)context[0];
	struct activations_slot *slot = slot_of((__u32)bpf_get_current_pid_tgid());
	__u32 class;

	if (!slot)
		return 0;
	slot->call = (__u32)context[1] + 1;
	slot->slept = 0;
	slot->args[0] = ARGUMENT(regs, 0);
	slot->args[1] = ARGUMENT(regs, 1);
	slot->args[2] = ARGUMENT(regs, 2);
	slot->args[3] = ARGUMENT(regs, 3);
	class = class_of((__u32)context[1]);
	if (class)
		read_time(slot, class);
	slot->enter_ns = bpf_ktime_get_ns();
	return 0;
}

INLINE void emit_call(struct activations_slot *slot, __u64 ids, __u64 now, __s64 result)
{
	struct activations_call *out = bpf_ringbuf_reserve(&records, sizeof(*out), 0);
	struct task_struct *task;

	slot->number++;
	if (!out)
		return;		/* the next record's number says so */
	task = bpf_get_current_task_btf();
	out->kind = ACTIVATIONS_CALL;
	out->tid = (__u32)ids;
	out->tgid = ids >> 32;
	out->number = slot->number;
	out->enter_ns = slot->call ? slot->enter_ns : 0;
	out->exit_ns = now;
	out->result = result;
	out->call = slot->call - 1;
	out->slept = slot->slept;
	out->args[0] = slot->args[0];
	out->args[1] = slot->args[1];
	out->args[2] = slot->args[2];
	out->args[3] = slot->args[3];
	out->user[0] = slot->user[0];
	out->user[1] = slot->user[1];
	out->user[2] = slot->user[2];
	out->user[3] = slot->user[3];
	out->minor_faults = task->min_flt;
	out->major_faults = task->maj_flt;
	out->fault_ns = slot->fault_ns;
	bpf_ringbuf_submit(out, BPF_RB_NO_WAKEUP);
}

/* A call without a record of its own. */
INLINE void note_made(__u32 tid, __u32 call)
{
	struct activations_made fresh = { .kind = ACTIVATIONS_MADE, .tid = tid };
	struct activations_made *noted = bpf_map_lookup_elem(&made, &tid);

	if (!noted) {
		bpf_map_update_elem(&made, &tid, &fresh, 0);
		noted = bpf_map_lookup_elem(&made, &tid);
	}
	if (!noted || call >= ACTIVATIONS_CALLS)
		miss();
	else
		noted->calls[call / 64 & 7] |= 1ULL << (call & 63);
}

/* What was noted leaves in front of the next record of a call or a place; 0 where the ring is full: then with a later one. */
INLINE int emit_made(__u32 tid)
{
	struct activations_made *noted = bpf_map_lookup_elem(&made, &tid), *out;

	if (!noted)
		return 1;
	out = bpf_ringbuf_reserve(&records, sizeof(*out), 0);
	if (!out)
		return 0;
	*out = *noted;
	bpf_ringbuf_submit(out, BPF_RB_NO_WAKEUP);
	bpf_map_delete_elem(&made, &tid);
	return 1;
}

/* What the kernel knows of a deadline thread's period: the last instant for which its next budget was set up, its absolute
 * deadline on a clock of the kernel's own, and its parameters. */
INLINE int read_deadline(struct activations_slot *slot)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (task->prio >= 0)
		return 0;
	slot->user[0] = task->dl.dl_timer._softexpires;
	slot->user[1] = task->dl.deadline;
	slot->user[2] = task->dl.dl_period;
	slot->user[3] = task->dl.dl_deadline;
	return 1;
}

SEC("tp_btf/sys_exit")
int call_ends(__u64 *context)
{
	__u64 ids = bpf_get_current_pid_tgid(), now;
	__s64 result = (__s64)context[1];
	struct activations_slot *slot = slot_of((__u32)ids);
	__u32 class;

	if (!slot)
		return 0;
	now = bpf_ktime_get_ns();
	class = slot->call ? class_of(slot->call - 1) : CALL_ALWAYS;
	if (class & CALL_VALUE && result == 8) {
		bpf_probe_read_user(slot->user, 8, (const void *)slot->args[1]);
		class |= CALL_ALWAYS;
	}
	if (class & CALL_TIMEOUT && result == CALL_TIMED_OUT)
		class |= CALL_ALWAYS;
	if (class & CALL_DEADLINE && read_deadline(slot))
		class |= CALL_ALWAYS;
	if (class & CALL_ALWAYS || slot->slept) {
		if (keeps_made)
			emit_made((__u32)ids);
		emit_call(slot, ids, now, result);
	} else if (keeps_made && slot->call) {
		note_made((__u32)ids, slot->call - 1);
	}
	slot->call = 0;
	slot->slept = 0;
	return 0;
}

SEC("fentry/handle_mm_fault")
int fault_begins(__u64 *context)
{
	struct activations_slot *slot = slot_of((__u32)bpf_get_current_pid_tgid());

	if (slot)
		slot->fault_since_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("fexit/handle_mm_fault")
int fault_ends(__u64 *context)
{
	struct activations_slot *slot = slot_of((__u32)bpf_get_current_pid_tgid());

	if (!slot || !slot->fault_since_ns)
		return 0;
	slot->fault_ns += bpf_ktime_get_ns() - slot->fault_since_ns;
	slot->fault_since_ns = 0;
	return 0;
}

SEC("tp_btf/hrtimer_expire_entry")
int timer_expires(__u64 *context)
{
	struct hrtimer *timer = (struct hrtimer *)context[0];
	struct origin *here = timer_here();

	if (here) {
		here->due_ns = timer->_softexpires;
		here->latest_ns = timer->node.expires;
		here->handler_ns = bpf_ktime_get_ns();
	}
	return 0;
}

SEC("tp_btf/hrtimer_expire_exit")
int timer_is_done(__u64 *context)
{
	struct origin *here = timer_here();

	if (here)
		here->due_ns = 0;	/* whoever is woken now is woken by something else */
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

INLINE void leaves(struct activations_slot *slot, struct task_struct *before, struct task_struct *next, int preempted, __u64 now)
{
	slot->off.state = preempted ? 0 : before->__state;
	slot->off.throttled = !slot->off.state && is_throttled(before, next);
	if (!slot->off.state)
		slot->off.waking_ns = 0;
	else
		slot->slept = 1;
	slot->off.prio = before->prio;
	slot->off.call = slot->call;
	slot->off.cpu_off = bpf_get_smp_processor_id();
	slot->off.taker_tid = next->pid;
	slot->off.taker_prio = next->prio;
	/* Whoever runs while it is blocked takes nothing from it. */
	if (!keeps_jobs && !slot->off.state)
		copy_name(slot->off.taker, next);
	else
		slot->off.taker[0] = 0;
	slot->off.off_ns = now;
}

INLINE void comes(struct activations_slot *slot, __u32 tid, __u64 now)
{
	struct activations_off *out;

	if (!slot->off.off_ns)
		return;		/* it was not seen leaving */
	slot->off.kind = ACTIVATIONS_OFF;
	slot->off.tid = tid;
	slot->off.on_ns = now;
	slot->off.cpu_on = bpf_get_smp_processor_id();
	slot->off.lost = slot->lost_offs;
	out = bpf_ringbuf_reserve(&records, sizeof(*out), 0);
	if (out) {
		*out = slot->off;
		bpf_ringbuf_submit(out, BPF_RB_NO_WAKEUP);
	} else {
		slot->lost_offs++;
	}
	slot->off.off_ns = 0;
	slot->off.waking_ns = 0;
}

SEC("tp_btf/sched_waking")
int thread_is_woken(__u64 *context)
{
	struct task_struct *woken = (struct task_struct *)context[0], *waker;
	struct activations_slot *slot = slot_of((__u32)woken->pid);
	struct origin *here;

	if (!slot)
		return 0;
	here = timer_here();
	slot->off.due_ns = here ? here->due_ns : 0;
	slot->off.latest_ns = here ? here->latest_ns : 0;
	slot->off.handler_ns = here ? here->handler_ns : 0;
	waker = bpf_get_current_task_btf();
	slot->off.waker_tid = waker->pid;
	/* A timer's function runs on top of whoever is there. */
	if (!keeps_jobs && !slot->off.due_ns)
		copy_name(slot->off.waker, waker);
	else
		slot->off.waker[0] = 0;
	slot->off.cpu_waking = bpf_get_smp_processor_id();
	slot->off.waking_ns = bpf_ktime_get_ns();
	/* Its timer expired before it slept: that job is over, and the next has begun. It was away for no time. */
	if (keeps_jobs && waker->pid == woken->pid && slot->off.due_ns) {
		leaves(slot, woken, woken, 0, slot->off.waking_ns);
		comes(slot, (__u32)woken->pid, slot->off.waking_ns);
	}
	return 0;
}

SEC("tp_btf/sched_switch")
int processor_switches(__u64 *context)
{
	struct task_struct *before = (struct task_struct *)context[1];
	struct task_struct *next = (struct task_struct *)context[2];
	struct activations_slot *slot;

	/* Most switches are of others. */
	if (keeps_jobs && before->prio > PRIO_REAL_TIME_MAX && next->prio > PRIO_REAL_TIME_MAX)
		return 0;
	slot = slot_of((__u32)before->pid);
	if (slot)
		leaves(slot, before, next, !!(context[0] & 1), bpf_ktime_get_ns());
	slot = slot_of((__u32)next->pid);
	if (slot)
		comes(slot, (__u32)next->pid, bpf_ktime_get_ns());
	return 0;
}

INLINE void emit_thread(struct task_struct *task, __u32 is_end)
{
	struct activations_thread *out = bpf_ringbuf_reserve(&records, sizeof(*out), 0);

	if (!out) {
		miss();
		return;
	}
	out->kind = ACTIVATIONS_THREAD;
	out->tid = task->pid;
	out->tgid = task->tgid;
	out->is_end = is_end;
	out->at_ns = bpf_ktime_get_ns();
	copy_name(out->name, task);
	bpf_ringbuf_submit(out, BPF_RB_NO_WAKEUP);
}

SEC("tp_btf/sched_process_fork")
int thread_is_started(__u64 *context)
{
	struct task_struct *parent = (struct task_struct *)context[0];
	struct task_struct *child = (struct task_struct *)context[1];
	struct activations_slot fresh = {};
	__u32 process = parent->tgid, child_process = child->tgid, tid = child->pid;
	__u32 *followed = bpf_map_lookup_elem(&processes, &process);
	__u32 all = FOLLOW_THREADS | FOLLOW_CHILDREN;
	__u8 *mark = mark_of(tid);

	if (!followed)
		return 0;
	if (child_process == process) {
		if (!(*followed & FOLLOW_THREADS))
			return 0;
	} else {
		if (!(*followed & FOLLOW_CHILDREN))
			return 0;
		if (bpf_map_update_elem(&processes, &child_process, &all, 0))
			miss();
	}
	if (!mark || bpf_map_update_elem(&threads, &tid, &fresh, 0)) {
		miss();
		return 0;
	}
	*mark = 1;
	emit_thread(child, 0);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int thread_ends(__u64 *context)
{
	struct task_struct *task = (struct task_struct *)context[0];
	__u32 tid = task->pid;

	if (!slot_of(tid))
		return 0;
	emit_thread(task, 1);
	bpf_map_delete_elem(&threads, &tid);
	if (keeps_made)
		bpf_map_delete_elem(&made, &tid);
	return 0;
}

INLINE void reached(void *context)
{
	__u64 ids = bpf_get_current_pid_tgid(), now;
	struct activations_slot *slot = slot_of((__u32)ids);
	struct activations_place *out;
	struct task_struct *task;

	if (!slot)
		return;		/* the file is another program's as well */
	now = bpf_ktime_get_ns();
	slot->places++;
	/* Calls that were made before this place are not to count as made behind it. */
	if (keeps_made && !emit_made((__u32)ids))
		return;
	out = bpf_ringbuf_reserve(&records, sizeof(*out), 0);
	if (!out)
		return;		/* the next record's number says so */
	task = bpf_get_current_task_btf();
	out->kind = ACTIVATIONS_PLACE;
	out->tid = (__u32)ids;
	out->tgid = ids >> 32;
	out->number = slot->places;
	out->at_ns = now;
	out->stack = *(__u64 *)(context + STACK_AT);
	out->place = (__u32)bpf_get_attach_cookie(context);
	out->minor_faults = task->min_flt;
	out->major_faults = task->maj_flt;
	out->unused = 0;
	out->fault_ns = slot->fault_ns;
	bpf_ringbuf_submit(out, BPF_RB_NO_WAKEUP);
}

SEC("uprobe")
int place_is_reached(void *context)
{
	reached(context);
	return 0;
}

SEC("uretprobe")
int function_returns(void *context)
{
	reached(context);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
