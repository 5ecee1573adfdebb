// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * Why do two tools measure different wakes? One thread wakes another on one processor, by the same call, in four patterns:
 * the waking thread is less urgent than the woken one or as urgent, and it sleeps until each wake or is woken back for it.
 * rt-tests has the last of the four, `prazo measure wakeup` the first. scripts/wake-patterns.py runs all beside rt-tests.
 *
 *   cc -O2 -pthread -o wake-patterns scripts/wake-patterns.c
 *   wake-patterns semaphore|sysv|mqueue|signal PRIORITY_OF_WAKER PRIORITY_OF_WOKEN sleeps|back PERIOD_US WAKES CPU
 *
 * Prints the minimum, median and mean, in nanoseconds, of the time from before the call that wakes to after the call that waits.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { TO_WOKEN, TO_WAKER, WAYS };

static const char *method;
static int is_woken_back, wakes, period_us, cpu;
static int priorities[WAYS];	/* of the thread that waits for this way */
static sem_t semaphores[WAYS];
static int sets[WAYS], threads[WAYS];
static mqd_t queues[WAYS];
static pthread_barrier_t both_are_set_up;
static volatile long long stamp_ns;
static long long *latencies_ns;

static void need(int is_true, const char *what)
{
	if (!is_true) {
		perror(what);
		exit(4);
	}
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void post(int way)
{
	struct sembuf up = { 0, 1, 0 };
	char message[8] = { 0 };

	if (!strcmp(method, "semaphore"))
		sem_post(&semaphores[way]);
	else if (!strcmp(method, "sysv"))
		semop(sets[way], &up, 1);
	else if (!strcmp(method, "mqueue"))
		mq_send(queues[way], message, sizeof(message), 0);
	else
		syscall(SYS_tgkill, getpid(), threads[way], SIGRTMIN);
}

static void await(int way)
{
	struct sembuf down = { 0, -1, 0 };
	char message[8];
	sigset_t signals;

	/* A real-time signal is queued: none is lost where the other thread is late. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGRTMIN);
	if (!strcmp(method, "semaphore"))
		sem_wait(&semaphores[way]);
	else if (!strcmp(method, "sysv"))
		semop(sets[way], &down, 1);
	else if (!strcmp(method, "mqueue"))
		mq_receive(queues[way], message, sizeof(message), 0);
	else
		sigwaitinfo(&signals, NULL);
}

static void set_up(int way)
{
	struct sched_param priority = { .sched_priority = priorities[way] };
	cpu_set_t only;

	CPU_ZERO(&only);
	CPU_SET(cpu, &only);
	need(!pthread_setaffinity_np(pthread_self(), sizeof(only), &only), "affinity");
	need(!pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority), "SCHED_FIFO");
	threads[way] = (int)syscall(SYS_gettid);
	pthread_barrier_wait(&both_are_set_up);
}

static void *waking(void *unused)
{
	long long next_ns;

	set_up(TO_WAKER);
	next_ns = now_ns() + 5000000;
	for (int wake = 0; wake < wakes; wake++) {
		if (!is_woken_back) {
			struct timespec at = { next_ns / 1000000000, next_ns % 1000000000 };

			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
			next_ns += period_us * 1000LL;
			if (now_ns() > next_ns)
				next_ns = now_ns() + period_us * 1000LL;
		}
		stamp_ns = now_ns();
		post(TO_WOKEN);
		if (is_woken_back)
			await(TO_WAKER);
	}
	return unused;
}

static void *woken(void *unused)
{
	struct timespec period = { period_us / 1000000, period_us % 1000000 * 1000LL };

	set_up(TO_WOKEN);
	for (int wake = 0; wake < wakes; wake++) {
		await(TO_WOKEN);
		latencies_ns[wake] = now_ns() - stamp_ns;
		if (is_woken_back) {
			nanosleep(&period, NULL);
			post(TO_WAKER);
		}
	}
	return unused;
}

static int by_size(const void *one, const void *other)
{
	long long a = *(const long long *)one, b = *(const long long *)other;

	return (a > b) - (a < b);
}

static void make(int way)
{
	struct mq_attr attributes = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	char name[32];

	need(!sem_init(&semaphores[way], 0, 0), "sem_init");
	if (!strcmp(method, "sysv"))
		need((sets[way] = semget(IPC_PRIVATE, 1, 0600 | IPC_CREAT)) >= 0, "semget");
	snprintf(name, sizeof(name), "/wake-patterns-%d-%d", getpid(), way);
	queues[way] = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
	need(queues[way] != (mqd_t)-1, "mq_open");
	mq_unlink(name);
}

int main(int count, char **words)
{
	int no_idle_states = 0, file = open("/dev/cpu_dma_latency", O_WRONLY);
	pthread_t waker, other;
	sigset_t signals;
	double sum_ns = 0;

	if (count != 8)
		return 2;
	method = words[1];
	priorities[TO_WAKER] = atoi(words[2]);
	priorities[TO_WOKEN] = atoi(words[3]);
	is_woken_back = !strcmp(words[4], "back");
	period_us = atoi(words[5]);
	wakes = atoi(words[6]);
	cpu = atoi(words[7]);
	latencies_ns = calloc((size_t)wakes, sizeof(*latencies_ns));
	need(wakes > 0 && latencies_ns != NULL, "room for the latencies");
	sigemptyset(&signals);
	sigaddset(&signals, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	need(file >= 0 && write(file, &no_idle_states, sizeof(no_idle_states)) == sizeof(no_idle_states), "cpu_dma_latency");
	need(!mlockall(MCL_CURRENT | MCL_FUTURE), "mlockall");
	make(TO_WOKEN);
	make(TO_WAKER);
	pthread_barrier_init(&both_are_set_up, NULL, 2);
	need(!pthread_create(&other, NULL, woken, NULL) && !pthread_create(&waker, NULL, waking, NULL), "pthread_create");
	/* The waking thread may wait for a last time, for nobody. */
	pthread_join(other, NULL);
	if (!strcmp(method, "sysv"))
		for (int way = 0; way < WAYS; way++)
			semctl(sets[way], 0, IPC_RMID);
	for (int wake = 0; wake < wakes; wake++)
		sum_ns += latencies_ns[wake];
	qsort(latencies_ns, (size_t)wakes, sizeof(*latencies_ns), by_size);
	printf("%lld %lld %.0f\n", latencies_ns[0], latencies_ns[wakes / 2], sum_ns / wakes);
	return 0;
}
