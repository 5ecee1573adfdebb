/* SPDX-License-Identifier: GPL-2.0 */
/* What watch.c has to know of 64-bit Arm processors (A64 instructions, exceptions to EL1). */

#define MASKED (1 << 7) /* PSTATE.I */
#define MASK_BIT 2 /* The same in the operand of DAIFSet and DAIFClr. */
#define NEEDS_NONE 0x80000000u /* In the preempt count of x86-64: nobody has to be scheduled. */
#define VECTOR_BYTES 0x80
#define VECTORS 4 /* Of each kind of origin: synchronous, IRQ, FIQ, error. */

enum aarch64_register { X0 = STACK + 1, X30 = X0 + 30, CPSR, ELR, FREQUENCY };

static const char *const aarch64_registers[] = {
	"sp", "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
	"x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "cpsr",
	"ELR_EL1", "CNTFRQ_EL0", NULL,
};

static uint8_t aarch64_last(uint32_t is)
{
	if ((is & 0xfc000000) == 0x94000000 || (is & 0xfefff000) == 0xd63f0000)
		return CALL; /* bl, blr */
	if ((is & 0xfffff000) == 0xd65f0000)
		return RETURN;
	if ((is & 0xfc000000) == 0x14000000 || (is & 0xfefff000) == 0xd61f0000)
		return JUMP; /* b, br */
	if ((is & 0xff000000) == 0x54000000 || (is & 0x7c000000) == 0x34000000)
		return BRANCH; /* b.cond; cbz, cbnz, tbz, tbnz */
	if ((is & 0xffe0001f) == 0xd4000001)
		return SYSTEM_CALL; /* svc */
	if ((is & 0xfffff000) == 0xd69f0000)
		return INTERRUPT_RETURN; /* eret */
	return is == 0xd503207f ? HALT : OTHER; /* wfi */
}

static struct instruction aarch64_read(const uint8_t *code, const uint8_t *end, uint64_t next)
{
	uint32_t is = 0;
	bool is_set, is_clear, may_switch;
	uint8_t last;

	(void)next;
	memcpy(&is, code, end - code < 4 ? end - code : 4);
	is_set = (is & 0xfffff0ff) == 0xd50340df && is >> 8 & MASK_BIT;
	is_clear = (is & 0xfffff0ff) == 0xd50340ff && is >> 8 & MASK_BIT;
	last = aarch64_last(is);
	/* msr of DAIF from a register. */
	may_switch = is_set || is_clear || (is & 0xffffffe0) == 0xd51b4220 || last == INTERRUPT_RETURN || last == SYSTEM_CALL;
	return (struct instruction){
		.last = last,
		/* mrs of CNTPCT_EL0, CNTVCT_EL0 and their self-synchronized forms. */
		.reads_clock = (is & 0xffffff00) == 0xd53be000 && ((is >> 5 & 3) == 1 || (is >> 5 & 3) == 2),
		.clock_register = is & 31,
		.turns_interrupts_off = is_set,
		.may_switch_interrupts = may_switch,
		.vector = NO_VECTOR,
		/* str of 32 bits: the offset from its base register. */
		.own = (is & 0xffc00000) == 0xb9000000 ? (is >> 10 & 0xfff) * 4 : 0,
	};
}

static bool aarch64_interrupts_are_on(void)
{
	return !(value(CPSR) & MASKED);
}

/* In nanoseconds, rounded down: the counter ticks more slowly. */
static uint64_t aarch64_counter(const struct block *read)
{
	uint64_t frequency = value(FREQUENCY), counter = read->clock_register < 31 ? value(X0 + read->clock_register) : 0;

	return frequency ? (unsigned __int128)counter * 1000000000 / frequency : counter;
}

static uint64_t aarch64_next_task(void)
{
	return value(X0 + 1);
}

/* The first of each four entries is for faults and system calls; the latter return behind their block. */
static bool aarch64_is_fault(const struct block *left, const struct block *block, uint64_t *at)
{
	(void)left;
	*at = value(ELR);
	return block->address - asked.vectors < VECTORS * VECTORS * VECTOR_BYTES &&
	       (block->address - asked.vectors) / VECTOR_BYTES % VECTORS == 0;
}

/*
 * Linux has the count near the beginning of the task structure (struct thread_info), as two words: the count, and one that is
 * not zero while nobody has to be scheduled. Whether a table of user pages lies before them is a choice of the kernel's
 * configuration. That is an address, and a thread that runs or is switched to has a small count that is not zero there.
 */
static const long count_places[] = { 8, 16 };

#define COUNT_MAX 0x00ffffffu

/* The running thread's words as one count. */
static uint32_t aarch64_count(void)
{
	return now.count | (now.needs_none ? NEEDS_NONE : 0);
}

static bool aarch64_read_count(uint32_t *count)
{
	uint32_t words[2];
	const uint8_t *read;
	size_t one;

	for (one = 0; !now.count_at && one < sizeof(count_places) / sizeof(count_places[0]); one++) {
		read = now.task ? memory(now.task + count_places[one], sizeof(words)) : NULL;
		if (!read)
			return false;
		memcpy(words, read, sizeof(words));
		if (words[0] && words[0] <= COUNT_MAX && words[1] <= 1)
			now.count_at = count_places[one];
	}
	read = now.count_at ? memory(now.task + now.count_at, sizeof(words)) : NULL;
	if (!read)
		return false;
	memcpy(words, read, sizeof(words));
	now.count = words[0];
	now.needs_none = words[1];
	*count = aarch64_count();
	return true;
}

static bool aarch64_may_write_count(const struct instruction *is)
{
	size_t one;

	for (one = 0; one < sizeof(count_places) / sizeof(count_places[0]); one++)
		if (is->own == (uint64_t)count_places[one] || is->own == (uint64_t)count_places[one] + 4)
			return true;
	return false;
}

static bool aarch64_wrote_count(uint64_t address, uint32_t written, uint32_t *count)
{
	uint64_t at = now.task + now.count_at;

	if (!now.count_at || (address != at && address != at + 4))
		return false;
	if (address == at)
		now.count = written;
	else
		now.needs_none = written;
	*count = aarch64_count();
	return true;
}

static const struct processor aarch64 = {
	.name = "aarch64",
	.leaves_blocks = true,
	.has_one_return = true,
	.may_write_count = aarch64_may_write_count,
	.wrote_count = aarch64_wrote_count,
	.has_counts_of_threads = true,
	.read_count = aarch64_read_count,
	.registers = aarch64_registers,
	.read = aarch64_read,
	.interrupts_are_on = aarch64_interrupts_are_on,
	.counter = aarch64_counter,
	.next_task = aarch64_next_task,
	.is_fault = aarch64_is_fault,
};
