package mcp

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

func TestToolsOfAProgram(t *testing.T) {
	v := newBench(t, nil).visit(server(t, "sdk"))
	names := v.names()
	if len(names) != 16 || !slices.IsSorted(names) || !slices.Contains(names, "mcp__srv__odd_schema") {
		t.Errorf("%d tools: %q", len(names), names) // they come two a page
	}
	for _, want := range []event.ServerStatus{event.ServerStarting, event.ServerReady} {
		if e := <-v.news; e != (event.ServerChanged{Server: "srv", Status: want}) {
			t.Errorf("status %+v, want %s", e, want)
		}
	}
	echo := v.tool("echo")
	if echo.Description() != "Says it back" || !strings.Contains(string(echo.Schema()), `"text":{"type":"string"}`) {
		t.Errorf("%q %s", echo.Description(), echo.Schema())
	}
	if server, name := v.tool("odd_schema").(tool.Remote).Origin(); server != "srv" || name != "odd schema" {
		t.Errorf("origin %s %s", server, name)
	}
	odd := v.tool("odd_schema")
	if string(odd.Schema()) != anyObject || !strings.Contains(odd.Description(), "Odd.\n\nThe input fits this JSON Schema: {") {
		t.Errorf("%s %q", odd.Schema(), odd.Description())
	}
}

func TestRequest(t *testing.T) {
	v := newBench(t, nil).visit(server(t, "sdk"))
	got := v.prepare("echo", "{ \"text\" : \"hi\u202e\" }").Request()
	want := approval.Request{Level: approval.Read, Server: "srv", Summary: "mcp srv.echo {\"text\":\"hi\ufffd\"}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	long := v.prepare("add", `{"A":"`+strings.Repeat("ä", 1000)+`"}`).Request()
	if long.Level != approval.Execute || len(long.Summary) < 2000 || !strings.HasSuffix(long.Summary, `ä"}`) {
		t.Errorf("%+v", long)
	}
}

func TestProgramSurroundings(t *testing.T) {
	b := newBench(t, nil)
	s := server(t, "sdk")
	s.Env["BASE"] = "replaced"
	v := b.visit(s)
	if got := v.run("env", `{}`).Text; got != hidden+"\nreplaced\n"+b.dir {
		t.Errorf("%q", got)
	}
	if got := v.run("roots", `{}`).Text; got != "file://"+b.dir {
		t.Errorf("roots %q", got)
	}
	if got := v.run("sample", `{}`).Text; got != "true" {
		t.Errorf("sampling was not refused: %q", got)
	}
}

func TestSessionsShareAServer(t *testing.T) {
	b := newBench(t, nil)
	s := server(t, "sdk")
	file := filepath.Join(t.TempDir(), "starts")
	s.Env[serverStarts] = file
	other := s
	other.Name, other.CallLimit = "other", time.Minute
	v, w := b.visit(s), b.visit(other, other)
	if v.run("echo", `{"text":"a"}`).Text != "a" || len(w.names()) != 2*len(v.names()) {
		t.Errorf("%q", w.names())
	}
	if e := <-w.news; e != (event.ServerChanged{Server: "other", Status: event.ServerReady}) && e.Status != event.ServerStarting {
		t.Errorf("%+v", e)
	}
	different := s
	different.Env = maps.Clone(s.Env)
	different.Env["MORE"] = "1"
	if got := b.visit(different).run("echo", `{"text":"b"}`).Text; got != "b" {
		t.Error(got)
	}
	if got := starts(t, file); got != 2 {
		t.Errorf("%d starts, want 2", got)
	}
}

// TestKeys: what a server is decides, not its name, its limits, or the order of a map.
func TestKeys(t *testing.T) {
	base := tool.Server{Name: "a", Command: "x", Args: []string{"1", "2"}, Env: map[string]string{"A": "1", "B": "2", "C": "3", "D": "4"}}
	key := func(dir string, change func(*tool.Server)) string {
		s := base
		s.Env = maps.Clone(base.Env)
		if change != nil {
			change(&s)
		}
		return keyOf(configOf(s, dir))
	}
	first := key("/w", nil)
	for range 100 {
		if key("/w/.", func(s *tool.Server) { s.Name, s.CallLimit, s.StartLimit = "b", 1, 1 }) != first {
			t.Fatal("the same server has two keys")
		}
	}
	for name, other := range map[string]string{
		"dir":     key("/v", nil),
		"args":    key("/w", func(s *tool.Server) { s.Args = []string{"12"} }),
		"env":     key("/w", func(s *tool.Server) { s.Env["A"] = "2" }),
		"command": key("/w", func(s *tool.Server) { s.Command = "y" }),
	} {
		if other == first {
			t.Errorf("another %s, but the same key", name)
		}
	}
	web := func(dir, token string) string {
		return keyOf(configOf(tool.Server{URL: "http://a", Headers: map[string]string{"Authorization": token}}, dir))
	}
	if web("/w", "1") != web("/v", "1") || web("/w", "1") == web("/w", "2") {
		t.Error("an address is one for all workspaces, but not for all headers")
	}
}

func TestIdleServerIsStopped(t *testing.T) {
	b := newBench(t, func(o *Options) { o.IdleLimit = time.Millisecond })
	s := server(t, "sdk")
	life := newLifeline(t)
	s.Env[serverLife] = life.path
	v := b.visit(s)
	c := v.prepare("hang", `{}`)
	running, done := make(chan struct{}), make(chan tool.Result)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- c.Run(ctx, hooks(func(float64, float64, string) { close(running) })) }()
	<-running
	v.Close() // the call holds the server
	cancel()
	if r := <-done; r.Text != "[interrupted]" {
		t.Errorf("%+v", r)
	}
	life.awaitCut(t)
	if r := run(t.Context(), t, c); !r.IsError || !strings.Contains(r.Text, "session is over") {
		t.Errorf("%+v", r)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.peers) != 0 {
		t.Error("the peer is kept")
	}
}

