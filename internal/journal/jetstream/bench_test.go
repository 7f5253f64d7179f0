package jetstream_test

import (
	"errors"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/natstest"
)

// newBench returns a session with its lease, on a server of its own.
func newBench(b *testing.B) (a stream.Address, s journal.Store, j journal.Journal) {
	location := driver(natstest.Start(b).URL, 1).NewLocation(b)
	a, err := stream.ParseAddress(location)
	if err != nil {
		b.Fatal(err)
	}
	if s, err = open(location); err != nil {
		b.Fatal(err)
	}
	j, err = s.Create(b.Context(), "a", []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: "a"}}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(j.Close(), s.Close()); err != nil {
			b.Error(err)
		}
	})
	return a, s, j
}

// BenchmarkAppend appends one record of 300 bytes and waits until it is stored.
func BenchmarkAppend(b *testing.B) {
	_, _, j := newBench(b)
	record := notice(strings.Repeat("x", 200))
	for b.Loop() {
		if err := errors.Join(j.Append(j.Head(), record), j.Sync()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPublish is the floor of BenchmarkAppend: the client library publishes 300 bytes and waits.
func BenchmarkPublish(b *testing.B) {
	a, _, _ := newBench(b)
	js := natstest.Connect(b, a.Servers[0])
	data := []byte(strings.Repeat("x", 300))
	for b.Loop() {
		if _, err := js.Publish(b.Context(), a.Namespace+".j.00.floor", data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens a session of 10 MB.
func BenchmarkOpen(b *testing.B) {
	_, s, j := newBench(b)
	record := notice(strings.Repeat("x", 16<<10))
	for range 640 {
		if err := errors.Join(j.Append(j.Head(), record), j.Sync()); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := s.Open(b.Context(), "a", func(event.Record) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
