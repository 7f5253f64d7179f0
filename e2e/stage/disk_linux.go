package stage

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// LimitFiles lets a process write no file beyond a size, in bytes.
func LimitFiles(t testing.TB, pid int, size uint64) {
	t.Helper()
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: unix.RLIM_INFINITY}, nil); err != nil {
		t.Fatal(err)
	}
}

// MountSmall makes dir a file system of 4 MiB. Only root can; others skip.
func MountSmall(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("no small file system here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// FillSmall takes all room of what MountSmall made, but for what is left in the last page of
// each file: 4 KiB at most. FreeSmall gives it back.
func FillSmall(t testing.TB, dir string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, filler), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	piece := make([]byte, 64<<10)
	for range 64 << 20 / len(piece) {
		if _, err = f.Write(piece); err != nil {
			break
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
}

// FreeSmall undoes FillSmall.
func FreeSmall(t testing.TB, dir string) {
	t.Helper()
	// A process that is about to be started by another test may hold the file for a moment.
	if err := os.Truncate(filepath.Join(dir, filler), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, filler)); err != nil {
		t.Fatal(err)
	}
}

const filler = "filler"

// MakeReadOnly takes away the right to write to dir, which is not there yet; from root, too.
func MakeReadOnly(t testing.TB, dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		if err := os.Mkdir(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		return
	}
	MountSmall(t, dir)
	RemountReadOnly(t, dir)
}

// RemountReadOnly lets nothing be written any more to what MountSmall made.
func RemountReadOnly(t testing.TB, dir string) {
	t.Helper()
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
}
