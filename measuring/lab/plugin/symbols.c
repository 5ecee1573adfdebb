// SPDX-License-Identifier: GPL-2.0
/*
 * Process 1 of a guest that is booted to be asked for its symbols: loads the modules that it finds, then sends
 * /proc/kallsyms through port 0xe9 and ends the guest through port 0xf4. It uses no library, so that it can be
 * built wherever a compiler is. x86-64 only.
 */
#include <asm/unistd.h>

#define PIECE 65536
#define RIGHTS 3
#define DONE 16
#define FAILED 17

static char piece[PIECE];

static long call(long number, long a, long b, long c, long d, long e)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	long answer;

	__asm__ volatile("syscall" : "=a"(answer) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return answer;
}

static void send(const char *from, long length)
{
	__asm__ volatile("rep outsb" : "+S"(from), "+c"(length) : "d"(0xe9) : "memory");
}

static void end(int value)
{
	__asm__ volatile("outl %0, %w1" : : "a"(value), "d"(0xf4));
	for (;;)
		;
}

/* /prazo/modules/NN.ko with its parameters in NN.txt, counted from 00; as the agent loads them. */
static void load_modules(void)
{
	static char module[] = "/prazo/modules/00.ko", text[] = "/prazo/modules/00.txt";
	int number;

	for (number = 0; number < 100; number++) {
		long file, words, length = 0;

		module[15] = text[15] = '0' + number / 10;
		module[16] = text[16] = '0' + number % 10;
		file = call(__NR_open, (long)module, 0, 0, 0, 0);
		if (file < 0)
			return;
		words = call(__NR_open, (long)text, 0, 0, 0, 0);
		if (words >= 0)
			length = call(__NR_read, words, (long)piece, PIECE - 1, 0, 0);
		piece[length > 0 ? length : 0] = 0;
		/* A module that the kernel refuses here is refused in the run too, which then is no run. */
		call(__NR_finit_module, file, (long)piece, 0, 0, 0);
	}
}

static void begin(void)
{
	long file, length;

	if (call(__NR_mount, (long)"proc", (long)"/proc", (long)"proc", 0, 0) < 0)
		end(FAILED);
	load_modules();
	if (call(__NR_iopl, RIGHTS, 0, 0, 0, 0) < 0)
		for (;;)
			call(__NR_reboot, 0xfee1dead, 672274793, 0x4321fedc, 0, 0);
	file = call(__NR_open, (long)"/proc/kallsyms", 0, 0, 0, 0);
	if (file < 0)
		end(FAILED);
	while ((length = call(__NR_read, file, (long)piece, PIECE, 0, 0)) > 0)
		send(piece, length);
	end(DONE);
}

__attribute__((naked, used)) void _start(void)
{
	__asm__("and $-16, %%rsp\n\tcall *%0" : : "r"(begin));
}
