/* SPDX-License-Identifier: GPL-2.0 */
/* What watch.c has to know of x86-64. */

#define INTERRUPT_FLAG (1 << 9)
/* Linux's code segments, the kernel's and a 64-bit program's. */
#define IS_CODE(selector) ((selector) == 0x10 || (selector) == 0x33)

enum x86_64_register { RSP = STACK, RAX, RDX, RSI, EFLAGS };

static const char *const x86_64_registers[] = { "rsp", "rax", "rdx", "rsi", "eflags", NULL };

/* Prefixes do not matter here: no instruction of interest needs one, and one that has some is still found behind them. */
static const uint8_t *opcode(const uint8_t *code, const uint8_t *end)
{
	while (code + 1 < end && (*code == 0x66 || *code == 0x67 || *code == 0xf2 || *code == 0xf3 || *code == 0x2e ||
				  *code == 0x3e || *code == 0x26 || *code == 0x64 || *code == 0x65 ||
				  (*code & 0xf0) == 0x40))
		code++;
	return code;
}

static uint8_t kind_of(const uint8_t *code, const uint8_t *end)
{
	uint8_t second = code + 1 < end ? code[1] : 0;

	switch (code[0]) {
	case 0xe8: return CALL;
	case 0xc2: case 0xc3: case 0xca: case 0xcb: return RETURN;
	case 0xe9: case 0xeb: return JUMP;
	case 0xcf: return INTERRUPT_RETURN;
	case 0xf4: return HALT;
	case 0xff: return (second >> 3 & 7) == 2 ? CALL : (second >> 3 & 7) == 4 ? JUMP : OTHER;
	case 0xe0: case 0xe1: case 0xe2: case 0xe3: return BRANCH;
	case 0x0f:
		if (second == 0x05)
			return SYSTEM_CALL;
		if (second == 0x07)
			return SYSTEM_RETURN;
		if (second == 0x01 && code + 2 < end && code[2] == 0xc9)
			return HALT; /* mwait */
		return (second & 0xf0) == 0x80 ? BRANCH : OTHER;
	}
	return (code[0] & 0xf0) == 0x70 ? BRANCH : OTHER;
}

/* cli, sti, popf, and every way into or out of the kernel. */
static bool may_switch_interrupts(const uint8_t *at, const uint8_t *end)
{
	uint8_t second = at + 1 < end ? at[1] : 0;

	return at[0] == 0xfa || at[0] == 0xfb || at[0] == 0x9d || at[0] == 0xcf || at[0] == 0xf4 ||
	       (at[0] == 0x0f && (second == 0x05 || second == 0x07));
}

/* The vector that an interrupt's entry pushes with its first instruction, behind an endbr64 perhaps. */
static uint32_t vector_of(const uint8_t *code, size_t length)
{
	if (length >= 2 && code[0] == 0x6a)
		return code[1];
	if (length >= 5 && code[0] == 0x68)
		return code[1];
	return NO_VECTOR;
}

/*
 * The address of an operand that is in the processor's own memory (%gs), as an offset there: relative to the instruction
 * that follows, or absolute. 0 for others.
 */
static uint64_t own_operand(const uint8_t *code, const uint8_t *at, const uint8_t *end, uint64_t next)
{
	bool is_own = false;
	int32_t offset;

	while (code < at)
		is_own |= *code++ == 0x65;
	if (!is_own)
		return 0;
	at += at[0] == 0x0f ? 2 : 1;
	if (at + 5 <= end && (at[0] & 0xc7) == 0x05) {
		memcpy(&offset, at + 1, sizeof(offset));
		return next + (int64_t)offset;
	}
	if (at + 6 <= end && (at[0] & 0xc7) == 0x04 && at[1] == 0x25) {
		memcpy(&offset, at + 2, sizeof(offset));
		return (int64_t)offset;
	}
	return 0;
}

static bool reads_counter(const uint8_t *code, const uint8_t *end)
{
	if (code + 1 < end && code[0] == 0x0f && code[1] == 0x31)
		return true;
	return code + 2 < end && code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9;
}

static struct instruction x86_64_read(const uint8_t *code, const uint8_t *end, uint64_t next)
{
	const uint8_t *at = opcode(code, end);

	return (struct instruction){
		.last = kind_of(at, end),
		.reads_clock = reads_counter(at, end),
		.turns_interrupts_off = at[0] == 0xfa,
		.may_switch_interrupts = may_switch_interrupts(at, end),
		.vector = vector_of(code, end - code),
		.own = own_operand(code, at, end, next),
	};
}

static bool x86_64_interrupts_are_on(void)
{
	return value(EFLAGS) & INTERRUPT_FLAG;
}

static uint64_t x86_64_counter(const struct block *read)
{
	(void)read;
	return (value(RAX) & UINT32_MAX) | value(RDX) << 32;
}

static uint64_t x86_64_next_task(void)
{
	return value(RSI);
}

/* A fault with an error code pushes the code, the instruction, its segment. Interrupts have no code and leave whole blocks. */
static bool x86_64_is_fault(const struct block *left, const struct block *block, uint64_t *at)
{
	const uint8_t *read;
	uint64_t frame[3];

	(void)block;
	if (left->last == SYSTEM_CALL)
		return false;
	read = memory(value(RSP), sizeof(frame));
	if (!read)
		return false;
	memcpy(frame, read, sizeof(frame));
	*at = frame[1];
	return !IS_CODE(frame[1]) && IS_CODE(frame[2]);
}

static bool x86_64_may_write_count(const struct instruction *is)
{
	return asked.count_at && is->own == asked.count_at;
}

static bool x86_64_wrote_count(uint64_t address, uint32_t written, uint32_t *count)
{
	(void)address;
	now.count = written;
	now.has_count = true;
	*count = written;
	return true;
}

/* As it was last written. */
static bool x86_64_read_count(uint32_t *count)
{
	*count = now.count;
	return now.has_count;
}

static const struct processor x86_64 = {
	.name = "x86_64",
	.registers = x86_64_registers,
	.read = x86_64_read,
	.interrupts_are_on = x86_64_interrupts_are_on,
	.counter = x86_64_counter,
	.next_task = x86_64_next_task,
	.is_fault = x86_64_is_fault,
	.may_write_count = x86_64_may_write_count,
	.wrote_count = x86_64_wrote_count,
	.read_count = x86_64_read_count,
};
