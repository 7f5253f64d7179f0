package boottime

import (
	"time"

	"golang.org/x/sys/unix"
)

func now() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil { // Linux has it since 2.6.39; an emulation may lack it
		_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	}
	return time.Duration(t.Nano())
}
