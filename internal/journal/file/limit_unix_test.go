//go:build unix

package file_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/journal/file"
)

// limitEnv is the environment variable that makes the test binary append up to a file size limit; its
// value is the root of the store.
const limitEnv = "PARLEY_FILE_LIMIT_TEST"

// TestFileSizeLimit makes the system refuse a write, in another process: the part of the last write
// that fits is removed, and shorter records can still be appended.
func TestFileSizeLimit(t *testing.T) {
	if root := os.Getenv(limitEnv); root != "" {
		if err := appendToTheLimit(root); err != nil {
			t.Fatal(err)
		}
		return
	}
	s := openStore(t, t.TempDir())
	if err := createIn(t, s, "a").Close(); err != nil {
		t.Fatal(err)
	}
	root := strings.TrimSuffix(s.Location("a"), "/sessions/a")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFileSizeLimit$", "-test.v")
	cmd.Env = append(os.Environ(), limitEnv+"="+root)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var head int
	for lines := bufio.NewScanner(strings.NewReader(string(out))); lines.Scan(); {
		_, _ = fmt.Sscanf(lines.Text(), "head %d", &head)
	}
	info, err := os.Stat(journalOf(root, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := count(t, s); n != head || err != nil || head < 3 || info.Size() > fileLimit {
		t.Errorf("Read = %d records, %v, of %d in %d bytes", n, err, head, info.Size())
	}
}

const fileLimit = 100_000 // bytes

func appendToTheLimit(root string) error {
	s, err := file.Open(root, file.Options{})
	if err != nil {
		return err
	}
	j, err := s.Lease(context.Background(), "a")
	if err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: fileLimit, Max: fileLimit}); err != nil {
		return err
	}
	long, short := toolRound(1), toolRound(1)[3:4]
	for err == nil {
		err = j.Append(j.Head(), long)
	}
	if !errors.Is(err, syscall.EFBIG) {
		return err
	}
	if err := j.Append(j.Head(), short); err != nil {
		return err
	}
	if _, err := j.PutBlob(make([]byte, 2*fileLimit)); !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("PutBlob: %w, want EFBIG", err)
	}
	fmt.Println("head", j.Head())
	return errors.Join(j.Close(), s.Close())
}
