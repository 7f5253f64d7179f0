package stage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// cgroups is where the control groups of the system are.
const cgroups = "/sys/fs/cgroup"

// SlowDisk limits what a process writes to the disk of a folder, in bytes a second, until undo is called or the test
// ends. It needs root and a control group for disks (version 2: io, 1: blkio); else the test is skipped.
func SlowDisk(t testing.TB, pid int, folder string, limit int) (undo func()) {
	t.Helper()
	disk, err := diskOf(folder)
	if err != nil {
		t.Skipf("no disk can be made slow here: %v", err)
	}
	former := filepath.Join(cgroups, "blkio")
	group, file, rule := filepath.Join(former, "parley-"+strconv.Itoa(pid)), "blkio.throttle.write_bps_device", fmt.Sprintf("%s %d", disk, limit)
	if _, err := os.Stat(filepath.Join(cgroups, "cgroup.controllers")); err == nil {
		former = cgroups
		group, file, rule = filepath.Join(cgroups, "parley-"+strconv.Itoa(pid)), "io.max", fmt.Sprintf("%s wbps=%d", disk, limit)
		_ = os.WriteFile(filepath.Join(cgroups, "cgroup.subtree_control"), []byte("+io"), 0) // else the rule below fails
	}
	if err := os.Mkdir(group, 0o700); err != nil {
		t.Skipf("no disk can be made slow here: %v", err)
	}
	done := false
	undo = func() {
		if done {
			return
		}
		done = true
		_ = writeExisting(filepath.Join(former, "cgroup.procs"), strconv.Itoa(pid)) // the process may have ended
		if err := os.Remove(group); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(undo)
	if err := errors.Join(writeExisting(filepath.Join(group, file), rule), writeExisting(filepath.Join(group, "cgroup.procs"), strconv.Itoa(pid))); err != nil {
		t.Skipf("no disk can be made slow here: %v", err)
	}
	return undo
}

// writeExisting writes to a file that the kernel provides.
func writeExisting(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// diskOf returns the numbers of the disk that a folder is on, MAJOR:MINOR. Of a partition they are those of the whole.
func diskOf(folder string) (string, error) {
	var stat unix.Stat_t
	if err := unix.Stat(folder, &stat); err != nil {
		return "", err
	}
	numbers := fmt.Sprintf("%d:%d", unix.Major(stat.Dev), unix.Minor(stat.Dev))
	device, err := filepath.EvalSymlinks(filepath.Join("/sys/dev/block", numbers))
	if err != nil {
		return "", err // a file system in memory, or one over others
	}
	if _, err := os.Stat(filepath.Join(device, "partition")); err == nil {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(device), "dev"))
		return strings.TrimSpace(string(text)), err
	}
	return numbers, nil
}
