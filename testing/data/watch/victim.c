/*
 * A periodic program with one planted fault: what `prazo watch` shall name.
 *
 *   victim WAIT FAULT PERIOD_US COUNT
 *
 * WAIT: nanosleep, relative, timerfd, epoll, itimer, condition, past, yield. FAULT: none, compute, sleep, lock, io, fault, stop, hog, skip, move,
 * inversion: a lock whose less urgent holder is preempted, for two periods, by a hog that is less urgent than this program. The
 * fault comes at activation COUNT / 2 and lasts three periods. At the end it prints "planted DUE_NS", when that activation was due,
 * and "served N skipped M". `past` waits like `condition` for instants that are all over already. `yield`
 * is a SCHED_DEADLINE thread with a tenth of each period, due at four fifths of it; "planted" is then when the fault began.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long period_ns;
static int timer;
static const char *fault;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never;
static int ends[2];
static volatile int go;
static int filler;
static volatile char *page;

static int64_t now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000000LL + at.tv_nsec;
}

static struct timespec split(int64_t ns)
{
	return (struct timespec){ ns / 1000000000, ns % 1000000000 };
}

static void spin(int64_t ns)
{
	for (int64_t end = now() + ns; now() < end;)
		;
}

static void nap(int64_t ns)
{
	struct timespec length = split(ns);

	nanosleep(&length, 0);
}

/* Waits for its turn, then does what the fault needs of another thread. */
static void *helper(void *name)
{
	int inverts = !strcmp(fault, "inversion"), is_hog = !strcmp(name, "hog");
	char byte = 1;

	prctl(PR_SET_NAME, name);
	if (inverts) {
		struct sched_param own = { .sched_priority = is_hog ? 40 : 10 };

		sched_setscheduler(0, SCHED_FIFO, &own);
	}
	if (!strcmp(fault, "lock") || (inverts && !is_hog))
		pthread_mutex_lock(&lock);
	go = 1;
	while (go != 2)
		nap(100000);
	if (inverts) {
		spin(is_hog ? 2 * period_ns : period_ns / 2);
		if (!is_hog)
			pthread_mutex_unlock(&lock);
		return 0;
	}
	if (!strcmp(fault, "hog")) {
		struct sched_param urgent = { .sched_priority = 60 };

		sched_setscheduler(0, SCHED_FIFO, &urgent);
		spin(3 * period_ns);
		return 0;
	}
	nap(3 * period_ns);
	if (!strcmp(fault, "lock"))
		pthread_mutex_unlock(&lock);
	if (!strcmp(fault, "fault")) {
		struct uffdio_zeropage zeros = { .range = { (uintptr_t)page, 4096 } };

		if (ioctl(filler, UFFDIO_ZEROPAGE, &zeros))
			exit(1);
	}
	if (write(ends[1], &byte, 1) != 1)
		exit(1);
	return 0;
}

static void start_helper(char *name)
{
	pthread_t thread;

	go = 0;
	pthread_create(&thread, 0, helper, name);
	while (go != 1)
		nap(100000);
}

/* A process that lets this one go on. */
static void stop(void)
{
	pid_t stopped = getpid();

	if (!fork()) {
		prctl(PR_SET_NAME, "continuer");
		nap(3 * period_ns);
		kill(stopped, SIGCONT);
		_exit(0);
	}
	raise(SIGSTOP);
}

/*
 * A page that nobody fills until the helper does. Faults that a disk serves often end without blocking, and their time is then hard
 * to tell from the program's own.
 */
static char *unfilled(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	filler = syscall(SYS_userfaultfd, O_CLOEXEC);
	range.range.start = (uintptr_t)page;
	range.range.len = 4096;
	if (filler < 0 || ioctl(filler, UFFDIO_API, &api) || ioctl(filler, UFFDIO_REGISTER, &range)) {
		perror("userfaultfd");
		exit(3);
	}
	return page;
}

static void plant(void)
{
	char byte;

	if (!strcmp(fault, "compute"))
		spin(3 * period_ns);
	else if (!strcmp(fault, "sleep"))
		nap(3 * period_ns);
	else if (!strcmp(fault, "stop"))
		stop();
	else if (!strcmp(fault, "fault")) {
		go = 2;
		*page = 1;
	} else if (!strcmp(fault, "io")) {
		go = 2;
		if (read(ends[0], &byte, 1) != 1)
			exit(1);
	} else if (!strcmp(fault, "lock") || !strcmp(fault, "inversion")) {
		go = 2;
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	} else if (!strcmp(fault, "hog")) {
		go = 2;
	} else if (!strcmp(fault, "move")) {
		struct itimerspec grid = { split(period_ns), split(now() + 3 * period_ns + period_ns / 3) };

		timerfd_settime(timer, TFD_TIMER_ABSTIME, &grid, 0);
	}
}

