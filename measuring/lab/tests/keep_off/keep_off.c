// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps preemption or interrupts off for a known number of instructions, again and again: what a bound on the latency has to
 * show. Two instructions a turn.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>

static unsigned long turns = 1000;
module_param(turns, ulong, 0444);
MODULE_PARM_DESC(turns, "turns of two instructions each");

static bool interrupts;
module_param(interrupts, bool, 0444);
MODULE_PARM_DESC(interrupts, "keep interrupts off, not only preemption");

static struct task_struct *keeper;

static noinline void keep_off_for(unsigned long left)
{
	asm volatile("1: dec %0\n\tjnz 1b" : "+r"(left) : : "cc");
}

static int keep(void *data)
{
	while (!kthread_should_stop()) {
		if (interrupts)
			local_irq_disable();
		else
			preempt_disable();
		keep_off_for(turns);
		if (interrupts)
			local_irq_enable();
		else
			preempt_enable();
		msleep(8);
	}
	return 0;
}

static int __init begin(void)
{
	if (!turns)
		return -EINVAL;
	keeper = kthread_run(keep, NULL, "keep_off");
	return PTR_ERR_OR_ZERO(keeper);
}

static void __exit end(void)
{
	kthread_stop(keeper);
}

module_init(begin);
module_exit(end);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Keeps preemption or interrupts off for a known number of instructions");
