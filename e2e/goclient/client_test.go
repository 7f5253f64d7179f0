package goclient

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/transcript"
	"parley.dev/parley/record"
)

// askingScript is a model that runs a command, for which the user is asked, and ends.
const askingScript = `call shell {"command":"echo hello > out.txt"}
next
text Done.
`

func place(t *testing.T, script string) *stage.Place {
	t.Helper()
	p := stage.NewPlace(t)
	p.Plays(t, script)
	return p
}

// A host is running, with what clients connect to.
type host struct {
	process *stage.Process
	Socket  string   `json:"socket"`
	URLs    []string `json:"urls"`
}

// serve starts a host and waits until clients can connect.
func serve(t *testing.T, p *stage.Place, args ...string) *host {
	t.Helper()
	h := &host{process: stage.Launch(t, p.Command(t, append([]string{"serve", "--json"}, args...)...))}
	line, err := bufio.NewReader(h.process.Stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, h)
	}
	if err != nil {
		t.Fatalf("the host does not start: %v: %s", err, h.process.Stderr)
	}
	return h
}

// dial connects; requests of the test end with its patience.
func dial(t *testing.T, address, name string) (context.Context, *client.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stage.Patience)
	t.Cleanup(cancel)
	c, err := client.Dial(ctx, address, client.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return ctx, c
}

