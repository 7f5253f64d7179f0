package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// cpuClock is the kind of a process's clock that counts its running, in the id of the clock.
const cpuClock = 2

// cpu is what a process has used so far, to the nanosecond.
func cpu(pid int) (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|cpuClock), &t); err != nil {
		return 0, fmt.Errorf("CPU time of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// pss is a process's memory in bytes, what it shares divided among those who share it.
func pss(pid int) (int64, error) { return sizeOf(pid, "smaps_rollup", "Pss") }

// resident is its resident memory; peak is the most that was.
func resident(pid int) (now, peak int64, err error) {
	if now, err = sizeOf(pid, "status", "VmRSS"); err == nil {
		peak, err = sizeOf(pid, "status", "VmHWM")
	}
	return now, peak, err
}

func sizeOf(pid int, name, field string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
	if err != nil {
		return 0, fmt.Errorf("memory of process %d: %w", pid, err)
	}
	return parseSize(string(text), field)
}
