package journaltest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

func testCreate(t *testing.T, env *testEnv) {
	s := env.open(t)
	first := []event.Record{created("a"), note(1), note(2)}
	j, err := s.Create(t.Context(), "a", first)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	defer closeOrFail(t, j)
	if j.ID() != "a" || j.Head() != 3 {
		t.Errorf("ID, Head = %q, %d, want a, 3", j.ID(), j.Head())
	}
	wantRecords(t, env.open(t), "a", numbered(0, first))
	for _, store := range []journal.Store{s, env.open(t)} {
		if _, err := store.Create(t.Context(), "a", first); !errors.Is(err, journal.ErrExists) {
			t.Errorf("second Create: %v, want ErrExists", err)
		}
	}
	closeOrFail(t, j)
	if _, err := s.Create(t.Context(), "a", first); !errors.Is(err, journal.ErrExists) {
		t.Errorf("Create after Close: %v, want ErrExists", err)
	}
	wantRecords(t, s, "a", numbered(0, first))
}

func testCreateRefuses(t *testing.T, env *testEnv) {
	s := env.open(t)
	long := event.SessionID(fmt.Sprintf("%0129d", 0))
	for _, id := range []event.SessionID{"", ".", "..", "...", "a/b", "/a", `a\b`, "../a", "a\x00", "a\n", "a\x7f", "\xff", long} {
		if _, err := s.Create(t.Context(), id, []event.Record{created(id)}); err == nil {
			t.Errorf("Create(%q) succeeds", id)
		}
		if _, err := s.Lease(t.Context(), id); !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("Lease(%q): %v, want ErrNotFound", id, err)
		}
		if at := s.Location(id); at != "" {
			t.Errorf("Location(%q) = %q", id, at)
		}
	}
	for name, records := range map[string][]event.Record{
		"no record":             nil,
		"another first record":  {note(1)},
		"another session's":     {created("b")},
		"two first records":     {created("a"), created("a")},
		"transient":             {created("a"), {Event: event.TextDelta{Text: "x"}}},
		"an event that is none": {created("a"), {}},
	} {
		if _, err := s.Create(t.Context(), "a", records); err == nil {
			t.Errorf("Create with %s succeeds", name)
		}
	}
	create(t, s, "a") // nothing of the attempts is in the way
	for _, id := range []event.SessionID{".a", "a b", "ü", "a:b", "con", long[:128]} {
		closeOrFail(t, create(t, s, id))
	}
}

func testRoundTrip(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	want := []event.Record{created("a")}
	for _, r := range unusualRecords() {
		want = append(want, appendAll(t, j, r)...)
	}
	want = append(want, appendAll(t, j, unusualRecords()...)...)
	wantRecords(t, s, "a", want)
	closeOrFail(t, j)
	wantRecords(t, env.open(t), "a", want)

	j = lease(t, s, "a")
	if j.Head() != uint64(len(want)) {
		t.Errorf("Head after Lease = %d, want %d", j.Head(), len(want))
	}
	want = append(want, appendAll(t, j, unusualRecords()...)...)
	wantRecords(t, env.open(t), "a", want)
}

// testResume checks that Resume passes every record, and releases the lease if the function fails.
func testResume(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	want := append([]event.Record{created("a")}, appendAll(t, j, unusualRecords()...)...)
	closeOrFail(t, j)
	enough := errors.New("enough")
	seen := 0
	if _, err := s.Resume(t.Context(), "a", func(event.Record) error {
		if seen++; seen == 2 {
			return enough
		}
		return nil
	}); !errors.Is(err, enough) || seen != 2 {
		t.Errorf("Resume showed %d records, %v; want 2 and the receiver's error", seen, err)
	}
	var got []event.Record
	j, err := s.Resume(t.Context(), "a", func(rec event.Record) error {
		got = append(got, rec)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Resume shows something else:\n%s", diff)
	}
	want = append(want, appendAll(t, j, notes(1)...)...)
	closeOrFail(t, j)
	wantRecords(t, env.open(t), "a", want)
	if _, err := s.Resume(t.Context(), "b", nil); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("Resume of no session: %v", err)
	}
}

