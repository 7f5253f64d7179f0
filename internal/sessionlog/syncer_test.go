package sessionlog

import (
	"log/slog"
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
