//go:build unix

package sandbox

import (
	"io"
	"testing"
	"time"
)

// stop copies what the pipes still contain, up to the capacity of a pipe.
func TestStopCopiesPipeContents(t *testing.T) {
	text, to := io.Pipe() // its Write waits until text is read
	o, files, err := openOutput(to, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(files)
	o.copy()
	write := func(s string) {
		if _, err := files[1].WriteString(s); err != nil {
			t.Fatal(err)
		}
	}
	read := func(want string) {
		t.Helper()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(text, got); err != nil || string(got) != want {
			t.Fatalf("%q, %v, want %q", got, err, want)
		}
	}
	write("one")
	read("o") // the copying goroutine is in Write now
	write("two")
	if err := o.pipes[0].from.SetReadDeadline(time.Unix(1, 0)); err != nil { // as stop does
		t.Fatal(err)
	}
	read("netwo")
	o.stop()
}
