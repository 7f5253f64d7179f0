//go:build unix

package verify

import "golang.org/x/sys/unix"

// signalNumber returns the number of a signal.
func signalNumber(name string) int { return int(unix.SignalNum(name)) }
