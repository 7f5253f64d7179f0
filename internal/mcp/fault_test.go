package mcp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// TestStartFailures: a server that cannot be used costs its start limit at most, and says why.
func TestStartFailures(t *testing.T) {
	for _, test := range []struct {
		manner string
		limit  time.Duration
		want   string
	}{
		{"exit", patience, "its program ended with exit code 7: cannot start: no [hidden] here"},
		{"silent", 300 * time.Millisecond, "it was not ready within 300ms"},
		{"deaf", 300 * time.Millisecond, "it was not ready within 300ms"},
		{"half a line", 300 * time.Millisecond, "it was not ready within 300ms"},
		{"hang up", 300 * time.Millisecond, "it was not ready within 300ms"},
		{"endless", patience, ""},
		{"long line", patience, "more than 64 MiB"},
		{"broken", patience, "what is no message"},
	} {
		t.Run(test.manner, func(t *testing.T) {
			b := newBench(t, func(o *Options) { o.QuitLimit = 10 * time.Millisecond })
			s := server(t, test.manner)
			s.StartLimit = test.limit
			v := b.visit(s)
			tools := v.Tools(t.Context())
			if test.want == "" {
				if len(tools) != 1 {
					t.Errorf("%d tools", len(tools))
				}
				return
			}
			if problem := v.await(event.ServerFailed); !strings.Contains(problem, test.want) || len(tools) != 0 {
				t.Errorf("%q, %d tools; want %q", problem, len(tools), test.want)
			}
		})
	}
}

func TestCommandIsLookedUp(t *testing.T) {
	b := newBench(t, nil)
	for _, test := range []struct {
		server tool.Server
		want   string
	}{
		{tool.Server{Command: "no-such-program"}, "not found on PATH"},
		{tool.Server{Command: "./x"}, "neither a name to be found on PATH nor an absolute path"},
		{tool.Server{Command: "/no/such/program"}, "no such file"},
		{tool.Server{Command: "sh", Dir: "/no/such/folder"}, "no such file"},
		{tool.Server{Command: "sh", Env: map[string]string{"PATH": ".:relative"}}, "not found on PATH"},
		{tool.Server{Command: "sh", Args: []string{"-c", "exit 5"}}, "exit code 5"},
		{tool.Server{Command: "sh", Problem: "the variable X is not set"}, "the variable X is not set"},
		{tool.Server{}, "neither a command nor an address"},
		{tool.Server{URL: "ftp://x"}, "not that of a web server"},
	} {
		if _, err := b.Test(t.Context(), test.server, b.dir); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.server, err, test.want)
		}
	}
}

