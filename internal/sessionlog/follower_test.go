package sessionlog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley.dev/parley/internal/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func delta(text string) event.Record {
	return event.Record{Event: event.TextDelta{Message: "m-1", Text: text}}
}

// drain reads everything that a finished follower holds.
func drain(t testing.TB, f *follower) (records []event.Record) {
	t.Helper()
	for {
		rec, ok, err := f.next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return records
		}
		records = append(records, rec)
	}
}

// TestSlowFollower is rule 8: nothing is lost, the order is kept, memory is bounded, for
// deltas that merge, deltas that cannot, and records of any size.
func TestSlowFollower(t *testing.T) {
	f := newFollower([]event.Kind{event.KindTextDelta, event.KindToolOutput})
	var want strings.Builder
	const rounds = 120
	piece := strings.Repeat("é", 500)
	for i := range rounds {
		for range 100 {
			f.push(delta(piece))
			want.WriteString(piece)
		}
		f.push(event.Record{Seq: uint64(i + 1), Event: event.Notice{Code: fmt.Sprint(i)}})
		f.push(event.Record{Event: event.StatusChanged{}}) // not asked for
	}
	f.finish()
	f.mu.Lock()
	held := f.bytes
	f.mu.Unlock()
	if held > queueCap {
		t.Errorf("%d bytes in memory, cap %d", held, queueCap)
	}
	var got strings.Builder
	next := uint64(1)
	for _, rec := range drain(t, f) {
		switch e := rec.Event.(type) {
		case event.TextDelta:
			got.WriteString(e.Text)
		case event.Notice:
			if rec.Seq != next {
				t.Fatalf("record %d, want %d", rec.Seq, next)
			}
			next++
		default:
			t.Fatalf("unexpected %s", e.Kind())
		}
	}
	if got.String() != want.String() || next != rounds+1 {
		t.Errorf("%d bytes of %d, %d records of %d", got.Len(), want.Len(), next-1, rounds)
	}
}

func TestFollowerThatKeepsUpSeesEachDelta(t *testing.T) {
	f := newFollower([]event.Kind{event.KindTextDelta})
	for range mergeFrom {
		f.push(delta("x"))
	}
	f.finish()
	if n := len(drain(t, f)); n != mergeFrom {
		t.Errorf("%d deltas, want %d", n, mergeFrom)
	}
}

// TestSharedForm: a delta that others merged into is not the one that other followers read, and shares nothing with them.
func TestSharedForm(t *testing.T) {
	f := newFollower([]event.Kind{event.KindTextDelta})
	for range mergeFrom + 1 {
		rec := delta("x")
		rec.Form = new(event.Form)
		f.push(rec)
	}
	f.finish()
	got := drain(t, f)
	if len(got) != mergeFrom || got[0].Form == nil || got[mergeFrom-1].Form != nil {
		t.Errorf("%d records, the first with %v, the last with %v", len(got), got[0].Form, got[len(got)-1].Form)
	}
}

// TestSpoolMergesDeltas: the deltas of one answer that wait on disk are as few records as in memory, between the records that came before and after them.
func TestSpoolMergesDeltas(t *testing.T) {
	s, err := newSpool()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	put := func(rec event.Record) {
		t.Helper()
		if err := s.put(rec); err != nil {
			t.Fatal(err)
		}
	}
	notice := func(seq uint64) event.Record { return event.Record{Seq: seq, Event: event.Notice{Code: "n"}} }
	put(notice(1))
	for range 1000 {
		put(delta("x"))
	}
	put(notice(2))
	put(delta("y"))
	put(delta("z"))
	var got []string
	for empty := false; !empty; {
		var records []event.Record
		if records, empty, err = s.take(1); err != nil || len(records) == 0 {
			t.Fatalf("%d records; %v", len(records), err)
		}
		for _, rec := range records {
			if d, ok := rec.Event.(event.TextDelta); ok {
				got = append(got, d.Text)
			} else {
				got = append(got, fmt.Sprint(rec.Seq))
			}
		}
	}
	if want := []string{"1", strings.Repeat("x", 1000), "2", "yz"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
