package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

// TestDiskFix: an error of a disk names what the user can do, and no other error does.
func TestDiskFix(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "write", Path: "/h/s/x", Err: syscall.ENOSPC}, "is full"},
		{&fs.PathError{Op: "write", Path: "/elsewhere", Err: syscall.ENOSPC}, ""},
		{fmt.Errorf("open: %w", errors.Join(&fs.PathError{Path: "/h/s", Err: syscall.EDQUOT}, errors.New("close"))), "quota"},
		{&fs.PathError{Path: "/h", Err: syscall.EROFS}, "read-only"},
		{&fs.PathError{Path: "/h/s", Err: fs.ErrPermission}, ""},
		{errors.New("no space left on device"), ""},
	} {
		if got := DiskFix(c.err, "/h/s"); (got != "") != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%v: %q", c.err, got)
		}
	}
}
