package regular

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// createFiles creates one file of each kind and returns their folder.
func createFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, err := range []error{
		os.WriteFile(filepath.Join(dir, "file"), []byte("12345"), 0o600),
		os.WriteFile(filepath.Join(dir, "empty"), nil, 0o600),
		os.Mkdir(filepath.Join(dir, "folder"), 0o700),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
		os.WriteFile(filepath.Join(dir, "sparse"), nil, 0o600),
		os.Truncate(filepath.Join(dir, "sparse"), 40<<30),
		os.Symlink("file", filepath.Join(dir, "link")),
		os.Symlink("pipe", filepath.Join(dir, "link-to-pipe")),
		os.Symlink("/dev/zero", filepath.Join(dir, "link-to-device")),
		os.Symlink("/etc/passwd", filepath.Join(dir, "link-out")),
		os.Symlink("loop", filepath.Join(dir, "loop")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	return dir
}

func TestReadFile(t *testing.T) {
	dir := createFiles(t)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	follow := func(name string) ([]byte, error) { return ReadFile(filepath.Join(dir, name), 5) }
	noFollow := func(name string) ([]byte, error) { return ReadFileNoFollow(filepath.Join(dir, name), 5) }
	in := func(name string) ([]byte, error) { return ReadFileIn(root, name, 5) }
	tooLarge := &TooLargeError{}
	for _, tt := range []struct {
		how  string
		read func(string) ([]byte, error)
		name string
		want any // the content, or the error
	}{
		{"follow", follow, "file", "12345"},
		{"follow", follow, "empty", ""},
		{"follow", follow, "link", "12345"},
		{"follow", follow, "folder", ErrNotRegular},
		{"follow", follow, "pipe", ErrNotRegular},
		{"follow", follow, "socket", ErrNotRegular},
		{"follow", follow, "link-to-pipe", ErrNotRegular},
		{"follow", follow, "link-to-device", ErrNotRegular},
		{"follow", follow, "sparse", tooLarge},
		{"follow", follow, "missing", fs.ErrNotExist},
		{"follow", follow, "loop", syscall.ELOOP},
		{"noFollow", noFollow, "file", "12345"},
		{"noFollow", noFollow, "link", ErrSymlink},
		{"noFollow", noFollow, "link-to-pipe", ErrSymlink},
		{"noFollow", noFollow, "loop", ErrSymlink},
		{"noFollow", noFollow, "pipe", ErrNotRegular},
		{"noFollow", noFollow, "sparse", tooLarge},
		{"in", in, "file", "12345"},
		{"in", in, "./folder/../file", "12345"},
		{"in", in, "link", "12345"},
		{"in", in, "pipe", ErrNotRegular},
		{"in", in, "link-to-pipe", ErrNotRegular},
		{"in", in, "sparse", tooLarge},
		{"in", in, "missing", fs.ErrNotExist},
	} {
		t.Run(tt.how+" "+strings.ReplaceAll(tt.name, "/", "-"), func(t *testing.T) {
			data, err := tt.read(tt.name)
			switch want := tt.want.(type) {
			case string:
				if err != nil || string(data) != want {
					t.Errorf("got %q, %v; want %q", data, err, want)
				}
			case *TooLargeError:
				if !errors.As(err, &want) || want.Limit != 5 {
					t.Errorf("got %v, want a TooLargeError of 5 bytes", err)
				}
			case error:
				if !errors.Is(err, want) {
					t.Errorf("got %v, want %v", err, want)
				}
			}
		})
	}
	for _, name := range []string{"link-out", "../" + filepath.Base(dir) + "/file", "/etc/passwd"} {
		if data, err := in(name); err == nil {
			t.Errorf("%s leads out of the folder and was read: %q", name, data)
		}
	}
}

// The kernel reports no size for files of /proc, which are regular and longer.
func TestReadFileWithoutSize(t *testing.T) {
	if data, err := ReadFile("/proc/self/status", 1<<20); err == nil && !strings.HasPrefix(string(data), "Name:") {
		t.Errorf("got %q", data)
	}
	if _, err := ReadFile("/proc/self/status", 10); err == nil {
		t.Error("a file of more than 10 bytes was read")
	}
}
