//go:build unix && !linux

package sandbox

import (
	"iter"
	"syscall"
)

// Without /proc, processes that left their command's group are not found.

func killStrays([]byte, iter.Seq[int]) {}

func signalStrays([]byte, int, syscall.Signal) {}

func signalMembers(int, syscall.Signal) {}

func everywhere(func(int) bool) {}

func behind(int) iter.Seq[int] { return everywhere }
