/*
 * A periodic program whose sections are between lines: what `prazo watch --section lines.c:LINE..lines.c:LINE` shall find.
 *
 *   lines COUNT
 *
 * Each period of 5 ms it computes 1 ms in `turn`, which is inlined into `left` in even periods and into `right` in odd ones.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define PERIOD_NS 5000000
#define KEPT __attribute__((noinline))

static volatile int64_t turned_ns;

static int64_t now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000000LL + at.tv_nsec;
}

static inline __attribute__((always_inline)) void turn(int64_t by_ns)
{
	turned_ns = by_ns; /* begins */
	for (int64_t end = now() + by_ns; now() < end;)
		;
	turned_ns = 0; /* ends */
}

KEPT int left(int by)
{
	turn(1000000);
	return by + 1;
}

KEPT int right(int by)
{
	turn(1000000);
	return by - 1;
}

int main(int count, char **words)
{
	int periods = count > 1 ? atoi(words[1]) : 100;
	struct timespec due;
	int turned = 0;

	clock_gettime(CLOCK_MONOTONIC, &due);
	for (int period = 0; period < periods; period++) {
		due.tv_nsec += PERIOD_NS;
		if (due.tv_nsec >= 1000000000) {
			due.tv_nsec -= 1000000000;
			due.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, 0);
		turned = period % 2 ? right(turned) : left(turned);
	}
	return turned > 1;
}
