//go:build unix && !linux

package wire

import "golang.org/x/sys/unix"

// replaceFD makes the descriptor to refer to the same open file as from.
func replaceFD(from, to int) error { return unix.Dup2(from, to) }
