package stream

import (
	"slices"
	"testing"

	"parley.dev/parley/internal/event"
)

func TestSubjects(t *testing.T) {
	n := Namespace{Name: "ns", Shards: 16}
	for _, test := range []struct {
		id                     event.SessionID
		journal, chunk, stream string
	}{
		{"20261121-064000-a1b2c3", "ns.j.04.20261121-064000-a1b2c3", "ns.b.04.20261121-064000-a1b2c3.ff.2", "ns_j_04"},
		{"a.b *>", "ns.j.0c.a=2Eb=20=2A=3E", "ns.b.0c.a=2Eb=20=2A=3E.ff.2", "ns_j_0c"},
		{"ü=_", "ns.j.0e.=C3=BC=3D_", "ns.b.0e.=C3=BC=3D_.ff.2", "ns_j_0e"},
	} {
		got := []string{n.Journal(test.id), n.Chunk(test.id, "ff", 2), streamOf(n.Journal(test.id))}
		if want := []string{test.journal, test.chunk, test.stream}; !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", test.id, got, want)
		}
	}
	for subject, want := range map[string]string{
		n.Index("a"): "KV_ns_index", n.AllIndex(): "KV_ns_index", n.Host("h"): "KV_ns_hosts", n.Format(): "KV_ns_config", n.Blobs("a"): "ns_b_0c",
		n.Batch("b"): "ns_batch", n.TaskLog("b", "s", "t"): "ns_batch", n.BatchChunk("b", "ff", 1): "ns_batch", n.QueuedTask("q", "b", "t"): "ns_tasks",
	} {
		if got := streamOf(subject); got != want {
			t.Errorf("stream of %s = %s, want %s", subject, got, want)
		}
	}
}

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]string{
		"nats://h":               "nats://h:4222/parley",
		"nats://h:1,k,[::1]:3/x": "nats://h:1,nats://k:4222,nats://[::1]:3/x",
		"tls://h:1/a_1":          "tls://h:1/a_1",
	} {
		a, err := ParseAddress(text)
		if err != nil || a.String() != want {
			t.Errorf("ParseAddress(%s) = %s, %v, want %s", text, a, err, want)
		}
	}
	for _, text := range []string{"", "h:4222", "http://h", "nats://", "nats://h/A", "nats://h/a/b", "nats://h,", "nats://u:secret@h", "nats://h?x=1"} {
		if a, err := ParseAddress(text); err == nil {
			t.Errorf("ParseAddress(%s) = %s", text, a)
		}
	}
}
