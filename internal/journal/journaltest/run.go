package journaltest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// Run runs the whole suite, each test at a new location.
func Run(t *testing.T, d Driver) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *testEnv)
	}{
		{"Create", testCreate},
		{"CreateRefuses", testCreateRefuses},
		{"RoundTrip", testRoundTrip},
		{"ReadFrom", testReadFrom},
		{"ReadUnknownSession", testUnknownSession},
		{"AppendStale", testAppendStale},
		{"AppendAllOrNone", testAppendAllOrNone},
		{"AppendConcurrently", testAppendConcurrently},
		{"Closed", testClosed},
		{"RandomLife", testRandomOperations},
		{"Resume", testResume},
		{"Lease", testLease},
		{"LeaseAcrossProcesses", testLeaseAcrossProcesses},
		{"LeaseRace", testLeaseRace},
		{"Lost", testLost},
		{"LargeAppends", testLargeAppends},
		{"IDs", testIDs},
		{"Release", testRelease},
		{"AcquireShowsWhatOthersWrote", testAcquire},
		{"OpenWithoutLease", testOpen},
		{"AcquireRefuses", testAcquireRefuses},
		{"AcquireAcrossProcesses", testAcquireAcrossProcesses},
		{"AcquireRace", testAcquireRace},
		{"AcquireTornTail", testAcquireTornTail},
		{"Request", testRequest},
		{"RequestEnds", testRequestEnds},
		{"RequestsTogether", testRequestsTogether},
		{"RequestAcrossProcesses", testRequestAcrossProcesses},
		{"RequestOfDeadProcess", testRequestOfDeadProcess},
		{"RequestFromDeadHolder", testRequestFromDeadHolder},
		{"RemoveRace", testRemoveRace},
		{"Kill", testKill},
		{"TornAtEveryByte", testTornAtEveryByte},
		{"TornAnywhere", testTornAnywhere},
		{"FlippedBits", testFlippedBits},
		{"FullDisk", testFullDisk},
		{"Follow", testFollow},
		{"FollowSeveral", testFollowSeveral},
		{"FollowAcrossProcesses", testFollowAcrossProcesses},
		{"FollowTornTail", testFollowTornTail},
		{"FollowEnds", testFollowEnds},
		{"Blobs", testBlobs},
		{"List", testList},
		{"ListFilters", testListFilters},
		{"ListWhileUpdated", testListWhileUpdated},
		{"ListOrders", testListOrders},
		{"ListCounts", testListCounts},
		{"Remove", testRemove},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, &testEnv{driver: d, location: d.NewLocation(t)})
		})
	}
}

// A testEnv is the driver and the location of one test.
type testEnv struct {
	driver   Driver
	location string
}

// open opens a store, which is closed at the end of the test.
func (env *testEnv) open(t *testing.T) journal.Store {
	t.Helper()
	s, err := env.driver.Open(env.location)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { closeOrFail(t, s) })
	return s
}

type closer interface{ Close() error }

func closeOrFail(t *testing.T, c closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// create creates a session with its first record; its lease is closed at the end of the test.
func create(t *testing.T, s journal.Store, id event.SessionID) journal.Journal {
	t.Helper()
	j, err := s.Create(t.Context(), id, []event.Record{created(id)})
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	t.Cleanup(func() { closeOrFail(t, j) })
	return durable(s, j)
}

// lease leases a session until the test ends.
func lease(t *testing.T, s journal.Store, id event.SessionID) journal.Journal {
	t.Helper()
	j, err := s.Lease(t.Context(), id)
	if err != nil {
		t.Fatalf("Lease: %v", err)
	}
	t.Cleanup(func() { closeOrFail(t, j) })
	return durable(s, j)
}

// appendAll appends records at the head and returns them with their numbers.
func appendAll(t *testing.T, j journal.Journal, records ...event.Record) []event.Record {
	t.Helper()
	head := j.Head()
	if err := j.Append(head, records); err != nil {
		t.Fatalf("Append: %v", err)
	}
	return numbered(head, records)
}

func numbered(head uint64, records []event.Record) []event.Record {
	var with []event.Record
	for i, r := range records {
		r.Seq = head + uint64(i) + 1
		with = append(with, r)
	}
	return with
}

// read returns everything that Read yields: records, and the error that ended it.
func read(t *testing.T, s journal.Store, id event.SessionID, from uint64) ([]event.Record, error) {
	t.Helper()
	var records []event.Record
	var failure error
	for r, err := range s.Read(t.Context(), id, from) {
		if failure != nil {
			t.Fatalf("Read goes on after %v", failure)
		}
		if failure = err; err == nil {
			records = append(records, r)
		}
	}
	return records, failure
}

// wantRecords checks that the session has exactly these records.
func wantRecords(t *testing.T, s journal.Store, id event.SessionID, want []event.Record) {
	t.Helper()
	got, err := read(t, s, id, 0)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("Read (-want +got):\n%s", diff)
	}
}