// create makes a session in a mode.
func create(ctx context.Context, t *testing.T, c *client.Client, p *stage.Place, mode string) *client.Session {
	t.Helper()
	s, err := c.Create(ctx, client.NewSession{Workspace: p.Work, Settings: map[string]any{"mode": mode}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// until follows a session up to a record of that kind, the last one returned.
func until(ctx context.Context, t *testing.T, s *client.Session, kind string) (all []record.Record) {
	t.Helper()
	for rec, err := range s.Follow(ctx, client.FollowOptions{}) {
		if err != nil {
			t.Fatalf("after %d records: %v", len(all), err)
		}
		if all = append(all, rec); int(rec.Seq) != len(all) {
			t.Fatalf("record %d has the number %d", len(all), rec.Seq)
		}
		if rec.Kind == kind {
			break
		}
	}
	return all
}

// TestSpawn: a process of its own has a turn, whose text comes as it is streamed; a prompt that is repeated does nothing.
func TestSpawn(t *testing.T) {
	p := place(t, "text Hello there.\nnext\ntext Hello there.\n")
	cmd := p.Command(t)
	ctx, cancel := context.WithTimeout(t.Context(), stage.Patience)
	defer cancel()
	c, err := client.Spawn(ctx, client.SpawnOptions{Program: transcript.Build(t), Dir: p.Work, Env: cmd.Env, Stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.Create(ctx, client.NewSession{Workspace: "."})
	if err != nil {
		t.Fatal(err)
	}
	var turns []string
	for range 2 {
		turn, err := s.Prompt(ctx, client.Prompt{ID: "p-1", Text: "Go."})
		if err != nil {
			t.Fatal(err)
		}
		turns = append(turns, turn)
	}
	if turns[0] == "" || turns[0] != turns[1] {
		t.Errorf("turns %q", turns)
	}
	until(ctx, t, s, record.KindTurnEnded)
	state, err := s.State(ctx)
	if err != nil || state.Turns != 1 || state.Busy || state.Session != s.ID() {
		t.Errorf("%+v, %v", state, err)
	}
	streamed, text := "", ""
	for rec, err := range s.Follow(ctx, client.FollowOptions{From: state.Head, Transient: []string{record.KindTextDelta}}) {
		if err == nil && rec.Seq == state.Head { // now deltas are sent, too
			_, err = s.Prompt(ctx, client.Prompt{Text: "Once more."})
		}
		if err != nil {
			t.Fatal(err)
		}
		var delta record.TextDelta
		var message record.AssistantMessage
		switch rec.Kind {
		case record.KindTextDelta:
			err = rec.Decode(&delta)
		case record.KindAssistantMessage:
			err = rec.Decode(&message)
			text = message.Blocks[0].Text
		}
		if err != nil {
			t.Fatal(err)
		}
		if streamed += delta.Text; rec.Kind == record.KindTurnEnded && rec.Seq > state.Head {
			break
		}
	}
	if text != "Hello there." || streamed != text {
		t.Errorf("the answer %q, streamed %q", text, streamed)
	}
	if page, _, err := c.List(ctx, client.Query{}); err != nil || len(page) != 1 || page[0].ID != s.ID() {
		t.Errorf("listed: %+v, %v", page, err)
	}
	if err := c.Session("none").Close(ctx); !client.IsKind(err, "no_session") {
		t.Errorf("a session that is not there: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if _, err := s.State(ctx); err != client.ErrClosed {
		t.Errorf("after close: %v", err)
	}
}

// TestHandedOver: two clients, each with a process of its own, have turns on one session alternately; both follow it all the time
// and see every record once.
func TestHandedOver(t *testing.T) {
	p := place(t, strings.Repeat("text Hello.\nnext\n", 4)+"text Hello.\n")
	ctx, cancel := context.WithTimeout(t.Context(), stage.Patience)
	defer cancel()
	var sessions []*client.Session
	for n := range 2 {
		c, err := client.Spawn(ctx, client.SpawnOptions{Program: transcript.Build(t), Dir: p.Work, Env: p.Command(t).Env, Stderr: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if n == 0 {
			sessions = append(sessions, create(ctx, t, c, p, "prompt"))
		} else {
			sessions = append(sessions, c.Session(sessions[0].ID()))
		}
	}
	const turns = 5
	prompt := func(n int) {
		t.Helper()
		if _, err := sessions[n%2].Prompt(ctx, client.Prompt{Text: fmt.Sprint("Prompt ", n)}); err != nil {
			t.Fatal(err)
		}
	}
	prompt(0)
	until(ctx, t, sessions[0], record.KindTurnEnded)
	ended := make(chan int, 2*turns) // the client that has seen the end of a turn
	var followers sync.WaitGroup
	defer followers.Wait()
	for n, s := range sessions {
		followers.Go(func() {
			seen, last := 0, uint64(0)
			for rec, err := range s.Follow(ctx, client.FollowOptions{}) {
				if err != nil || rec.Seq != last+1 {
					t.Errorf("client %d: record %d after %d: %v", n, rec.Seq, last, err)
					cancel()
					return
				}
				if last = rec.Seq; rec.Kind != record.KindTurnEnded {
					continue
				}
				ended <- n
				if seen++; seen == turns {
					return
				}
			}
		})
	}
	for n := 1; ; n++ {
		for range sessions {
			stage.Await(t, ended, "the end of a turn")
		}
		if n == turns {
			break
		}
		prompt(n)
	}
}

// TestLateAnswer: of two clients the first answers, and the other gets an error.
func TestLateAnswer(t *testing.T) {
	p := place(t, askingScript)
	h := serve(t, p)
	ctx, a := dial(t, "unix:"+h.Socket, "a")
	_, b := dial(t, "unix:"+h.Socket, "b")
	s := create(ctx, t, a, p, "prompt")
	if _, err := s.Prompt(ctx, client.Prompt{Text: "Go."}); err != nil {
		t.Fatal(err)
	}
	records := until(ctx, t, s, record.KindApprovalAsked)
	var asked record.ApprovalAsked
	if err := records[len(records)-1].Decode(&asked); err != nil || !strings.Contains(asked.Request.Command, "echo hello") {
		t.Fatalf("%+v, %v", asked, err)
	}
	if err := b.Session(s.ID()).Approve(ctx, asked.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.Deny(ctx, asked.ID, ""); !client.IsKind(err, "answered") || !strings.Contains(err.Error(), "answered by b") {
		t.Errorf("a late answer: %v", err)
	}
	var ended record.TurnEnded
	all := until(ctx, t, s, record.KindTurnEnded)
	if err := all[len(all)-1].Decode(&ended); err != nil || ended.Reason != "completed" {
		t.Errorf("%+v, %v", ended, err)
	}
}

// TestCutConnections: over a proxy that cuts connections at random, Follow yields what a client sees that is never cut, and
// prompts and answers come through once.
func TestCutConnections(t *testing.T) {
	var script strings.Builder
	for n := range 20 {
		fmt.Fprintf(&script, "call shell {\"command\":\"echo %d\"}\nnext\n", n)
	}
	p := place(t, script.String()+"text Done.\n")
	h := serve(t, p)
	var cuts atomic.Int64
	ctx, cut := dial(t, "unix:"+proxy(t, h.Socket, &cuts), "cut")
	_, whole := dial(t, "unix:"+h.Socket, "whole")
	s := create(ctx, t, whole, p, "danger-full-access")
	for range 3 { // the answers to some are lost
		if _, err := cut.Session(s.ID()).Prompt(ctx, client.Prompt{ID: "p-1", Text: "Go."}); err != nil {
			t.Fatal(err)
		}
	}
	pieces := until(ctx, t, cut.Session(s.ID()), record.KindTurnEnded)
	all := until(ctx, t, s, record.KindTurnEnded)
	if len(pieces) != len(all) || len(all) < 60 {
		t.Fatalf("%d records, %d in pieces", len(all), len(pieces))
	}
	if cuts.Load() < 3 {
		t.Errorf("%d connections", cuts.Load())
	}
	for i := range all {
		if string(all[i].Data) != string(pieces[i].Data) {
			t.Errorf("record %d is %s, and in pieces %s", i+1, all[i].Data, pieces[i].Data)
		}
	}
}

// proxy listens at a socket of its own and copies to another, a random number of bytes for each connection.
func proxy(t *testing.T, socket string, cuts *atomic.Int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "proxy.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	random := rand.New(rand.NewPCG(1, 2))
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			cuts.Add(1)
			limit := random.Int64N(12_000) + 1000
			go func() {
				defer in.Close()
				out, err := net.Dial("unix", socket)
				if err != nil {
					return
				}
				defer out.Close()
				go io.Copy(out, in) // the other direction ends both
				_, _ = io.CopyN(in, out, limit)
			}()
		}
	}()
	return path
}

// TestKilledHost: a host is killed while a call waits, and started again on the same socket. Follow goes on with the next record,
// and the turn is closed as interrupted.
func TestKilledHost(t *testing.T) {
	p := place(t, askingScript)
	h := serve(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), stage.Patience)
	defer cancel()
	status := make(chan error, 1000)
	c, err := client.Dial(ctx, "unix:"+h.Socket, client.Options{Name: "a", Status: func(err error) { status <- err }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := create(ctx, t, c, p, "prompt")
	if _, err := s.Prompt(ctx, client.Prompt{Text: "Go."}); err != nil {
		t.Fatal(err)
	}
	var all []record.Record
	for rec, err := range s.Follow(ctx, client.FollowOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, rec); int(rec.Seq) != len(all) {
			t.Fatalf("record %d has the number %d", len(all), rec.Seq)
		}
		if rec.Kind == record.KindApprovalAsked {
			h.process.Kill()
			serve(t, p)
		}
		if rec.Kind == record.KindTurnEnded {
			break
		}
	}
	var ended record.TurnEnded
	if err := all[len(all)-1].Decode(&ended); err != nil || ended.Reason != "interrupted" {
		t.Errorf("%+v, %v", ended, err)
	}
	if first := <-status; first == nil {
		t.Error("the loss of the connection is not reported")
	}
	last := errors.New("none")
	for len(status) > 0 {
		last = <-status
	}
	if last != nil {
		t.Errorf("the last report is %v", last)
	}
}

// TestFollowedTwice: a client follows a session once at a time.
func TestFollowedTwice(t *testing.T) {
	p := place(t, "text Hello.\n")
	h := serve(t, p)
	ctx, c := dial(t, "unix:"+h.Socket, "a")
	s := create(ctx, t, c, p, "prompt")
	for _, err := range s.Follow(ctx, client.FollowOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range s.Follow(ctx, client.FollowOptions{}) {
			if err != client.ErrFollowed {
				t.Errorf("a second one: %v", err)
			}
		}
		break
	}
	if got := until(ctx, t, s, "session_created"); len(got) != 1 {
		t.Errorf("followed again: %d records", len(got))
	}
}

// TestNoHost: an address where no host is, and one that is none.
func TestNoHost(t *testing.T) {
	for _, address := range []string{"unix:" + filepath.Join(t.TempDir(), "none"), "tcp:1", ""} {
		if _, err := client.Dial(t.Context(), address, client.Options{}); err == nil {
			t.Errorf("%q: no error", address)
		}
	}
}
