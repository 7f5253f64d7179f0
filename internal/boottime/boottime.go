// Package boottime reads a clock that goes on while the machine is suspended and that no setting of the time moves.
//
// Go's own monotonic clock stops while a machine is suspended. A lease does not: its end has to be measured with this clock.
package boottime

import "time"

// Now returns the time that has passed since a fixed moment, such as the start of the machine. The moment is the same for all
// processes of a machine until it is started again, so they can exchange such times. They are of no use on other machines.
//
// It is CLOCK_BOOTTIME on Linux, CLOCK_MONOTONIC_RAW on macOS, which goes on during sleep there, and GetTickCount64 on Windows. On other systems it is the wall
// clock, which may be set.
func Now() time.Duration { return now() }
