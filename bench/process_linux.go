package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cpuClock is the kind of a process's clock that counts its running, in the id of the clock.
const cpuClock = 2

// cpu returns what a process and those it started have used so far, to the nanosecond.
func cpu(pid int) (used time.Duration, err error) {
	for _, p := range family(pid) {
		of, err := cpuOf(p)
		if err != nil && p == pid {
			return 0, err
		}
		used += of
	}
	return used, nil
}

// family returns a process and all below it: some programs are started by a script.
func family(pid int) []int {
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", all[i])) // the pattern is good
		for _, path := range tasks {
			text, _ := os.ReadFile(path) // it may be gone
			for child := range strings.FieldsSeq(string(text)) {
				if id, err := strconv.Atoi(child); err == nil {
					all = append(all, id)
				}
			}
		}
	}
	return all
}

func cpuOf(pid int) (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|cpuClock), &t); err != nil {
		return 0, fmt.Errorf("CPU time of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// pss returns the memory in bytes of a process and those it started, what is shared divided among
// the processes that share it.
func pss(pid int) (sum int64, err error) {
	for _, p := range family(pid) {
		of, err := sizeOf(p, "smaps_rollup", "Pss")
		if err != nil && p == pid {
			return 0, err
		}
		sum += of
	}
	return sum, nil
}

// resident returns the resident memory of one process; peak is the most that was.
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

// forgetPeak makes the peak of resident what it is now.
func forgetPeak(pid int) error {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		return fmt.Errorf("peak of the memory of process %d: %w", pid, err)
	}
	return nil
}
