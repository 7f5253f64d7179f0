package web

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley.dev/parley/internal/host"
)

// TestPlainIsLocal: without TLS nothing is sent to another machine, whatever its name.
func TestPlainIsLocal(t *testing.T) {
	for address, local := range map[string]bool{
		"127.0.0.1:80": true, "127.9.9.9:1": true, "[::1]:80": true, "[::ffff:127.0.0.1]:80": true,
		"10.0.0.1:80": false, "192.0.2.1:80": false, "[2001:db8::1]:80": false, "0.0.0.0:80": false,
	} {
		if err := onlyLoopback(t.Context(), "tcp", address, nil); (err == nil) != local {
			t.Errorf("%s: %v", address, err)
		}
	}
	_, err := Relay{Address: "ws://192.0.2.1:4100", Token: "x", Preamble: host.Preamble{Dialect: "native"}}.Run(t.Context())
	if !errors.Is(err, errPlain) {
		t.Errorf("%v", err)
	}
	if _, err := RequestLink(t.Context(), "http://192.0.2.1:4100", "x", ""); !errors.Is(err, errPlain) {
		t.Errorf("%v", err)
	}
}

// TestRedirect: a relay follows no answer elsewhere, and takes no other server for a host.
func TestRedirect(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a request came, with %v", r.Header)
	}))
	defer elsewhere.Close()
	answer := http.StatusTemporaryRedirect
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery != "" || r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("%s with %v", r.URL, r.Header)
		}
		w.Header().Set("Location", elsewhere.URL)
		w.WriteHeader(answer)
		_, _ = w.Write([]byte("500: \x1b[31mred"))
	}))
	defer server.Close()
	run := func() error {
		_, err := Relay{
			Address: strings.Replace(server.URL, "http", "ws", 1), Token: "secret", Preamble: host.Preamble{Dialect: "native", Cwd: "/w"},
		}.Run(t.Context())
		return err
	}
	if err := run(); err == nil || !strings.Contains(err.Error(), "status 307") {
		t.Errorf("%v", err)
	}
	if _, err := RequestLink(t.Context(), server.URL, "secret", ""); err == nil {
		t.Error("a redirect is a link")
	}
	answer = http.StatusForbidden
	if err := run(); err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%q", err)
	}
}
