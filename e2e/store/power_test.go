//go:build linux

package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestPowerCut ends the power of the only server while a writer appends: its disk is an image of a file system,
// which is copied in the state that it has then. Nothing that was acknowledged may be missing in the copy.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	image, folder := filepath.Join(dir, "image"), filepath.Join(dir, "disk")
	makeImage(t, image)
	mountImage(t, image, folder)
	p := newPlace(t, 1, filepath.Join(folder, "data"))
	w := p.writer(t, "writer", nil)
	const session = "power"
	w.must(command{Do: opCreate, Session: session})
	w.write(session, 1)
	var last int
	for range 2000 {
		w.send(command{Do: opAppend, Session: session, Count: 1, Size: 300})
		last = w.send(command{Do: opSync, Session: session})
	}
	elapse(t, time.Second)
	p.servers[0].Kill()
	cut := filepath.Join(dir, "cut")
	execute(t, "cp", "--sparse=always", image, cut)
	if err := unix.Unmount(folder, 0); err != nil {
		t.Fatal(err)
	}
	mountImage(t, cut, folder)
	p.servers[0].Restart(t)
	w.ended(last)
	w.must(command{Do: opRead, Session: session})
	p.count(p.checkSession(t, checker{late: true}, session), 0)
	p.report(t)
}

// makeImage makes an image of a file system.
func makeImage(t *testing.T, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount the image of a disk")
	}
	if _, err := exec.LookPath("mkfs.ext4"); err != nil {
		t.Skip("mkfs.ext4 is not installed")
	}
	f, err := os.Create(path)
	if err == nil {
		err = f.Truncate(256 << 20)
		_ = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	execute(t, "mkfs.ext4", "-q", path)
}

// mountImage mounts an image until the test ends.
func mountImage(t *testing.T, image, folder string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "mount", "-o", "loop", image, folder).CombinedOutput(); err != nil {
		t.Skipf("no image of a disk can be mounted here: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = unix.Unmount(folder, unix.MNT_DETACH) })
}

func execute(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}
