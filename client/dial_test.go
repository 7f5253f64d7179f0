package client_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley.dev/parley/client"
)

// TestRefusedConnection: the error has the reason of a host that refuses the token.
func TestRefusedConnection(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "401: the token is not valid", http.StatusUnauthorized)
	}))
	defer server.Close()
	_, err := client.Dial(t.Context(), "ws"+strings.TrimPrefix(server.URL, "http"), client.Options{Token: "wrong"})
	if err == nil || !strings.HasSuffix(err.Error(), "the host refuses the connection: 401: the token is not valid") {
		t.Errorf("error: %v", err)
	}
}