// TestFaultyCalls: each ends at once or at its limit, and is no more than an error result.
func TestFaultyCalls(t *testing.T) {
	for _, test := range []struct {
		manner string
		limit  time.Duration
		want   string
		failed bool
	}{
		{"twice", 0, "answer", false},
		{"garbage", 0, "answer", false},
		{"objects", 0, "answer", false},
		{"batch", 0, "answer", false},
		{"modern", 0, "answer", false},
		{"wrong id", 300 * time.Millisecond, "the tool server srv gave no sign of life for 300ms; the call of t was cancelled", true},
		{"broken call", 0, "the call of t of the tool server srv failed: the server wrote what is no message", true},
		{"kill", 0, "the tool server srv ended while t was called", true},
		{"no result", 0, "[content of the unknown kind \"hologram\": not shown]\nrest", false},
	} {
		t.Run(test.manner, func(t *testing.T) {
			b := newBench(t, func(o *Options) { o.QuitLimit = 10 * time.Millisecond })
			s := server(t, test.manner)
			s.CallLimit = test.limit
			v := b.visit(s)
			c := v.prepare("t", `{}`)
			r := run(t.Context(), t, c)
			if !strings.Contains(r.Text, test.want) || r.IsError != test.failed {
				t.Errorf("%+v", r)
			}
			switch test.manner {
			case "twice": // no call waits for the second answer
				if r := run(t.Context(), t, c); r.Text != "answer" {
					t.Errorf("%+v", r)
				}
			case "kill":
				if problem := v.await(event.ServerFailed); problem != "its program was ended by SIGKILL" {
					t.Errorf("%q", problem)
				}
			case "broken call": // the server itself is not to blame
				if r := run(t.Context(), t, c); !strings.Contains(r.Text, "what is no message") {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

func TestInterruptedCall(t *testing.T) {
	v := newBench(t, nil).visit(server(t, "sdk"))
	c := v.prepare("hang", `{}`)
	ctx, cancel := context.WithCancel(t.Context())
	r := c.Run(ctx, hooks(func(float64, float64, string) { cancel() }))
	if r.Text != "[interrupted]" || !r.IsError {
		t.Errorf("%+v", r)
	}
	if r := v.run("cancelled", `{}`); r.Text != "one call was cancelled" { // it waits for that
		t.Errorf("%+v", r)
	}
}

// TestCallsToADeafServer: what is asked of a server that has stopped to read ends all the same.
func TestCallsToADeafServer(t *testing.T) {
	b := newBench(t, func(o *Options) { o.QuitLimit = 10 * time.Millisecond })
	patient := server(t, "deafen")
	patient.CallLimit = patience
	hasty := patient // the same server: a limit is of the session
	hasty.CallLimit = 300 * time.Millisecond
	small, large := b.visit(hasty).prepare("t", `{}`), b.visit(patient).prepare("t", `{"text":"`+strings.Repeat("x", 1<<20)+`"}`)
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if r := run(ctx, t, large); r.Text != "[interrupted]" { // it does not fit in the pipe
			t.Errorf("%+v", r)
		}
	}
	if r := run(t.Context(), t, small); !strings.Contains(r.Text, "no sign of life for 300ms") {
		t.Errorf("%+v", r)
	}
}

// TestProgress: a call ends when its server has given no sign of life for the limit, however
// long it takes in all.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := linkInMemory(t)
		call := func(name string) (result *sdk.CallToolResult, got []string, took time.Duration, err error) {
			begun := time.Now()
			result, err = l.call(t.Context(), &delivery{}, &sdk.CallToolParams{Name: name}, time.Second, func(done, total float64, text string) {
				got = append(got, fmt.Sprint(done, total, text))
			})
			return result, got, time.Since(begun), err
		}
		_, got, took, err := call("hang")
		if !errors.Is(err, silence(time.Second)) || !slices.Equal(got, []string{"1 2half way"}) || took != time.Second {
			t.Errorf("hang: %v, %q after %v", err, got, took)
		}
		result, got, took, err := call("beat")
		if err != nil || result.IsError || len(got) == 0 || took != 15*100*time.Millisecond { // longer than the limit, but alive
			t.Errorf("beat: %+v, %v, %q after %v", result, err, got, took)
		}
	})
}

// TestReasonIsWaitedFor: a call to a program that has ended fails for the reason of that, also if the
// machine is too busy to find it at once.
func TestReasonIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, why := &connection{carrier: &program{}}, errors.New("the server wrote what is no message")
		l.ctx, l.cancel = context.WithCancelCause(t.Context())
		time.AfterFunc(5*time.Second, func() { l.cancel(why) })
		if err := l.reason(errLinkEnded); err != why { //nolint:errorlint // it is that one
			t.Errorf("a program: %v", err)
		}
		l.carrier = &endpoint{}
		l.ctx, l.cancel = context.WithCancelCause(t.Context())
		defer l.cancel(nil)
		if err := l.reason(errLinkEnded); err != errLinkEnded { //nolint:errorlint // it is that one
			t.Errorf("an address: %v", err)
		}
	})
}

// linkInMemory returns a link to a server in this process, for a test in a bubble.
func linkInMemory(t *testing.T) *connection {
	t.Helper()
	pool := New(Options{})
	p := newSharedServer(pool, "", config{})
	l := &connection{hide: p.hide, progress: map[string]*progress{}}
	l.ctx, l.cancel = context.WithCancelCause(pool.ctx)
	near, far := sdk.NewInMemoryTransports()
	server, err := newServer().Connect(t.Context(), far, nil)
	if err != nil {
		t.Fatal(err)
	}
	if l.session, err = l.client(p).Connect(t.Context(), near, &sdk.ClientSessionOptions{ProtocolVersion: handshakes[0]}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.session.Close()
		_ = server.Wait()
		pool.Close()
	})
	return l
}

