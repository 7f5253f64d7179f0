package stage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// packagesLimit is how long npm may take; it took 8 s.
const packagesLimit = 5 * time.Minute

// installation is locked while npm runs, so that parallel tests do not install the same packages.
var installation sync.Mutex

// NodePackages returns a folder with node_modules as the lock file of the folder dir describes them, installed once per machine.
// With -short, and without npm, the test is skipped.
func NodePackages(t *testing.T, dir string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs programs of others")
	}
	installation.Lock()
	defer installation.Unlock()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not installed")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	cache = filepath.Join(cache, "parley-e2e")
	sum := sha256.New()
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(text)
	}
	done := filepath.Join(cache, hex.EncodeToString(sum.Sum(nil)[:8]))
	if _, err := os.Stat(done); err == nil {
		return done
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	making, err := os.MkdirTemp(cache, "making-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(making)
	for _, name := range []string{"package.json", "package-lock.json", "none", "natives"} {
		CopyTree(t, filepath.Join(dir, name), filepath.Join(making, name))
	}
	ctx, cancel := context.WithTimeout(t.Context(), packagesLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir, cmd.WaitDelay = making, time.Second
	begun := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("npm cannot install its packages: %v\n%s", err, out)
	}
	t.Logf("npm took %v", time.Since(begun).Round(time.Millisecond))
	if err := os.Rename(making, done); err != nil { // another may have been faster
		if _, missing := os.Stat(done); missing != nil {
			t.Fatal(err)
		}
	}
	return done
}

// CopyTree copies a file or a folder; what does not exist is left out.
func CopyTree(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	switch {
	case os.IsNotExist(err):
		return
	case err != nil:
	case info.IsDir():
		err = os.CopyFS(to, os.DirFS(from))
	default:
		var text []byte
		if text, err = os.ReadFile(from); err == nil {
			err = os.WriteFile(to, text, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
