/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Stands in for the tool of Xenomai's user space in a guest: a periodic thread
 * of Linux that prints what `latency -t 0 -h` prints. Ours, after that tool's
 * output in testing/data/xenomai; no source of Xenomai's was used.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CELLS 1000
#define SECOND 1000000000LL

static long samples[CELLS];

static long long now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * SECOND + at.tv_nsec;
}

static long value(int count, char **words, const char *flag, long otherwise)
{
	for (int i = 1; i + 1 < count; i++)
		if (words[i][0] == '-' && words[i][1] == flag[0] && !words[i][2])
			return atol(words[i + 1]);
	return otherwise;
}

static void row(const char *kind, long long least, double mean, long long most,
		long skipped, const char *rest)
{
	printf("%s| %10.3f| %10.3f| %10.3f| %7ld|     0| %s\n", kind,
	       least / 1e3, mean / 1e3, most / 1e3, skipped, rest);
}

int main(int count, char **words)
{
	long period = value(count, words, "p", 1000) * 1000;
	long seconds = value(count, words, "T", 1);
	struct sched_param priority = { (int)value(count, words, "P", 99) };
	long long begin, due, end, least = SECOND, most = -1, sum = 0;
	long served = 0, skipped = 0;
	char clock[64];

	if (sched_setscheduler(0, SCHED_FIFO, &priority))
		return perror("sched_setscheduler"), 1;
	printf("== Sampling period: %ld us\n== Test mode: periodic user-mode task\n"
	       "== All results in microseconds\nwarming up...\n"
	       "RTT|  00:00:01  (periodic user-mode task, %ld us period, priority %d)\n"
	       "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n",
	       period / 1000, period / 1000, priority.sched_priority);
	begin = now();
	end = begin + seconds * SECOND;
	for (due = begin + period; due < end; due += period) {
		struct timespec at = { due / SECOND, due % SECOND };
		long long late;

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		late = now() - due;
		least = late < least ? late : least;
		most = late > most ? late : most;
		sum += late;
		served++;
		samples[late / 1000 < CELLS ? late / 1000 : CELLS - 1]++;
		for (; late > period; late -= period, due += period)
			skipped++;
	}
	puts("---|--param|----range-|--samples");
	for (int cell = 0; cell < CELLS; cell++)
		if (samples[cell])
			printf("HSD|    avg| %3d -%3d | %8ld\n", cell, cell + 1, samples[cell]);
	puts("---|-----------|-----------|-----------|--------|------|-------------------------");
	snprintf(clock, sizeof(clock), "   00:00:%02ld/00:00:%02ld", seconds, seconds);
	row("RTS", least, (double)sum / served, most, skipped, clock);
	return 0;
}
