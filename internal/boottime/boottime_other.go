//go:build !linux && !darwin

package boottime

import "time"

func now() time.Duration { return time.Duration(time.Now().UnixNano()) }
