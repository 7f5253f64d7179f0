//go:build unix && !linux

package wire

import "golang.org/x/sys/unix"

// replaceFD makes to a second name of the open file from.
func replaceFD(from, to int) error { return unix.Dup2(from, to) }
