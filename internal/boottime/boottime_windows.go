package boottime

import (
	"time"

	"golang.org/x/sys/windows"
)

// now is GetTickCount64, which goes on during sleep. Its resolution is 10 to 16 ms.
func now() time.Duration { return windows.DurationSinceBoot() }
