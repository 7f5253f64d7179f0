package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// writes records every write.
type writes struct{ got []string }

func (w *writes) Write(p []byte) (int, error) {
	w.got = append(w.got, string(p))
	return len(p), nil
}

// A short line is one write, a long one several.
func TestWriterPieces(t *testing.T) {
	var out writes
	w := NewWriter(&out)
	part := strings.Repeat("x", maxWrite)
	huge := strings.Repeat(part, 2*maxIdleBuffer/maxWrite)
	for _, err := range []error{
		w.WriteLine([]byte("a")),
		w.WriteLine([]byte(huge)),
		w.WriteLine([]byte("d")),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	want := append([]string{"a\n"}, slices.Repeat([]string{part}, 2*maxIdleBuffer/maxWrite)...)
	if diff := cmp.Diff(append(want, "\n", "d\n"), out.got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if held := cap(*writeBuffers.Get().(*[]byte)); held > maxIdleBuffer {
		t.Errorf("still holds %d bytes", held)
	}
}

func TestWriterRefusesBrokenLines(t *testing.T) {
	var out writes
	w := NewWriter(&out)
	for name, err := range map[string]error{
		"LF inside": w.WriteLine([]byte("a\nb")),
		"LF at end": w.WriteLine([]byte("a\n")),
		"LF in one": w.WriteLines([]byte("a"), []byte("b\n")),
	} {
		if err == nil || errors.Is(err, ErrOutputClosed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := w.WriteLine([]byte("ok")); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"ok\n"}, out.got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// WriteLine does not change the caller's slice, including its spare capacity.
func TestWriterLeavesLineAlone(t *testing.T) {
	buf := []byte("abc")
	if err := NewWriter(io.Discard).WriteLine(buf[:1]); err != nil || string(buf) != "abc" {
		t.Errorf("%q, %v", buf, err)
	}
}

// failing accepts some writes completely and then fails, accepting half of the one that fails.
type failing struct {
	good  int
	err   error
	calls int
}

func (f *failing) Write(p []byte) (int, error) {
	if f.calls++; f.calls > f.good {
		return len(p) / 2, f.err
	}
	return len(p), nil
}

func TestWriterFirstFailureIsFinal(t *testing.T) {
	for name, cause := range map[string]error{"error": errors.New("disk on fire"), "short write": nil} {
		t.Run(name, func(t *testing.T) {
			out := &failing{good: 1, err: cause}
			w := NewWriter(out)
			if err := w.WriteLine([]byte("one")); err != nil {
				t.Fatal(err)
			}
			select {
			case <-w.Closed():
				t.Fatal("gone before any failure")
			default:
			}
			if cause == nil {
				cause = io.ErrShortWrite
			}
			for _, err := range []error{w.WriteLine([]byte("two")), w.WriteLine([]byte("three"))} {
				if !errors.Is(err, ErrOutputClosed) || !errors.Is(err, cause) {
					t.Errorf("got %v, want ErrOutputClosed and %v", err, cause)
				}
			}
			<-w.Closed()
			if out.calls != 2 {
				t.Errorf("%d writes, want none after the failed one", out.calls)
			}
		})
	}
}

// A write that blocks on a full pipe fails when the reader closes it.
func TestWriterBrokenPipe(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	w := NewWriter(out)
	result := make(chan error)
	go func() { result <- w.WriteLine(make([]byte, 1<<20)) }()
	if _, err := io.ReadFull(in, make([]byte, 4096)); err != nil { // it is writing now, and cannot end
		t.Fatal(err)
	}
	in.Close()
	if err := <-result; !errors.Is(err, ErrOutputClosed) || !errors.Is(err, syscall.EPIPE) {
		t.Errorf("got %v, want ErrOutputClosed and EPIPE", err)
	}
	<-w.Closed()
}

func TestWriterSlowReader(t *testing.T) {
	const writers, lines = 4, 200
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w := NewWriter(out)
	var group sync.WaitGroup
	for id := range writers {
		group.Go(func() {
			for n := range lines {
				text := fmt.Sprintf("%d %d %s", id, n, strings.Repeat("x", n*20))
				if err := w.WriteLine([]byte(text)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() { group.Wait(); out.Close() }()
	var next [writers]int
	r := NewReader(&sips{in}, 1<<20)
	for {
		line, err := r.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		var id, n int
		var text string
		fmt.Sscanf(string(line), "%d %d %s", &id, &n, &text)
		if n != next[id] || text != strings.Repeat("x", n*20) {
			t.Fatalf("writer %d, want its line %d, got %.60q", id, next[id], line)
		}
		next[id]++
	}
	if next != [writers]int{lines, lines, lines, lines} {
		t.Errorf("lines per writer: %v", next)
	}
}

// sips reads a few bytes at a time.
type sips struct{ io.Reader }

func (p *sips) Read(buf []byte) (int, error) { return p.Reader.Read(buf[:min(len(buf), 37)]) }

// stuck lets writes through one by one, on request.
type stuck struct {
	next chan struct{}
	out  bytes.Buffer
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.next
	return s.out.Write(p)
}

// While one line blocks the others wait: none is lost or joined.
func TestWriterStuckReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &stuck{next: make(chan struct{})}
		w := NewWriter(out)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() { w.WriteLine([]byte("line")) })
		}
		for range 4 {
			out.next <- struct{}{}
		}
		group.Wait()
		if got, want := out.out.String(), strings.Repeat("line\n", 4); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
