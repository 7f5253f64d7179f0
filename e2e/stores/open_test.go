package stores

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/journal/jetstream"
	"parley.dev/parley/internal/stream"
)

var namespaces atomic.Int64

// namespace makes a namespace on a server and returns its address.
func namespace(t testing.TB, url string) string {
	t.Helper()
	address := fmt.Sprintf("%s/t%d", url, namespaces.Add(1))
	if err := stream.Init(t.Context(), parse(t, address), stream.InitOptions{Shards: 2}); err != nil {
		t.Fatal(err)
	}
	return address
}

func parse(t testing.TB, address string) stream.Address {
	t.Helper()
	a, err := stream.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// open opens the store of a folder, or of the address of a namespace.
func open(t testing.TB, where string) journal.Store {
	t.Helper()
	var store journal.Store
	if strings.HasPrefix(where, "nats://") {
		store = jetstream.New(cluster.New(cluster.Options{Address: parse(t, where)}))
	} else {
		var err error
		if store, err = file.Open(where, file.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

var began = time.Date(2026, 11, 21, 6, 40, 0, 123456789, time.UTC)

func created(id event.SessionID) event.Record {
	return event.Record{Time: began, Event: event.SessionCreated{Version: event.Version, ID: id, Workspace: "/home/ada/engine"}}
}

func note(text string) event.Record {
	return event.Record{Time: began, Event: event.Notice{Level: event.Info, Code: "note", Text: text}}
}

// write creates a session with a payload that is a blob in each store, one that names no blob although it looks like
// it, lines that are too long for one message, and a member that this program does not know and would not write.
func write(t testing.TB, store journal.Store, id event.SessionID, extra ...event.Record) {
	t.Helper()
	j, err := store.Create(t.Context(), id, []event.Record{created(id)})
	if err != nil {
		t.Fatal(err)
	}
	address, err := j.PutBlob(bytes.Repeat([]byte("large "), 300_000))
	if err != nil {
		t.Fatal(err)
	}
	small, err := j.PutBlob(bytes.Repeat([]byte("s"), 70<<10))
	if err != nil {
		t.Fatal(err)
	}
	records := append([]event.Record{
		note("blobs " + address + " and " + small + ", and none: " + strings.Repeat("0a", 32)),
		note(strings.Repeat("long ", 150_000)),
		{Time: began, Event: event.Unknown{Name: "notice", Data: jsontext.Value(`{"level":"info", "code":"x","text":"t","future":[ 1 ]}`)}},
	}, extra...)
	if err := j.Append(j.Head(), records); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// lines returns the journal of a session as it would be in a file.
func lines(t testing.TB, store journal.Store, id event.SessionID) string {
	t.Helper()
	var all strings.Builder
	for rec, err := range store.(journal.LineReader).ReadLines(t.Context(), id, 1) {
		if err != nil {
			t.Fatal(err)
		}
		all.Write(rec.Event.(event.Stored).Line)
		all.WriteByte('\n')
	}
	return all.String()
}

func sessionID(name string) event.SessionID { return event.SessionID(name) }
