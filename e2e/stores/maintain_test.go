package stores

import (
	"context"
	"testing"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/jetstream"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/natstest"
)

// purge removes the messages of a subject.
func purge(t *testing.T, js natsjs.JetStream, name, subject string) {
	t.Helper()
	s, err := js.Stream(t.Context(), name)
	if err == nil {
		err = s.Purge(t.Context(), natsjs.WithPurgeSubject(subject))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestReindex loses the index, and has an entry without a journal.
func TestReindex(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t).URL
	where := namespace(t, url)
	store := open(t, where).(*jetstream.Store)
	write(t, store, "one")
	write(t, store, "two")
	write(t, store, "gone")
	before, err := store.List(t.Context(), journal.Query{})
	if err != nil || len(before.Sessions) != 3 {
		t.Fatalf("%+v, %v", before, err)
	}
	n := stream.Namespace{Name: parse(t, where).Namespace, Shards: 2}
	js := natstest.Connect(t, url)
	purge(t, js, "KV_"+n.Name+"_index", n.Index("one"))
	for _, shard := range []string{"00", "01"} {
		purge(t, js, n.Name+"_j_"+shard, n.Name+".j."+shard+".gone")
	}
	done, err := store.Reindex(t.Context())
	if err != nil || done.Sessions != 2 || done.Written != 1 || done.Removed != 1 || len(done.Failed) != 0 {
		t.Errorf("%+v, %v; want 2 sessions, 1 written, 1 removed", done, err)
	}
	after, err := open(t, where).List(t.Context(), journal.Query{})
	if err != nil || len(after.Sessions) != 2 {
		t.Errorf("%+v, %v", after, err)
	}
	if done, err = store.Reindex(t.Context()); err != nil || done.Written+done.Removed != 0 {
		t.Errorf("again: %+v, %v", done, err)
	}
}

// TestCollect has blobs that no record names, in a session, in one that a process uses, and without a session, which may be
// lost as long as it is in the index.
func TestCollect(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t).URL
	where := namespace(t, url)
	store := open(t, where).(*jetstream.Store)
	for _, id := range []string{"plain", "unused", "gone"} {
		write(t, store, sessionID(id))
	}
	j, err := store.Lease(t.Context(), "unused")
	if err != nil {
		t.Fatal(err)
	}
	unused, err := j.PutBlob(make([]byte, 600<<10))
	if err != nil {
		t.Fatal(err)
	}
	n := stream.Namespace{Name: parse(t, where).Namespace, Shards: 2}
	for _, shard := range []string{"00", "01"} {
		purge(t, natstest.Connect(t, url), n.Name+"_j_"+shard, n.Name+".j."+shard+".gone")
	}
	other := open(t, where).(*jetstream.Store)
	done, err := other.Collect(t.Context())
	if err != nil || done.Blobs != 0 || len(done.Failed) != 1 || done.Failed[0].Session != "gone" { // the servers may have lost it
		t.Errorf("%+v, %v; want no blob, and a session that is in the index only", done, err)
	}
	if _, err := other.Reindex(t.Context()); err != nil {
		t.Fatal(err)
	}
	done, err = other.Collect(t.Context())
	if err != nil || done.Busy != 1 || done.Blobs != 3 || len(done.Failed) != 0 { // two of write, and one of its lines
		t.Errorf("%+v, %v; want 3 blobs, 1 session in use", done, err)
	}
	if _, err := j.Blob(unused); err != nil {
		t.Errorf("a blob of a session in use was deleted: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if done, err = other.Collect(t.Context()); err != nil || done.Blobs != 1 || done.Busy != 0 {
		t.Errorf("%+v, %v; want 1 blob", done, err)
	}
	for _, id := range []string{"plain", "unused"} {
		lines(t, open(t, where), sessionID(id)) // with all that they name
	}
	if done, err = other.Collect(t.Context()); err != nil || done.Blobs+done.Finished+done.Busy != 0 {
		t.Errorf("again: %+v, %v", done, err)
	}
	write(t, store, "gone") // its id is free
}

// TestCheckProblems checks namespaces that are not as they should be.
func TestCheckProblems(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t).URL
	for _, test := range []struct {
		code   string
		change func(ctx context.Context, js natsjs.JetStream, name string) error
	}{
		{stream.ProblemStream, func(ctx context.Context, js natsjs.JetStream, name string) error {
			return js.DeleteStream(ctx, name+"_b_01")
		}},
		{stream.ProblemNamespace, func(ctx context.Context, js natsjs.JetStream, name string) error {
			return js.DeleteStream(ctx, "KV_"+name+"_config")
		}},
		{stream.ProblemDirect, func(ctx context.Context, js natsjs.JetStream, name string) error {
			s, err := js.Stream(ctx, name+"_j_00")
			if err != nil {
				return err
			}
			c := s.CachedInfo().Config
			c.AllowDirect = true
			_, err = js.UpdateStream(ctx, c)
			return err
		}},
		{stream.ProblemFull, func(ctx context.Context, js natsjs.JetStream, name string) error {
			s, err := js.Stream(ctx, "KV_"+name+"_config")
			if err != nil {
				return err
			}
			c := s.CachedInfo().Config
			c.MaxBytes = 220
			_, err = js.UpdateStream(ctx, c)
			return err
		}},
	} {
		t.Run(test.code, func(t *testing.T) {
			a := parse(t, namespace(t, url))
			if r := stream.Check(t.Context(), a, stream.ConnectOptions{}, ""); !r.OK || r.AppendP50 == 0 {
				t.Fatalf("%+v; want no problem", r)
			}
			if err := test.change(t.Context(), natstest.Connect(t, url), a.Namespace); err != nil {
				t.Fatal(err)
			}
			r := stream.Check(t.Context(), a, stream.ConnectOptions{}, "")
			if r.OK || len(r.Problems) == 0 || r.Problems[0].Code != test.code {
				t.Errorf("%+v; want the problem %s first", r, test.code)
			}
		})
	}
}
