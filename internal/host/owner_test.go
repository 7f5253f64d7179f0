package host

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// TestRunFolder: a folder that other users can use is no folder of a host.
func TestRunFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders have no modes")
	}
	home := t.TempDir()
	folder := filepath.Join(home, "run")
	for mode, want := range map[os.FileMode]bool{0o700: true, 0o750: false, 0o777: false} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(folder, mode); err != nil {
			t.Fatal(err)
		}
		h, err := Open(Options{Home: home, Drain: time.Second, Log: slog.New(slog.DiscardHandler)})
		if (err == nil) != want {
			t.Errorf("%#o: %v", mode, err)
		}
		if err == nil {
			_ = h.lock.Unlock()
		}
	}
}
