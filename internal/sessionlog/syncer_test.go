package sessionlog

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// A lateJournal has its first Sync begin after the lease was given back.
type lateJournal struct {
	journal.Journal // nil: nothing else is called
	first           sync.Once
	asked, released chan struct{}
}

func (j *lateJournal) ID() event.SessionID { return "s" }

func (j *lateJournal) Append(uint64, []event.Record) error { return nil }

func (j *lateJournal) Release() error { return nil }

func (j *lateJournal) Sync() (err error) {
	j.first.Do(func() {
		close(j.asked)
		<-j.released
		err = journal.ErrReleased
	})
	return err
}

// TestSyncAfterRelease: a follower has its record synced while the lease is given back, which syncs it too. The sync that comes too
// late is no failure, after which nothing would be synced until the next Commit.
func TestSyncAfterRelease(t *testing.T) {
	var mu sync.Mutex
	ended := make(chan struct{}, 8)
	j := &lateJournal{asked: make(chan struct{}), released: make(chan struct{})}
	l := Restore(Config{
		Lock: &mu, Log: slog.New(slog.DiscardHandler), Now: time.Now, Apply: func(event.Record) {},
		Unsaved: func(err error) event.Event { return event.Notice{Text: err.Error()} }, Synced: func() { ended <- struct{}{} },
	}, j, true, 0)
	next := func(locked func()) {
		t.Helper()
		mu.Lock()
		locked()
		mu.Unlock()
	}
	got := make(chan uint64)
	records := l.Follow(t.Context(), 1, nil)
	var following sync.WaitGroup
	following.Go(func() {
		for rec, err := range records {
			if err != nil {
				t.Error(err)
				return
			}
			if got <- rec.Seq; rec.Seq == 2 {
				return
			}
		}
	})
	next(func() { l.Append("", event.Notice{Text: "one"}) })
	<-j.asked
	next(l.Release)
	<-got
	close(j.released)
	<-ended // of the late sync
	next(func() { l.leased = true; l.Append("", event.Notice{Text: "two"}) })
	if seq := <-got; seq != 2 {
		t.Errorf("record %d", seq)
	}
	following.Wait()
	<-ended
}

// A failingJournal has its first Sync fail.
type failingJournal struct {
	journal.Journal // nil: nothing else is called
	failed          bool
}

func (j *failingJournal) ID() event.SessionID { return "s" }

func (j *failingJournal) Append(uint64, []event.Record) error { return nil }

func (j *failingJournal) Sync() error {
	if !j.failed {
		j.failed = true
		return errors.New("input/output error")
	}
	return nil
}

// TestAheadBeforeSaved: what is shown ahead of records precedes them, also if a follower reads nothing until they are saved. Else a client
// would be sent the turn of a prompt that was refused.
func TestAheadBeforeSaved(t *testing.T) {
	var mu sync.Mutex
	l := Restore(Config{
		Lock: &mu, Log: slog.New(slog.DiscardHandler), Now: time.Now, Apply: func(event.Record) {},
		Unsaved: func(err error) event.Event { return event.Notice{Text: err.Error()} }, Synced: func() {},
	}, &failingJournal{}, true, 0)
	records := l.Follow(t.Context(), 1, nil)
	mu.Lock()
	if err := l.Commit("t", event.Notice{Text: "one"}); !errors.Is(err, ErrUnsaved) {
		t.Errorf("Commit = %v", err)
	}
	l.ShowAhead(event.Record{Turn: "t", Event: event.TurnEnded{}})
	if err := l.Flush(); err != nil {
		t.Error(err)
	}
	l.ShowAhead(event.Record{Turn: "t", Event: event.TurnEnded{}}) // nothing waits
	mu.Unlock()
	var got []string
	for rec, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, fmt.Sprint(rec.Seq, " ", rec.Event.Kind())); rec.Seq == 2 {
			break
		}
	}
	want := []string{"0 notice", "0 turn_ended", "1 notice", "2 notice"}
	if !slices.Equal(got, want) {
		t.Errorf("the follower receives %q, want %q", got, want)
	}
}
