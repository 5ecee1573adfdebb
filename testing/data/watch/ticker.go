// A ticker's loop in Go: `ticker PERIOD_US COUNT`. Its goroutine keeps its thread, so that one thread waits for every tick. Half way it
// computes for three periods and a half; the ticker drops what nobody takes. At the end it prints "served N skipped M".
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
)

func main() {
	runtime.LockOSThread()
	microseconds, _ := strconv.Atoi(os.Args[1])
	count, _ := strconv.Atoi(os.Args[2])
	period := time.Duration(microseconds) * time.Microsecond
	ticker := time.NewTicker(period)
	var first, last time.Time
	for tick := 0; tick < count; tick++ {
		last = <-ticker.C
		if tick == 0 {
			first = last
		}
		length := 50 * time.Microsecond
		if tick == count/2 {
			length = period * 7 / 2
		}
		for end := time.Now().Add(length); time.Now().Before(end); {
		}
	}
	periods := int((last.Sub(first) + period/2) / period)
	fmt.Println("served", count, "skipped", periods-(count-1))
}
