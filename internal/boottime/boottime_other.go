//go:build !linux && !darwin && !windows

package boottime

import "time"

func now() time.Duration { return time.Duration(time.Now().UnixNano()) }
