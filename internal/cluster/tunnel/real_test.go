package tunnel_test

import (
	"bytes"
	"io"
	"slices"
	"testing"
	"time"

	"parley.dev/parley/internal/cluster/tunnel"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/natstest"
)

// dial returns connections to a real server, one for each side.
func dial(t testing.TB) (a, b *stream.Client) {
	t.Helper()
	address, err := stream.ParseAddress(natstest.Start(t).URL + "/tunnel")
	if err != nil {
		t.Fatal(err)
	}
	var all []*stream.Client
	for range 2 {
		c, err := stream.Dial(address, stream.ConnectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		all = append(all, c)
	}
	return all[0], all[1]
}

// openOn returns both sides of a tunnel that have connections of their own. The server has the subscription of b: it has
// answered a request of its connection.
func openOn(t testing.TB, feedA, feedB *stream.Client) (a, b *tunnel.Conn) {
	t.Helper()
	b, err := tunnel.New(feedB, "n.h.x.t.1.in", "n.h.x.t.1.out", tunnel.DefaultSilence)
	if err == nil {
		err = feedB.Serve("n.h.x.ctl", func([]byte) []byte { return nil })
	}
	if err == nil {
		a, err = tunnel.New(feedA, "n.h.x.t.1.out", "n.h.x.t.1.in", tunnel.DefaultSilence)
	}
	if err == nil {
		_, err = feedA.Request(t.Context(), "n.h.x.ctl", nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = a.Close(), b.Close() })
	return a, b
}

// TestRealServer carries bytes both ways at once.
func TestRealServer(t *testing.T) {
	feedA, feedB := dial(t)
	a, b := openOn(t, feedA, feedB)
	there, back := randomBytes(1, 8<<20), randomBytes(2, 8<<20)
	for c, data := range map[*tunnel.Conn][]byte{a: there, b: back} {
		go func() { _ = write(c, data) }()
	}
	got := make(chan []byte, 1)
	go func() {
		data, _ := io.ReadAll(b)
		got <- data
	}()
	data, err := io.ReadAll(a)
	if err != nil || !bytes.Equal(data, back) {
		t.Errorf("%d bytes came back of %d, %v", len(data), len(back), err)
	}
	if data := <-got; !bytes.Equal(data, there) {
		t.Errorf("%d bytes arrived of %d", len(data), len(there))
	}
}

// BenchmarkDelta measures a small message one way, through a tunnel and through a pipe of the same process.
func BenchmarkDelta(b *testing.B) {
	feedA, feedB := dial(b)
	from, to := openOn(b, feedA, feedB)
	line := bytes.Repeat([]byte("x"), 200)
	got := make([]byte, len(line))
	var all []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := from.Write(line); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(to, got); err != nil {
			b.Fatal(err)
		}
		all = append(all, time.Since(start))
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99-µs")
}
