package wire

import "golang.org/x/sys/unix"

// replaceFD makes to a second name of the open file from. Some Linux ports have no dup2.
func replaceFD(from, to int) error { return unix.Dup3(from, to, 0) }