/* A tenth of a processor, by the kernel's own periods. */
static void become_deadline(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} wanted = { sizeof wanted, 6, 1, 0, 0, period_ns / 10, period_ns / 5 * 4, period_ns };

	if (syscall(SYS_sched_setattr, 0, &wanted, 0)) {
		perror("sched_setattr");
		exit(3);
	}
}

/* Waits until `due` by a method; answers how many instants passed. */
static uint64_t wait_for(const char *method, int64_t due, int set)
{
	struct timespec at = split(due);
	struct epoll_event event;
	uint64_t passed = 1;
	sigset_t alarm;
	int signal;

	if (!strcmp(method, "nanosleep"))
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, 0);
	if (!strcmp(method, "relative"))
		nap(period_ns);
	if (!strcmp(method, "yield"))
		sched_yield();
	if (!strcmp(method, "epoll"))
		epoll_wait(set, &event, 1, -1);
	if (!strcmp(method, "timerfd") || !strcmp(method, "epoll"))
		if (read(timer, &passed, sizeof passed) != sizeof passed)
			exit(1);
	if (!strcmp(method, "itimer")) {
		sigemptyset(&alarm);
		sigaddset(&alarm, SIGALRM);
		sigwait(&alarm, &signal);
	}
	if (!strcmp(method, "condition") || !strcmp(method, "past")) {
		static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

		pthread_mutex_lock(&own);
		while (pthread_cond_timedwait(&never, &own, &at) == 0)
			;
		pthread_mutex_unlock(&own);
	}
	return passed;
}

int main(int count, char **words)
{
	const char *method = words[1];
	long activations = atol(words[4]), served = 0, skipped = 0;
	struct sched_param urgent = { .sched_priority = 50 };
	pthread_condattr_t monotonic;
	int set = epoll_create1(0);
	struct epoll_event event = { .events = EPOLLIN };
	int64_t due, planted = 0;
	sigset_t alarm;

	if (count != 5 || pipe(ends))
		return 2;
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	fault = words[2];
	period_ns = atol(words[3]) * 1000;
	prctl(PR_SET_NAME, "victim");
	prctl(PR_SET_TIMERSLACK, 1);
	if (!strcmp(fault, "fault"))
		page = unfilled();
	if (!strcmp(fault, "inversion")) {
		cpu_set_t first;

		CPU_ZERO(&first);
		CPU_SET(0, &first);
		sched_setaffinity(0, sizeof first, &first);
		start_helper("holder");
		start_helper("hog");
	}
	if (!strcmp(fault, "lock") || !strcmp(fault, "io") || !strcmp(fault, "hog") || page) {
		if (!strcmp(fault, "hog")) {
			cpu_set_t first;

			CPU_ZERO(&first);
			CPU_SET(0, &first);
			sched_setaffinity(0, sizeof first, &first);
		}
		start_helper(!strcmp(fault, "lock") ? "holder" : !strcmp(fault, "io") ? "writer" : page ? "filler" : "hog");
	}
	if (!strcmp(method, "yield"))
		become_deadline();
	else
		sched_setscheduler(0, SCHED_FIFO, &urgent);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&never, &monotonic);
	due = now() + period_ns;
	if (!strcmp(method, "past"))
		due -= activations * period_ns + 1000000000;
	if (!strcmp(method, "timerfd") || !strcmp(method, "epoll")) {
		struct itimerspec grid = { split(period_ns), split(due) };

		timerfd_settime(timer, TFD_TIMER_ABSTIME, &grid, 0);
		epoll_ctl(set, EPOLL_CTL_ADD, timer, &event);
	}
	if (!strcmp(method, "itimer")) {
		struct itimerval grid = { { 0, period_ns / 1000 }, { 0, period_ns / 1000 } };

		sigemptyset(&alarm);
		sigaddset(&alarm, SIGALRM);
		sigprocmask(SIG_BLOCK, &alarm, 0);
		setitimer(ITIMER_REAL, &grid, 0);
	}
	while (served < activations) {
		uint64_t passed = wait_for(method, due, set);

		skipped += passed - 1;
		due += passed * period_ns;
		spin(50000);
		if (++served == activations / 2) {
			planted = strcmp(method, "yield") ? due - (int64_t)passed * period_ns : now();
			plant();
		}
		/* Like cyclictest: instants that are past are not waited for. */
		if (!strcmp(method, "nanosleep") || !strcmp(method, "condition"))
			for (; now() > due; due += period_ns)
				skipped++;
	}
	/* Its end shall not be taken for a miss. */
	printf("planted %lld\n", (long long)planted);
	printf("served %ld skipped %ld\n", served, skipped);
	return 0;
}