// TestEnd: a server that runs in the folder of a session ends with it, unless another session uses it.
func TestEnd(t *testing.T) {
	b := newBench(t, func(o *Options) { o.IdleLimit = time.Hour })
	s := server(t, "sdk")
	life := newLifeline(t)
	s.Env[serverLife] = life.path
	v, w := b.visit(s), b.visit(s)
	v.run("echo", `{"text":"a"}`)
	v.Source.(tool.Ender).End()
	if r := w.run("echo", `{"text":"b"}`); r.Text != "b" {
		t.Errorf("another session uses it: %q", r.Text)
	}
	w.Source.(tool.Ender).End()
	life.awaitCut(t)

	elsewhere := server(t, "sdk")
	elsewhere.Dir = t.TempDir()
	u := b.visit(elsewhere)
	u.run("echo", `{"text":"c"}`)
	u.Source.(tool.Ender).End()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.peers) != 1 {
		t.Errorf("%d servers are kept, want the one of another folder", len(b.peers))
	}
}

func TestIdleTimerIsStoppedByANewSession(t *testing.T) {
	b := newBench(t, func(o *Options) { o.IdleLimit = time.Hour })
	s := server(t, "sdk")
	file := filepath.Join(t.TempDir(), "starts")
	s.Env[serverStarts] = file
	for range 3 {
		v := b.visit(s)
		v.run("echo", `{"text":"a"}`)
		v.Close()
	}
	if got := starts(t, file); got != 1 {
		t.Errorf("%d starts, want 1", got)
	}
}

// TestCloseEndsServers: whatever a server does, it has ended when Close returns.
func TestCloseEndsServers(t *testing.T) {
	for _, manner := range []string{"sdk", "stubborn", "deaf"} {
		t.Run(manner, func(t *testing.T) {
			b := newBench(t, func(o *Options) { o.QuitLimit = 10 * time.Millisecond })
			s := server(t, manner)
			life := newLifeline(t)
			s.Env[serverLife] = life.path
			v := b.visit(s)
			if manner == "deaf" {
				ctx, cancel := context.WithCancel(t.Context())
				b.visit(s).startOnly(ctx, cancel)
			} else {
				v.names()
			}
			b.Close()
			life.awaitCut(t)
			if got := v.Tools(t.Context()); manner == "deaf" && len(got) != 0 {
				t.Errorf("tools of a closed pool: %d", len(got))
			}
		})
	}
}