func testReadFrom(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	want := append([]event.Record{created("a")}, appendAll(t, j, notes(9)...)...)
	for _, store := range []journal.Store{s, env.open(t)} {
		for from := range uint64(13) {
			got, err := read(t, store, "a", from)
			if err != nil {
				t.Fatalf("Read from %d: %v", from, err)
			}
			skipped := min(max(int(from), 1)-1, len(want))
			if diff := cmp.Diff(want[skipped:], got); diff != "" && len(got)+skipped != len(want) {
				t.Errorf("Read from %d (-want +got):\n%s", from, diff)
			}
		}
	}
	for range j.Read(t.Context(), 2) {
		break // a caller may end the loop early
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var failure error
	for r, err := range j.Read(ctx, 0) {
		if failure = err; r.Seq == 2 {
			cancel()
		}
	}
	if !errors.Is(failure, context.Canceled) {
		t.Errorf("Read with its context cancelled ends with %v", failure)
	}
}

func testUnknownSession(t *testing.T, env *testEnv) {
	s := env.open(t)
	for range 2 { // before and after there is anything at all
		_, leaseErr := s.Lease(t.Context(), "b")
		_, readErr := read(t, s, "b", 0)
		_, blobErr := s.Blob(t.Context(), "b", fmt.Sprintf("%064d", 0))
		var followErr error
		for _, err := range s.Follow(t.Context(), "b", 0) {
			followErr = err
		}
		for name, err := range map[string]error{
			"Lease": leaseErr, "Read": readErr, "Blob": blobErr, "Follow": followErr, "Remove": s.Remove(t.Context(), "b"),
		} {
			if !errors.Is(err, journal.ErrNotFound) {
				t.Errorf("%s: %v, want ErrNotFound", name, err)
			}
		}
		page, err := s.List(t.Context(), journal.Query{})
		if err != nil || len(page.Sessions) > 0 || page.Next != "" {
			t.Errorf("List = %+v, %v", page, err)
		}
		closeOrFail(t, create(t, s, "a"))
		if err := s.Remove(t.Context(), "a"); err != nil {
			t.Fatalf("Remove: %v", err)
		}
	}
}

func testAppendStale(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	want := append([]event.Record{created("a")}, appendAll(t, j, notes(2)...)...)
	for _, expected := range []uint64{0, 1, 2, 4, 1 << 63} {
		for _, records := range [][]event.Record{nil, notes(1)} {
			if err := j.Append(expected, records); !errors.Is(err, journal.ErrStale) {
				t.Errorf("Append after %d: %v, want ErrStale", expected, err)
			}
		}
	}
	if j.Head() != 3 {
		t.Errorf("Head = %d, want 3", j.Head())
	}
	wantRecords(t, s, "a", want)
	records := []event.Record{{Seq: 77, Event: note(0).Event}}
	want = append(want, event.Record{Seq: 4, Event: note(0).Event})
	appendAll(t, j, records...)
	if records[0].Seq != 77 {
		t.Errorf("Append changes its argument")
	}
	wantRecords(t, s, "a", want)
}

func testAppendAllOrNone(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	for name, bad := range map[string]event.Record{
		"transient":           {Event: event.TextDelta{Text: "x"}},
		"first record again":  created("a"),
		"no event":            {},
		"data not JSON":       {Event: event.Unknown{Name: "x", Data: jsontext.Value(`{"a":`)}},
		"line feed":           {Event: event.Unknown{Name: "x", Data: jsontext.Value("{\n}")}},
		"turn not UTF-8":      {Turn: "\xff", Event: event.Notice{}},
		"input not JSON":      {Event: event.ToolIntended{Input: jsontext.Value(`{"a"`)}},
		"year of five digits": {Time: epoch.AddDate(10000, 0, 0), Event: event.Notice{}},
	} {
		if err := j.Append(1, []event.Record{note(1), bad, note(2)}); err == nil {
			t.Errorf("Append with %s succeeds", name)
		}
		if j.Head() != 1 {
			t.Fatalf("Head after Append with %s = %d", name, j.Head())
		}
	}
	if err := j.Append(1, nil); err != nil {
		t.Errorf("Append of nothing: %v", err)
	}
	want := append([]event.Record{created("a")}, appendAll(t, j, notes(3)...)...)
	wantRecords(t, s, "a", want)
}

func testAppendConcurrently(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	const writers, each = 4, 50
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for done := 0; done < each; {
				err := j.Append(j.Head(), notes(2))
				if err == nil {
					done++
					err = j.Sync()
				}
				if err != nil && !errors.Is(err, journal.ErrStale) {
					t.Errorf("Append: %v", err)
					return
				}
			}
		})
	}
	group.Wait()
	got, err := read(t, env.open(t), "a", 0)
	if err != nil || len(got) != 1+2*writers*each {
		t.Errorf("Read = %d records, %v; want %d", len(got), err, 1+2*writers*each)
	}
}

func testClosed(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	closeOrFail(t, j)
	closeOrFail(t, j)
	_, blobErr := j.PutBlob(nil)
	for name, err := range map[string]error{"Append": j.Append(1, notes(1)), "Sync": j.Sync(), "PutBlob": blobErr} {
		if !errors.Is(err, journal.ErrClosed) {
			t.Errorf("%s after Close: %v, want ErrClosed", name, err)
		}
	}
	closeOrFail(t, s)
	_, createErr := s.Create(t.Context(), "b", []event.Record{created("b")})
	_, leaseErr := s.Lease(t.Context(), "a")
	_, readErr := read(t, s, "a", 0)
	_, listErr := s.List(t.Context(), journal.Query{})
	for name, err := range map[string]error{"Create": createErr, "Lease": leaseErr, "Read": readErr, "List": listErr, "Remove": s.Remove(t.Context(), "a")} {
		if !errors.Is(err, journal.ErrClosed) {
			t.Errorf("%s after the store's Close: %v, want ErrClosed", name, err)
		}
	}
}
