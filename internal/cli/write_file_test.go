//go:build unix

package cli

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestWriteFile: a device or a pipe is written to, not replaced by a file; an error leaves what was there.
func TestWriteFile(t *testing.T) {
	hello := func(w io.Writer) error {
		_, err := io.WriteString(w, "hello")
		return err
	}
	folder := t.TempDir()
	null := filepath.Join(folder, "null")
	if err := os.Symlink(os.DevNull, null); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(null, hello); err != nil {
		t.Error(err)
	}
	if target, err := os.Readlink(null); err != nil || target != os.DevNull {
		t.Errorf("a device was replaced: %q, %v", target, err)
	}

	pipe := filepath.Join(folder, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(pipe, hello); err == nil {
		t.Error("a pipe without a reader was written to")
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := WriteFile(pipe, hello); err != nil {
		t.Error(err)
	}
	if got, err := io.ReadAll(reader); string(got) != "hello" || err != nil {
		t.Errorf("the pipe has %q, %v", got, err)
	}

	file := filepath.Join(folder, "file")
	if err := WriteFile(file, hello); err != nil {
		t.Error(err)
	}
	if err := WriteFile(file, func(io.Writer) error { return io.ErrUnexpectedEOF }); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	if got, err := os.ReadFile(file); string(got) != "hello" || err != nil {
		t.Errorf("the file has %q, %v", got, err)
	}
}
