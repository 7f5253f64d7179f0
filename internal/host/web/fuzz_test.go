package web

import (
	"net/http"
	"testing"
	"testing/synctest"
)

// FuzzWebSocket: whatever a client with a token sends after its handshake, its connection ends with it, and the server
// takes the next client.
func FuzzWebSocket(f *testing.F) {
	for _, bytes := range [][]byte{
		nil,
		{0x81, 0x82, 1, 2, 3, 4, 'h' ^ 1, 'i' ^ 2},                                    // a text
		{0x01, 0x81, 0, 0, 0, 0, '{', 0x80, 0x81, 0, 0, 0, 0, '}'},                    // in two frames
		{0x82, 0x80, 0, 0, 0, 0},                                                      // binary
		{0x81, 0x02, 'h', 'i'},                                                        // not masked
		{0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 'x'}, // endless
		{0x89, 0x80, 0, 0, 0, 0},
		{0x8a, 0x80, 0, 0, 0, 0},
		{0x88, 0x80, 0, 0, 0, 0}, // ping, pong, close
		{0xf3, 0x80, 0, 0, 0, 0},
		{0x80, 0x80, 0, 0, 0, 0},
	} {
		f.Add(bytes)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			conn, _ := b.raw()
			_, _ = conn.Write(data) // the server may have ended it
			conn.Close()
			synctest.Wait()
			if n := b.host.Clients(); n != 0 {
				t.Errorf("%q: %d clients", data, n)
			}
			if code, _, _ := b.get(request{path: "/readyz"}); code != http.StatusOK {
				t.Errorf("%q: %d", data, code)
			}
		})
	})
}
