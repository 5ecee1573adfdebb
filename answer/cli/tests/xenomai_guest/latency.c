/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Stands in for the tool of Xenomai's user space in a guest: a periodic thread
 * of Linux that prints what `latency -t 0 -h` prints: a second of warm-up, the
 * histogram of all samples behind it, and the figures of the whole seconds.
 * Ours, after that tool's output in testing/data/xenomai; no source of
 * Xenomai's was used.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CELLS 1000
#define SECOND 1000000000LL
/* As the tool does, and as prazo finds its activations. */
#define WARM_UP 1L
#define START (SECOND / 1000)

/* Of all samples, and of each whole second. */
static long samples[CELLS], least[CELLS], most[CELLS];

/* Of a second; of the whole run, the sum is one of the seconds' means. */
struct figures {
	long long least, most, sum;
};

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

static void row(const char *kind, long long least, long long mean, long long most,
		long skipped, const char *rest)
{
	printf("%s| %10.3f| %10.3f| %10.3f| %7ld|     0| %s\n", kind,
	       least / 1e3, mean / 1e3, most / 1e3, skipped, rest);
}

static void add(long *cells, long long late)
{
	cells[late / 1000 < CELLS ? late / 1000 : CELLS - 1]++;
}

static void rows(const char *kind, const long *cells)
{
	for (int cell = 0; cell < CELLS; cell++)
		if (cells[cell])
			printf("HSD|    %s| %3d -%3d | %8ld\n", kind, cell, cell + 1, cells[cell]);
}

int main(int count, char **words)
{
	long period = value(count, words, "p", 1000) * 1000;
	long seconds = value(count, words, "T", 1);
	struct sched_param priority = { (int)value(count, words, "P", 99) };
	const struct figures nothing = { SECOND, -SECOND, 0 };
	struct figures second = nothing, all = nothing;
	long per_second = SECOND / period, whole = 0, skipped = 0;
	long long begin, due, end;
	char rest[64];

	if (sched_setscheduler(0, SCHED_FIFO, &priority))
		return perror("sched_setscheduler"), 1;
	printf("== Sampling period: %ld us\n== Test mode: periodic user-mode task\n"
	       "== All results in microseconds\nwarming up...\n"
	       "RTT|  00:00:01  (periodic user-mode task, %ld us period, priority %d)\n"
	       "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n",
	       period / 1000, period / 1000, priority.sched_priority);
	begin = now();
	end = begin + (WARM_UP + seconds) * SECOND;
	due = begin + START;
	for (long number = -WARM_UP * per_second; due < end; number++) {
		struct timespec at = { due / SECOND, due % SECOND };
		long long late;

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		late = now() - due;
		if (number >= 0) {
			add(samples, late);
			second.least = late < second.least ? late : second.least;
			second.most = late > second.most ? late : second.most;
			second.sum += late;
		}
		for (due += period; late > period; late -= period, due += period)
			skipped++;
		if (number < 0 || (number + 1) % per_second)
			continue;
		all.least = second.least < all.least ? second.least : all.least;
		all.most = second.most > all.most ? second.most : all.most;
		all.sum += second.sum / per_second;
		snprintf(rest, sizeof(rest), "%10.3f| %10.3f", all.least / 1e3, all.most / 1e3);
		row("RTD", second.least, second.sum / per_second, second.most, skipped, rest);
		add(least, second.least);
		add(most, second.most);
		second = nothing;
		whole++;
	}
	puts("---|--param|----range-|--samples");
	rows("min", least);
	rows("avg", samples);
	rows("max", most);
	puts("---|-----------|-----------|-----------|--------|------|-------------------------");
	snprintf(rest, sizeof(rest), "   00:00:%02ld/00:00:%02ld", seconds, seconds);
	row("RTS", all.least, whole ? all.sum / whole : 0, all.most, skipped, rest);
	return 0;
}
