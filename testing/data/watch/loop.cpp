/*
 * A controller's loop as robots have it: read, update, write, then sleep_until the next period. Periods that an overrun has passed are
 * skipped, so that the loop stays on its grid.
 *
 *   loop PERIOD_US COUNT
 *
 * Half way it computes for three periods and a half. At the end it prints "served N skipped M".
 */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

/* Something that takes time and that no compiler leaves out. */
static void compute(nanoseconds length)
{
	for (auto end = Clock::now() + length; Clock::now() < end;)
		;
}

struct Controller {
	nanoseconds period;
	long cycle = 0, half;

	void read() { compute(nanoseconds(20'000)); }
	void update() { compute(++cycle == half ? period * 7 / 2 : nanoseconds(50'000)); }
	void write() { compute(nanoseconds(20'000)); }
};

int main(int words, char **word)
{
	if (words != 3)
		return 2;
	const nanoseconds period(1'000L * std::atol(word[1]));
	const long count = std::atol(word[2]);
	long skipped = 0;
	Controller controller{period, 0, count / 2};
	auto next = Clock::now();

	for (long cycle = 0; cycle < count; cycle++) {
		next += period;
		std::this_thread::sleep_until(next);
		controller.read();
		controller.update();
		controller.write();
		if (auto late = Clock::now() - next; late > period) {
			const long passed = late / period;

			skipped += passed;
			next += passed * period;
		}
	}
	std::printf("served %ld skipped %ld\n", count, skipped);
}
