package jetstream_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/natstest"
)

func notice(text string) []event.Record {
	return []event.Record{{Event: event.Notice{Text: text}}}
}

// TestServerKilled kills the server while records are appended. They are stored when it is there again, once
// each, and the lease is still the same one.
func TestServerKilled(t *testing.T) {
	server := natstest.Start(t)
	location := driver(server.URL, 1).NewLocation(t)
	s, err := open(location)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const id event.SessionID = "a"
	j, err := s.Create(t.Context(), id, []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: id}}})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := errors.Join(j.Append(j.Head(), notice("before")), j.Sync()); err != nil {
			t.Fatal(err)
		}
		server.Kill()
		if err := j.Append(j.Head(), notice("while it is away")); err != nil {
			t.Fatal(err)
		}
		synced := make(chan error)
		go func() { synced <- j.Sync() }()
		if err := j.Append(j.Head(), notice("while it is away, too")); err != nil {
			t.Fatal(err)
		}
		server.Restart(t)
		if err := errors.Join(<-synced, j.Sync()); err != nil {
			t.Fatalf("Sync: %v", err)
		}
	}
	select {
	case <-j.Lost():
		t.Error("the lease is lost")
	default:
	}
	if err := j.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	var texts []string
	for rec, err := range s.Read(t.Context(), id, 2) {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, rec.Event.(event.Notice).Text)
	}
	if len(texts) != 9 {
		t.Errorf("records: %q", texts)
	}
}

// TestFullStore appends until the stream is full. The records wait, and are stored in order when there is space.
func TestFullStore(t *testing.T) {
	a, err := stream.ParseAddress(natstest.Start(t).URL + "/full")
	if err == nil {
		err = stream.Init(t.Context(), a, stream.InitOptions{MaxBytes: 64 << 10})
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(a.String())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const id event.SessionID = "a"
	j, err := s.Create(t.Context(), id, []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: id}}})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("x", 4<<10)
	for err == nil {
		err = errors.Join(j.Append(j.Head(), notice(text)), j.Sync())
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("Sync: %v, want ENOSPC", err)
	}
	full := j.Head()
	for range 3 {
		if err := j.Append(j.Head(), notice(text)); err != nil {
			t.Fatalf("Append to a full store: %v", err)
		}
	}
	if err := j.Sync(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Sync: %v, want ENOSPC", err)
	}
	enlarge(t, a)
	if err := errors.Join(j.Sync(), j.Close()); err != nil {
		t.Errorf("Sync and Close with space: %v", err)
	}
	var last uint64
	for rec, err := range s.Read(t.Context(), id, 0) {
		if err != nil || rec.Seq != last+1 {
			t.Fatalf("record %d follows %d, %v", rec.Seq, last, err)
		}
		last = rec.Seq
	}
	if last != full+3 {
		t.Errorf("%d records, want %d", last, full+3)
	}
}

// enlarge removes the limit of the stream of a namespace with one shard.
func enlarge(t *testing.T, a stream.Address) {
	t.Helper()
	js := natstest.Connect(t, a.Servers[0])
	stream, err := js.Stream(t.Context(), a.Namespace+"_j_00")
	if err != nil {
		t.Fatal(err)
	}
	config := stream.CachedInfo().Config
	config.MaxBytes = -1
	if _, err := js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
}

// TestOpenErrors checks that nothing is connected before a store is used, and what is reported then.
func TestOpenErrors(t *testing.T) {
	s, err := open("nats://127.0.0.1:1/x")
	if err != nil {
		t.Fatalf("Open connects: %v", err)
	}
	if _, err := s.List(t.Context(), journal.Query{}); err == nil {
		t.Error("List without a server succeeds")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s, err = open(natstest.Start(t).URL + "/nothing_here")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Lease(t.Context(), "a"); err == nil || errors.Is(err, journal.ErrNotFound) {
		t.Errorf("Lease in a namespace that does not exist: %v", err)
	}
}
