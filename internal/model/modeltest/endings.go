package modeltest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
)

func testCancelled(t *testing.T, s Subject) {
	cause := errors.New("the person said stop")
	t.Run("before", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if out := collect(t, ctx, s.connect(t, NewServer(t)), Hello(), 0); out.err != cause {
			t.Errorf("got %v, want the cause", out.err)
		}
	})
	t.Run("under way", func(t *testing.T) {
		server := NewServer(t, Stream(Text("Half"), Wait(nil)))
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		var got error
		for d, err := range s.connect(t, server).Stream(ctx, Hello()) {
			if d.Kind == model.TextDelta {
				cancel(cause)
			}
			got = err
		}
		if got != cause {
			t.Errorf("got %v, want the cause", got)
		}
		<-server.Abandoned
	})
	t.Run("what is buffered is not shown", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		seen := 0
		var got error
		for d, err := range s.connect(t, NewServer(t, Stream(Text("a"), Text("b"), Text("c")))).Stream(ctx, Hello()) {
			if d.Kind == model.TextDelta {
				seen++
				cancel(cause)
			}
			got = err
		}
		if seen != 1 || got != cause {
			t.Errorf("saw %d deltas and %v, want 1 and the cause", seen, got)
		}
	})
}

// testLeft breaks out of the loop: the request must end.
func testLeft(t *testing.T, s Subject) {
	server := NewServer(t, Stream(Text("Half"), Text("more"), Wait(nil)))
	out := collect(t, t.Context(), s.connect(t, server), Hello(), 1)
	if out.err != nil || len(out.deltas) != 1 {
		t.Errorf("got %d deltas, %v", len(out.deltas), out.err)
	}
	<-server.Abandoned
}

// testSecrets has servers say the key and a header's value back.
func testSecrets(t *testing.T, s Subject) {
	const token = "header-token-4711"
	echo := Key + " and Bearer " + token + " and " + token
	document := `{"error":{"code":"` + Key + `","message":"bad ` + echo + `"}}`
	server := NewServer(t,
		Refuse(401, document), Refuse(500, "panic: "+echo),
		Stream(Fail(Key, echo)), Stream(FailInData(Key, echo)),
		Stream(Raw("data: {\""+Key+"\": "+token+"}\n\n")),
		Refuse(http.StatusOK, document, "Content-Type", "application/json"))
	p := s.connect(t, server, func(c *Client) { c.Headers = map[string]string{"X-Gateway": "Bearer " + token} })
	for range 6 {
		out := collect(t, t.Context(), p, Hello(), 0)
		shown := fmt.Sprintf("%v %+v", out.err, out.err)
		for err := errors.Unwrap(out.err); err != nil; err = errors.Unwrap(err) {
			shown += fmt.Sprintf(" %v %+v", err, err)
		}
		if out.err == nil || strings.Contains(shown, Key) || strings.Contains(shown, token) {
			t.Errorf("error shows a secret: %s", shown)
		}
	}
	for _, r := range server.Requests() {
		if got := r.Header.Get("X-Gateway"); got != "Bearer "+token {
			t.Errorf("header X-Gateway was %q", got)
		}
		if key := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key"); !strings.HasSuffix(key, Key) {
			t.Errorf("the key was not sent but %q", key)
		}
	}
}

// testConnection wants the second request on the first one's connection.
func testConnection(t *testing.T, s Subject) {
	p := s.connect(t, NewServer(t, Stream(Text("a")), Refuse(429, "{}"), Stream(Text("b"))))
	var reused []bool
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) { reused = append(reused, i.Reused) },
	})
	for range 3 {
		collect(t, ctx, p, Hello(), 0)
	}
	if diff := cmp.Diff([]bool{false, true, true}, reused); diff != "" {
		t.Errorf("connections reused (-want +got):\n%s", diff)
	}
}
