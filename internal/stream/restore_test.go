package stream_test

import (
	"errors"
	"testing"

	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/natstest"
)

// TestRestoreHosts restarts the only server: the bucket of hosts, which was in its memory, is there again.
func TestRestoreHosts(t *testing.T) {
	server := natstest.Start(t)
	a, err := stream.ParseAddress(server.URL + "/restore")
	if err == nil {
		err = stream.Init(t.Context(), a, stream.InitOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, connected := range []bool{true, false} {
		c, err := stream.Dial(a, stream.ConnectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		key := &stream.Message{Subject: stream.Namespace{Name: "restore", Shards: 1}.Host("h-1"), Data: []byte("key")}
		last := func() error {
			_, err := c.Last(t.Context(), key.Subject)
			return err
		}
		if connected { // else the client does not know the stream before the restart
			_ = last()
		}
		server.Kill()
		server.Restart(t)
		for err = last(); !errors.Is(err, stream.ErrNoMessage); err = last() {
			if t.Context().Err() != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Publish(t.Context(), key, 0); err != nil {
			t.Errorf("Publish after the restart: %v", err)
		}
	}
}
