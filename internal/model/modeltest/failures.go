package modeltest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/model"
)

// failures are codes that end a stream under way.
var failures = []struct {
	code, message string
	kind          model.ErrorKind
}{
	{"overloaded_error", "Overloaded", model.Overloaded},
	{"server_error", "The server had an error", model.Overloaded},
	{"api_error", "Internal", model.Overloaded},
	{"BACKEND_ERROR", "Backend", model.Overloaded},
	{"BACKEND_TIMEOUT", "Backend", model.Overloaded},
	{"MODEL_UNAVAILABLE", "Gone", model.Overloaded},
	{"SOMETHING_NEW", "?", model.Overloaded},
	{"rate_limit_exceeded", "Slow down", model.RateLimited},
	{"BACKEND_RATE_LIMITED", "Slow down", model.RateLimited},
	{"QUOTA_EXCEEDED", "Spent", model.Quota},
	{"AUTH_TOKEN_EXPIRED", "Log in", model.Auth},
	{"MODEL_ACCESS_DENIED", "No", model.Auth},
	{"VALIDATION_ERROR", "Bad", model.Rejected},
	{"invalid_request_error", "Bad", model.Rejected},
	{"context_length_exceeded", "Your input exceeds the context window", model.ContextTooLong},
	{"UPSTREAM_SHAPE_MISMATCH", "Odd", model.BrokenStream},
}

func testFailures(t *testing.T, s Subject) {
	for _, f := range failures {
		t.Run(f.code, func(t *testing.T) {
			server := NewServer(t,
				Stream(Fail(f.code, f.message)), Stream(FailInData(f.code, f.message)),
				Stream(Text("Half"), Fail(f.code, f.message)), Stream(Text("Half"), FailInData(f.code, f.message)))
			p := s.connect(t, server)
			for _, said := range []string{"", "", "Half", "Half"} {
				out := collect(t, t.Context(), p, Hello(), 0)
				wantError(t, out.err, &model.Error{Kind: f.kind, Code: f.code, Message: f.message})
				if out.text() != said {
					t.Errorf("said %q before it failed, want %q", out.text(), said)
				}
			}
		})
	}
}

func testBrokenStreams(t *testing.T, s Subject) {
	for name, reply := range map[string]Reply{
		"cut":              Stream(Text("Half"), Cut()),
		"cut in a call":    Stream(Text("Half"), Call("c", "read", `{"pa`), Cut()),
		"no last event":    Stream(Text("Half"), End()),
		"cut in a frame":   Stream(Text("Half"), Raw("data: {\"typ"), End()),
		"not JSON":         Stream(Text("Half"), Raw("data: {oops}\n\n")),
		"not an object":    Stream(Text("Half"), Raw("data: 7\n\n")),
		"empty":            Refuse(http.StatusOK, "", "Content-Type", "text/event-stream"),
		"a JSON document":  Refuse(http.StatusOK, "[]", "Content-Type", "application/json"),
		"only the end tag": Refuse(http.StatusOK, "data: [DONE]\n\n", "Content-Type", "text/event-stream"),
	} {
		t.Run(name, func(t *testing.T) {
			out := collect(t, t.Context(), s.connect(t, NewServer(t, reply)), Hello(), 0)
			wantError(t, out.err, &model.Error{Kind: model.BrokenStream})
			if reply.status == 0 && out.text() != "Half" {
				t.Errorf("said %q before it broke", out.text())
			}
		})
	}
	t.Run("a web page", func(t *testing.T) {
		reply := Refuse(http.StatusOK, "<html></html>", "Content-Type", "text/html; charset=utf-8")
		out := collect(t, t.Context(), s.connect(t, NewServer(t, reply)), Hello(), 0)
		wantError(t, out.err, &model.Error{Kind: model.BrokenStream, Final: true, Message: "is the address right"})
	})
	t.Run("a failure as a JSON document", func(t *testing.T) {
		reply := Refuse(http.StatusOK, `{"error":{"code":"QUOTA_EXCEEDED","message":"Spent"}}`, "Content-Type", "application/json")
		out := collect(t, t.Context(), s.connect(t, NewServer(t, reply)), Hello(), 0)
		wantError(t, out.err, &model.Error{Kind: model.Quota, Code: "QUOTA_EXCEEDED", Message: "Spent"})
	})
}

func testUnreachable(t *testing.T, s Subject) {
	t.Run("no server", func(t *testing.T) {
		p := s.connect(t, NewServer(t), func(c *Client) { c.BaseURL = "http://127.0.0.1:1" })
		wantError(t, collect(t, t.Context(), p, Hello(), 0).err, &model.Error{Kind: model.Unreachable})
	})
	t.Run("no such host", func(t *testing.T) {
		p := s.connect(t, NewServer(t), func(c *Client) { c.BaseURL = "http://host.invalid" })
		wantError(t, collect(t, t.Context(), p, Hello(), 0).err, &model.Error{Kind: model.Unreachable})
	})
	t.Run("no TLS there", func(t *testing.T) {
		p := s.connect(t, NewServer(t), func(c *Client) { c.BaseURL = strings.Replace(c.BaseURL, "http:", "https:", 1) })
		wantError(t, collect(t, t.Context(), p, Hello(), 0).err, &model.Error{Kind: model.Unreachable})
	})
	t.Run("silence", func(t *testing.T) {
		server := NewServer(t, Stream(Text("Half"), Wait(nil)))
		p := s.connect(t, server, func(c *Client) { c.Idle = 50 * time.Millisecond })
		wantError(t, collect(t, t.Context(), p, Hello(), 0).err, &model.Error{Kind: model.Unreachable, Message: "no data for 50ms"})
		<-server.Abandoned
	})
	t.Run("no such address", func(t *testing.T) {
		p := s.connect(t, NewServer(t), func(c *Client) { c.BaseURL = "http://bad host/" })
		wantError(t, collect(t, t.Context(), p, Hello(), 0).err, &model.Error{Kind: model.NotConfigured})
	})
}
