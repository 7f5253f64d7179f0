package natstest

import (
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Connect connects to servers, by their addresses with commas between them, without Parley's own client. The
// connection ends with the test.
func Connect(t testing.TB, urls string, options ...nats.Option) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect(urls, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}
