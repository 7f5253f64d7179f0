//go:build unix && !linux

package sandbox

import (
	"iter"
	"syscall"
)

// Without /proc, processes that left their command's group cannot be found.

func leftPrograms([]byte, int) string { return "" }

func killOrphans([]byte, iter.Seq[int]) {}

func signalOrphans([]byte, int, syscall.Signal) {}

func signalMembers(int, syscall.Signal) {}

func allProcesses(func(int) bool) {}

func startedAfter(int) iter.Seq[int] { return allProcesses }
