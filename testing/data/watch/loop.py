"""A periodic loop in Python: `loop.py METHOD PERIOD_US COUNT`.

METHOD is `absolute`, which waits by clock_nanosleep for instants on a grid and skips those that are past, or `sleep`, which calls
time.sleep until the next. Half way it computes for three periods and a half. At the end it prints "served N skipped M".
"""

import ctypes
import sys
import time

MONOTONIC, ABSOLUTE = 1, 1
libc = ctypes.CDLL(None)


class Timespec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


def wait_until(due):
    at = Timespec(due // 1_000_000_000, due % 1_000_000_000)
    libc.clock_nanosleep(MONOTONIC, ABSOLUTE, ctypes.byref(at), None)


def compute(length):
    end = time.monotonic_ns() + length
    while time.monotonic_ns() < end:
        pass


def main():
    method, period, count = sys.argv[1], int(sys.argv[2]) * 1_000, int(sys.argv[3])
    due, skipped = time.monotonic_ns() + period, 0
    for cycle in range(count):
        if method == "absolute":
            wait_until(due)
        else:
            time.sleep(max(0, due - time.monotonic_ns()) / 1e9)
        compute(period * 7 // 2 if cycle == count // 2 else 50_000)
        due += period
        while due < time.monotonic_ns():
            due += period
            skipped += 1
    print(f"served {count} skipped {skipped}")


main()
