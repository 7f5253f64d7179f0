package jetstream_test

import (
	"testing"

	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/natstest"
)

func removeStreams(t testing.TB, a stream.Address, names ...string) {
	js := natstest.Connect(t, a.Servers[0])
	for _, name := range names {
		if err := js.DeleteStream(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
}
