/*
 * A client of JACK that counts its cycles: `client CYCLES`. At the end it prints "served N skipped M": how often it was called, and how many
 * cycles of the server it was not called for.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What it needs of libjack, whose headers are a package of their own. */
typedef struct client client;
client *jack_client_open(const char *name, int options, int *status);
int jack_set_process_callback(client *, int (*)(uint32_t frames, void *), void *);
int jack_activate(client *);
int jack_deactivate(client *);
int jack_client_close(client *);
uint32_t jack_last_frame_time(const client *);

static client *self;
static volatile long served;
static uint32_t first, last, cycle_frames;

static int process(uint32_t frames, void *nothing)
{
	last = jack_last_frame_time(self);
	if (!served)
		first = last;
	cycle_frames = frames;
	served++;
	return 0;
}

int main(int words, char **word)
{
	enum { DO_NOT_START_A_SERVER = 1 };
	int status;

	if (words != 2 || !(self = jack_client_open("counter", DO_NOT_START_A_SERVER, &status)))
		return 2;
	jack_set_process_callback(self, process, 0);
	if (jack_activate(self))
		return 2;
	while (served < atol(word[1]))
		usleep(1000);
	jack_deactivate(self);
	printf("served %ld skipped %ld\n", served, (last - first) / cycle_frames + 1 - served);
	jack_client_close(self);
	return 0;
}
