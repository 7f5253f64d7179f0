package stream_test

import (
	"testing"

	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/natstest"
)

// TestInit makes a namespace twice, and with other shards.
func TestInit(t *testing.T) {
	a, err := stream.ParseAddress(natstest.Start(t).URL + "/init")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := stream.Init(t.Context(), a, stream.InitOptions{Shards: 2}); err != nil {
			t.Errorf("Init: %v", err)
		}
	}
	if err := stream.Init(t.Context(), a, stream.InitOptions{Shards: 3}); err == nil {
		t.Error("Init with other shards succeeds")
	}
}
