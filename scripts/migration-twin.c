// Moves itself between two processors once in each period, and prints the durations of the moves away from the first in ns, one a line.
//
//     migration-twin MOVES PERIOD_US PRIORITY
//
// The slow, obvious twin of `prazo measure wakeup --method migrate`: a timer in place of a waking thread, and nothing else between the
// two readings of the clock but the call.

#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void sleep_until(long long at_ns)
{
	struct timespec at = { at_ns / 1000000000, at_ns % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
		;
}

int main(int count, char **words)
{
	int moves = count > 1 ? atoi(words[1]) : 2000;
	long long period_ns = (count > 2 ? atoi(words[2]) : 1000) * 1000LL;
	struct sched_param priority = { count > 3 ? atoi(words[3]) : 80 };
	long long *times = calloc(moves, sizeof(*times));
	cpu_set_t home, away;
	long long due_ns;

	CPU_ZERO(&home);
	CPU_SET(0, &home);
	CPU_ZERO(&away);
	CPU_SET(1, &away);
	if (!times || mlockall(MCL_CURRENT) || sched_setaffinity(0, sizeof(home), &home) ||
	    sched_setscheduler(0, SCHED_FIFO, &priority)) {
		perror("migration-twin");
		return 1;
	}
	due_ns = now_ns() + period_ns;
	for (int i = 0; i < moves; i++) {
		long long begun_ns;

		sleep_until(due_ns);
		begun_ns = now_ns();
		sched_setaffinity(0, sizeof(away), &away);
		times[i] = now_ns() - begun_ns;
		if (sched_getcpu() != 1)
			times[i] = -1;
		sched_setaffinity(0, sizeof(home), &home);
		while ((due_ns += period_ns) < now_ns())
			;
	}
	for (int i = 0; i < moves; i++)
		printf("%lld\n", times[i]);
	return 0;
}
