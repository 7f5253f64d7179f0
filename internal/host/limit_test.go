package host

import (
	"context"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestLimited: what a client sends beyond its rate arrives later, and all of it does.
func TestLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &Host{o: Options{BytesPerSecond: 1000}}
		text := strings.Repeat("line\n", 1000)
		began := time.Now()
		got, err := io.ReadAll(h.Limited(t.Context(), strings.NewReader(text)))
		if err != nil || string(got) != text {
			t.Errorf("%d bytes of %d, %v", len(got), len(text), err)
		}
		if passed := time.Since(began).Round(time.Millisecond); passed != 4*time.Second { // the first second's are free
			t.Errorf("5,000 bytes took %v", passed)
		}

		ctx, cancel := context.WithCancel(t.Context())
		r := h.Limited(ctx, strings.NewReader(text))
		cancel()
		if got, err := io.ReadAll(r); err != nil || len(got) > 1000 {
			t.Errorf("after the end: %d bytes, %v", len(got), err)
		}
	})
}

// TestUnlimited: without a rate nothing changes, and a file stays one whose end can be noticed.
func TestUnlimited(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	if r := new(Host).Limited(t.Context(), in); r != io.Reader(in) {
		t.Errorf("%T", r)
	}
	h := &Host{o: Options{BytesPerSecond: 1000}}
	if _, ok := h.Limited(t.Context(), in).(syscall.Conn); !ok {
		t.Error("the limited file has no descriptor")
	}
}
