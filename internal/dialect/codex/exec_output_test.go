package codex

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect"
)

// TestProgramOutput: what a program writes is sent after the answers to requests that may have caused it, in its order, and is not held
// without limit.
func TestProgramOutput(t *testing.T) {
	var sent bytes.Buffer
	out := dialect.OpenOutput(strings.NewReader(""), &sent, outBound, slog.New(slog.NewTextHandler(io.Discard, nil)))
	o := programOutput{out: out}
	o.put([]byte("1"))
	first, second := o.begin(), o.begin()
	o.put([]byte("3"))
	out.Post([]byte("2"))
	first()
	o.put([]byte("4"))
	second()
	o.put([]byte("5"))
	third := o.begin()
	o.put([]byte("6"))
	long := strings.Repeat("7", heldOutput)
	o.put([]byte(long)) // is too much
	out.Post([]byte("8"))
	third()
	out.Close()
	if got, want := strings.Fields(sent.String()), []string{"1", "2", "3", "4", "5", "6", long, "8"}; strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%d lines, %.40q", len(got), got)
	}
}