// startOnly starts the servers and leaves while they start.
func (v *visit) startOnly(ctx context.Context, cancel func()) {
	go func() {
		v.await(event.ServerStarting)
		cancel()
	}()
	v.Tools(ctx)
}

func TestToolsReturnsWhenItsContextEnds(t *testing.T) {
	b := newBench(t, nil)
	slow, quick := server(t, "silent"), server(t, "sdk")
	slow.Name, slow.StartLimit = "slow", time.Hour
	v := b.visit(slow, quick)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		v.await(event.ServerReady)
		cancel()
	}()
	if got := len(v.Tools(ctx)); got != 16 {
		t.Errorf("%d tools", got)
	}
	v.Close() // no status may be reported from here on
	close(v.news)
}

func TestListChanged(t *testing.T) {
	v := newBench(t, nil).visit(server(t, "sdk"))
	before := len(v.names())
	if r := v.run("grow", `{}`); r.IsError {
		t.Fatal(r.Text)
	}
	u := v.Source.(*source).users[0]
	v.awaitGrown(before)
	u.peer.mu.Lock()
	if u.peer.stale {
		t.Error("still stale")
	}
	u.peer.mu.Unlock()
	if got := v.run("grown", `{}`).Text; got != "new" {
		t.Error(got)
	}
}

// TestInstructions checks what models read about servers.
func TestInstructions(t *testing.T) {
	b := newBench(t, func(o *Options) { o.QuitLimit = 10 * time.Millisecond })
	one, two := server(t, "sdk"), server(t, "exit")
	one.Name, two.Name = "two", "one"
	v := b.visit(one, two)
	v.names()
	got := v.Source.(tool.Guided).Instructions()
	want := "\nThe tool server one is configured, but cannot be used: its program ended with exit code 7: cannot start: no [hidden] here\n" +
		"\nThe tool server two (tools mcp__two__…) says:\n> Call echo first.\n> The token is [hidden].\n"
	if !strings.HasPrefix(got, "# Tool servers\n") || !strings.HasSuffix(got, want) {
		t.Errorf("%q", got)
	}
}

// TestChosenTools checks which tools of a server are offered.
func TestChosenTools(t *testing.T) {
	b := newBench(t, nil)
	s := server(t, "sdk")
	s.Tools, s.DisabledTools = []string{"e*", "add"}, []string{"en?"}
	if got := b.visit(s).names(); !slices.Equal(got, []string{"mcp__srv__add", "mcp__srv__echo"}) {
		t.Errorf("%q", got)
	}
	if got := len(b.visit(server(t, "sdk")).names()); got != 16 {
		t.Errorf("another session has %d tools", got)
	}
}

func TestReport(t *testing.T) {
	b := newBench(t, nil)
	r, err := b.Test(t.Context(), server(t, "sdk"), b.dir)
	if err != nil || r.Name != "test server" || r.Version != "1.2.3" || r.Protocol != "2025-11-25" || len(r.Tools) != 16 || r.Took <= 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := b.Test(t.Context(), server(t, "exit"), b.dir); err == nil || !strings.Contains(err.Error(), "its program ended with exit code 7: cannot start: no [hidden] here") {
		t.Error(err)
	}
}

func BenchmarkEcho(b *testing.B) {
	v := newBench(b, nil).visit(server(b, "sdk"))
	c := v.prepare("echo", `{"text":"hello"}`)
	if r := run(b.Context(), b, c); r.Text != "hello" {
		b.Fatal(r.Text)
	}
	h := hooks(nil)
	for b.Loop() {
		c.Run(b.Context(), h)
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		p := newBench(b, nil)
		b.StartTimer()
		p.visit(server(b, "sdk")).names()
	}
}
