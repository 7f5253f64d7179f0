package sessionlog

import (
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/event"
)

// followed is a Log with a number of followers, and what they receive.
type followed struct {
	mu   sync.Mutex
	log  *Log
	done sync.WaitGroup
	got  [][]string // texts of deltas, and the codes of notices, of each follower
}

func newFollowed(t *testing.T, n int) *followed {
	f := &followed{got: make([][]string, n)}
	f.log = New(Config{Now: time.Now, Log: slog.New(slog.DiscardHandler), Lock: &f.mu, Apply: func(event.Record) {}})
	for i := range n {
		records := f.log.Follow(t.Context(), 1, nil, event.KindTextDelta)
		f.done.Go(func() {
			for rec, err := range records {
				switch e := rec.Event.(type) {
				case event.TextDelta:
					f.got[i] = append(f.got[i], e.Text)
				case event.Notice:
					f.got[i] = append(f.got[i], e.Code)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	return f
}

func (f *followed) show(e event.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log.Show("", e)
}

func (f *followed) close(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	if err := f.log.Close(); err != nil {
		t.Error(err)
	}
	f.mu.Unlock()
	f.done.Wait()
}

// TestCrowd: many followers get the first delta at once and those that come soon after it together, all the same; any
// other record, and the end, come after the deltas before them and wait for nothing.
func TestCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFollowed(t, 1000)
		for ms := 0; ms < 25; ms += 3 {
			f.show(text(fmt.Sprint(ms, " ")))
			time.Sleep(3 * time.Millisecond)
		}
		synctest.Wait()
		if got := fmt.Sprint(f.got[0]); got != "[0  3 6 9  12 15 18 ]" {
			t.Errorf("in time: %q", got)
		}
		f.mu.Lock()
		f.log.publish([]event.Record{{Seq: 1, Event: event.Notice{Code: "now"}}})
		f.mu.Unlock()
		f.show(text("a"))
		f.show(event.TextDelta{Message: "another", Text: "b"})
		f.close(t)
		want := "[0  3 6 9  12 15 18  21 24  now a b]"
		for i, got := range f.got {
			if fmt.Sprint(got) != want {
				t.Fatalf("follower %d: %q, want %q", i, fmt.Sprint(got), want)
			}
		}
	})
}

// TestFewFollowers: few followers get each delta as it comes.
func TestFewFollowers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFollowed(t, crowdFrom-1)
		for _, piece := range []string{"a", "b", "c"} {
			f.show(text(piece))
		}
		synctest.Wait()
		if got := fmt.Sprint(f.got); got != fmt.Sprint(slicesOf(crowdFrom-1, []string{"a", "b", "c"})) {
			t.Errorf("%s", got)
		}
		f.close(t)
	})
}

func slicesOf(n int, one []string) (all [][]string) {
	for range n {
		all = append(all, one)
	}
	return all
}

func text(piece string) event.Event { return delta(piece).Event }