// A clock is moved by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// TestRestart: a server that died is started again by a call, once its pause is over.
func TestRestart(t *testing.T) {
	b := newBench(t, nil)
	clock := &clock{now: time.Now()}
	b.pace.now = clock.read
	s := server(t, "sdk")
	file := filepath.Join(t.TempDir(), "starts")
	s.Env[serverStarts] = file
	v := b.visit(s)
	crash, echo := v.prepare("crash", `{}`), v.prepare("echo", `{"text":"x"}`)
	all := len(v.names())
	for i, pause := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		if r := run(t.Context(), t, crash); !strings.Contains(r.Text, "ended while crash was called; whether the call had effects is not known") {
			t.Errorf("%q", r.Text)
		}
		if got := v.await(event.ServerFailed); got != "its program ended with exit code 3: fatal: out of [hidden]" {
			t.Errorf("%q", got)
		}
		clock.move(pause - b.pace.first - time.Millisecond) // a call waits for the last second
		if r := run(t.Context(), t, echo); !r.IsError || !strings.Contains(r.Text, "not available: its program ended with exit code 3: fatal: out of [hidden]; it is started again in 1s at the earliest") {
			t.Errorf("%q", r.Text)
		}
		if got := len(v.names()); got != all {
			t.Errorf("%d tools are offered, want those from before", got)
		}
		if got := starts(t, file); got != i+1 {
			t.Errorf("%d starts, want %d", got, i+1)
		}
		clock.move(b.pace.first + time.Millisecond)
	}
	if r := run(t.Context(), t, echo); r.Text != "x" {
		t.Errorf("%+v", r)
	}
	v.await(event.ServerReady)
	run(t.Context(), t, crash) // after a success, the pause is a short one again
	v.await(event.ServerFailed)
	clock.move(b.pace.first - time.Millisecond)
	if r := run(t.Context(), t, echo); r.Text != "x" {
		t.Errorf("%+v", r)
	}
}

// TestLaterStartsAreNotWaitedFor: only the first start of a server holds back a request.
func TestLaterStartsAreNotWaitedFor(t *testing.T) {
	b := newBench(t, func(o *Options) { o.QuitLimit = 10 * time.Millisecond })
	clock := &clock{now: time.Now()}
	b.pace.now = clock.read
	s := server(t, "exit, then silent")
	s.StartLimit = patience
	s.Env[serverStarts] = filepath.Join(t.TempDir(), "starts")
	v := b.visit(s)
	v.Tools(t.Context())
	v.await(event.ServerFailed)
	clock.move(time.Minute)
	v.Tools(t.Context())
	p := v.Source.(*source).users[0].peer
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.attempt == nil || p.fails != 1 {
		t.Error("the second start was waited for")
	}
}

// TestStartsEnd: a server that keeps failing is started again only for a call or a new session.
func TestStartsEnd(t *testing.T) {
	b := newBench(t, func(o *Options) { o.QuitLimit = 10 * time.Millisecond })
	clock := &clock{now: time.Now()}
	b.pace.now = clock.read
	s := server(t, "exit")
	file := filepath.Join(t.TempDir(), "starts")
	s.Env[serverStarts] = file
	v := b.visit(s)
	for i := range 6 {
		v.Tools(t.Context())
		if i < maxFails {
			v.await(event.ServerFailed)
		}
		clock.move(2 * time.Minute)
	}
	if got := starts(t, file); got != maxFails {
		t.Errorf("%d starts, want %d", got, maxFails)
	}
	b.visit(s).Tools(t.Context())
	if got := starts(t, file); got != maxFails+1 {
		t.Errorf("%d starts, want one more for a new session", got)
	}
}

// TestCrashEndsAllCalls: also those that did nothing wrong.
func TestCrashEndsAllCalls(t *testing.T) {
	v := newBench(t, nil).visit(server(t, "sdk"))
	hang, crash := v.prepare("hang", `{}`), v.prepare("crash", `{}`)
	running, done := make(chan struct{}), make(chan tool.Result)
	go func() { done <- hang.Run(t.Context(), hooks(func(float64, float64, string) { close(running) })) }()
	<-running
	run(t.Context(), t, crash)
	if r := <-done; !r.IsError || !strings.Contains(r.Text, "ended while hang was called") {
		t.Errorf("%+v", r)
	}
}

func TestTalkativeServers(t *testing.T) {
	for _, manner := range []string{"chatty", "flood", "objects before"} {
		t.Run(manner, func(t *testing.T) {
			b := newBench(t, nil)
			if got := b.visit(server(t, manner)).run("echo", `{"text":"x"}`).Text; got != "x" {
				t.Error(got)
			}
			if want := map[string]string{"chatty": `text="[info] hello"`, "flood": "text=xxxx", "objects before": `text="{ port: 1, debug: true }"`}[manner]; !strings.Contains(b.log.String(), want) {
				t.Errorf("not logged: %s", want)
			}
		})
	}
}
