package loaf

import (
	"context"
	"io"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"parley.dev/parley/internal/skill"
)

// TestSignalDuringRequest: a signal that arrives while a request is handled is reported after
// everything that the request sends, and not at all if the request ends the process itself.
func TestSignalDuringRequest(t *testing.T) {
	for _, test := range []struct {
		method string
		// during arranges that signal is called while the request is handled.
		during func(c *conn, signal func())
		want   []string
	}{
		{
			"session.create",
			func(c *conn, signal func()) {
				c.cfg.NewID = func() string { signal(); return uuid.NewString() }
			},
			[]string{"response", ChangedSessionCreated, ChangedTerminated},
		},
		{
			"system.shutdown",
			func(c *conn, signal func()) {
				skills := c.cfg.Skills // they are counted in the notice of the end
				c.cfg.Skills = func() skill.Places { signal(); return skills() }
			},
			[]string{ChangedShutdown, "response"},
		},
	} {
		t.Run(test.method, func(t *testing.T) {
			p := newPlace(t, t.TempDir(), "text Unused.\n")
			serve := func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
				return withConfig(ctx, args, stdin, stdout, stderr, env, nil, func(ctx context.Context, cfg Config) int {
					stop := make(chan struct{})
					cfg.Stop = stop
					c := newConn(ctx, cfg)
					test.during(c, sync.OnceFunc(func() {
						stop <- struct{}{}
						for !c.server.Closing() { // run has not begun to close the connection
							runtime.Gosched()
						}
					}))
					return c.run()
				})
			}
			c := &client{Client: p.Dial(t, serve, "loaf", "rpc", "--events", "envelope"), t: t}
			c.ask(test.method, "{}")
			var got []string
			for _, l := range c.rest() {
				if l.Method == "" {
					got = append(got, "response")
					continue
				}
				event := as[EventEnvelope](t, l.Params)
				got = append(got, as[StateChanged](t, event.Payload).Reason)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestSteersDropped: a steer that waits in a chat is dropped when the client leaves the chat, or the process ends: the next process
// does not begin a turn with it.
func TestSteersDropped(t *testing.T) {
	for _, leave := range []string{"", `"raw_command":"/clear"`} {
		t.Run(leave, func(t *testing.T) {
			p := newPlace(t, t.TempDir(), "text Half\nhang\nnext\ntext Unwanted.\n")
			c := p.dial(t)
			session := c.create()
			c.send(session, "go")
			c.until("the answer", func(l wireLine) bool { return l.Method == EventStreamChunk })
			var steered SessionSteerResult
			if c.result(&steered, "session.steer", sessionParams(session, `"text":"left"`)); !steered.Accepted {
				t.Error("the steer was not accepted")
			}
			if leave != "" {
				c.result(nil, "command.execute", sessionParams(session, leave))
			}
			c.end()
			checkHeir(t, p)
		})
	}
}
