package wire

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLogWritesAll(t *testing.T) {
	var out bytes.Buffer
	l := NewLog(&out, 100)
	log := slog.New(slog.NewTextHandler(l, nil))
	for n := range 50 {
		log.Info("line", "n", n)
	}
	if !l.Close(time.Minute) || l.Dropped() != 0 {
		t.Fatalf("not flushed, %d dropped", l.Dropped())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 50 {
		t.Fatalf("%d lines, want 50", len(lines))
	}
	for n, line := range lines {
		if want := fmt.Sprintf("msg=line n=%d", n); !strings.HasSuffix(line, want) {
			t.Errorf("line %d is %q", n, line)
		}
	}
}

func TestLogDropsWhenStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &stuck{next: make(chan struct{})}
		l := NewLog(out, 2)
		fmt.Fprint(l, "0\n")
		synctest.Wait() // the goroutine holds line 0 and is stuck with it
		for n := 1; n < 6; n++ {
			fmt.Fprintf(l, "%d\n", n)
		}
		if got := l.Dropped(); got != 3 {
			t.Errorf("%d dropped, want 3", got)
		}
		start := time.Now()
		if l.Close(time.Second) {
			t.Error("flushed, while the reader is stuck")
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("Close took %v, want its limit", took)
		}
		fmt.Fprint(l, "late\n")
		close(out.next)
		if !l.Close(time.Second) {
			t.Error("not flushed, though the reader reads again")
		}
		const note = " log lines dropped: stderr was not read\n"
		if diff := cmp.Diff("0\n1\n2\n4"+note, out.out.String()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if got := l.Dropped(); got != 4 {
			t.Errorf("%d dropped, want 4", got)
		}
	})
}

// The number of dropped lines is written in their place.
func TestLogNotesGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &stuck{next: make(chan struct{})}
		l := NewLog(out, 1)
		fmt.Fprint(l, "0\n")
		synctest.Wait()
		fmt.Fprint(l, "1\n")
		fmt.Fprint(l, "lost\n")
		out.next <- struct{}{}
		synctest.Wait() // line 0 is out, line 1 is in the writer's hand, the queue is empty
		fmt.Fprint(l, "3\n")
		close(out.next)
		l.Close(time.Second)
		if diff := cmp.Diff("0\n1\n1 log lines dropped: stderr was not read\n3\n", out.out.String()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

// The caller may change the bytes as soon as Write returns: slog reuses them.
func TestLogCopies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &stuck{next: make(chan struct{})}
		l := NewLog(out, 2)
		line := []byte("abc\n")
		l.Write(line)
		copy(line, "xyz")
		close(out.next)
		l.Close(time.Second)
		if got := out.out.String(); got != "abc\n" {
			t.Errorf("got %q", got)
		}
	})
}

func TestLogSurvivesGoneReader(t *testing.T) {
	in, out := io.Pipe()
	in.Close()
	l := NewLog(out, 2)
	fmt.Fprint(l, "a\n")
	fmt.Fprint(l, "b\n")
	if !l.Close(time.Minute) {
		t.Error("stuck on a reader that is gone")
	}
}
