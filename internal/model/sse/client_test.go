package sse

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley.dev/parley/internal/model"
)

// TestDefaultClient checks that many requests at a time use the same connections as those before them.
func TestDefaultClient(t *testing.T) {
	const together = 10
	var all sync.WaitGroup
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		all.Done()
		all.Wait() // until each has a connection
		fmt.Fprint(w, "[]")
	}))
	var opened atomic.Int64
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	defer DefaultClient.Get().CloseIdleConnections()
	e := &Endpoint{Address: server.URL}
	for range 3 {
		all.Add(together)
		var sent sync.WaitGroup
		for range together {
			sent.Go(func() {
				var answer []string
				send := func(ctx context.Context) (*http.Response, error) {
					return e.Post(ctx, &model.Request{}, "x", nil, map[string]string{})
				}
				if err := e.Fetch(t.Context(), send, &answer); err != nil {
					t.Error(err)
				}
			})
		}
		sent.Wait()
	}
	if opened.Load() != together {
		t.Errorf("%d connections for 3 times %d requests", opened.Load(), together)
	}
}

// A countedConn counts writes.
type countedConn struct {
	net.Conn
	writes *atomic.Int64
}

func (c countedConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// TestOneWrite checks that a request of usual size is sent with one write.
func TestOneWrite(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	var writes atomic.Int64
	transport := DefaultClient.Get().Transport.(*http.Transport).Clone()
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		return countedConn{c, &writes}, err
	}
	defer transport.CloseIdleConnections()
	e := &Endpoint{Address: server.URL, HTTP: &http.Client{Transport: transport}}
	resp, err := e.Post(t.Context(), &model.Request{}, "x", nil, strings.Repeat("x", 12<<10))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if writes.Load() != 1 {
		t.Errorf("%d writes", writes.Load())
	}
}
