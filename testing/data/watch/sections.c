/*
 * A periodic program whose sections have planted lengths: what `prazo watch --section` shall measure.
 *
 *   sections COUNT [probed]
 *
 * With "probed" it begins when somebody looks at malloc, or after ten seconds.
 *
 * Each period of 5 ms it passes `step`, which computes 1 ms and in every tenth period 3 ms; `walk`, which calls itself three deep;
 * and from `hand_over` to `take_over`, which is reached by another thread, 100 ms late in period PLANTED. In period PLANTED it also
 * passes `plant`, which calls malloc and getpid, between `step` and `walk`. At the end it prints its own account of each, in nanoseconds:
 *
 *   step COUNT MIN MAX SUM
 *   walk COUNT
 *   hand MAX
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 5000000
#define PLANTED 20
#define KEPT __attribute__((noinline, used))

/* A static probe, as a note of the file says where it is. */
#define PROBE(name)                                                                                                     \
	__asm__ volatile("990: nop\n"                                                                                   \
			 ".pushsection .note.stapsdt,\"\",%note\n"                                                      \
			 ".balign 4\n"                                                                                  \
			 ".4byte 992f-991f, 994f-993f, 3\n"                                                             \
			 "991: .asciz \"stapsdt\"\n"                                                                    \
			 "992: .balign 4\n"                                                                             \
			 "993: .8byte 990b, 0, 0\n"                                                                     \
			 ".asciz \"sections\"\n.asciz \"" name "\"\n.asciz \"\"\n"                                      \
			 "994: .balign 4\n"                                                                             \
			 ".popsection\n")

static sem_t handed;
static sem_t taken;
static volatile int64_t handed_ns, late_ns, hand_max_ns;
static int64_t step_min_ns = INT64_MAX, step_max_ns, step_sum_ns, steps;
static void *volatile kept;

static int64_t now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000000LL + at.tv_nsec;
}

KEPT static void spin(int64_t ns)
{
	for (int64_t end = now() + ns; now() < end;)
		;
}

KEPT void step(int64_t ns)
{
	int64_t begun = now(), took;

	PROBE("step_begins");
	spin(ns);
	PROBE("step_ends");
	took = now() - begun;
	steps++;
	step_sum_ns += took;
	if (took < step_min_ns)
		step_min_ns = took;
	if (took > step_max_ns)
		step_max_ns = took;
}

KEPT int walk(int depth)
{
	return depth ? walk(depth - 1) + 1 : 0;
}

KEPT void plant(void)
{
	kept = malloc(64);
	syscall(SYS_getpid);
}

KEPT void hand_over(void)
{
	handed_ns = now();
	sem_post(&handed);
}

KEPT void take_over(void)
{
	sem_post(&taken);
}

/* A breakpoint takes the place of the function's first bytes. */
static void wait_until_probed(void)
{
	const volatile unsigned char *code = (const volatile unsigned char *)malloc;
	struct timespec moment = { 0, 10000000 };
	uint32_t is_x86 = 0;

#if defined(__x86_64__)
	is_x86 = 1;
#endif
	for (int moments = 0; moments < 1000 && !(is_x86 && *code == 0xcc); moments++)
		nanosleep(&moment, 0);
}

static void *taker(void *unused)
{
	pthread_setname_np(pthread_self(), "taker");
	for (;;) {
		int64_t took;

		sem_wait(&handed);
		if (late_ns)
			spin(late_ns);
		took = now() - handed_ns;
		if (took > hand_max_ns)
			hand_max_ns = took;
		take_over();
	}
	return unused;
}

int main(int count, char **words)
{
	struct sched_param urgent = { .sched_priority = 60 };
	int periods = count > 1 ? atoi(words[1]) : 100;
	struct timespec due;
	pthread_t thread;
	int walked = 0;

	if (count > 2)
		wait_until_probed();
	mlockall(MCL_CURRENT | MCL_FUTURE);
	sem_init(&handed, 0, 0);
	sem_init(&taken, 0, 0);
	kept = malloc(1);
	pthread_create(&thread, 0, taker, 0);
	pthread_setschedparam(thread, SCHED_FIFO, &urgent);
	sched_setscheduler(0, SCHED_FIFO, &urgent);
	clock_gettime(CLOCK_MONOTONIC, &due);
	for (int period = 0; period < periods; period++) {
		due.tv_nsec += PERIOD_NS;
		if (due.tv_nsec >= 1000000000) {
			due.tv_nsec -= 1000000000;
			due.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, 0);
		step(period % 10 == 9 ? 3000000 : 1000000);
		if (period == PLANTED)
			plant();
		walked += walk(3) == 3;
		late_ns = period == PLANTED ? 100000000 : 0;
		hand_over();
		sem_wait(&taken);
	}
	fprintf(stderr, "step %lld %lld %lld %lld\n", (long long)steps, (long long)step_min_ns, (long long)step_max_ns,
		(long long)step_sum_ns);
	fprintf(stderr, "walk %d\n", walked);
	fprintf(stderr, "hand %lld\n", (long long)hand_max_ns);
	return 0;
}
