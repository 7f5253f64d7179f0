package acp

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/sandbox"
)

// framesVariable has the path of frames that the test program plays in place of its tests: an agent whose every word counts.
const framesVariable = "PARLEY_TEST_ACP_FRAMES"

// playFrames plays lines: "> METHOD" reads until there is a message with that method, "=" until there is an answer, and "< FRAME" writes a
// frame, in which $id is the id of the last request. What is read goes to a file.
func playFrames(path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	log, err := os.OpenFile(path+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	in := bufio.NewReader(os.Stdin)
	id := ""
	for line := range strings.Lines(string(data)) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		for verb == ">" || verb == "=" {
			read, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			if _, err := log.Write(read); err != nil {
				panic(err)
			}
			if m := parse(read); m.Method == rest {
				id = string(m.ID)
				break
			}
		}
		if verb == "<" {
			fmt.Println(strings.ReplaceAll(strings.Replace(rest, "{", `{"jsonrpc":"2.0",`, 1), "$id", id))
		}
	}
	for {
		read, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		if m := parse(read); m.Method == "session/close" {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", m.ID)
		}
		if _, err := log.Write(read); err != nil {
			panic(err)
		}
	}
}

// A wire is an agent that plays frames.
type wire struct {
	t    *testing.T
	ctx  context.Context
	path string
	b    *Backend
}

func newWire(t *testing.T, o Options, frames string) *wire {
	t.Helper()
	w := &wire{t: t, ctx: t.Context(), path: filepath.Join(t.TempDir(), "frames")}
	if err := os.WriteFile(w.path, []byte(frames), 0o600); err != nil {
		t.Fatal(err)
	}
	spawner := sandbox.NewSpawner(sandbox.Options{})
	t.Cleanup(spawner.Close)
	o.Name, o.Version = "acp:test", "1"
	o.Program = func(o backend.Opening) (backend.Program, error) {
		path, err := os.Executable()
		return backend.Program{
			Backend: "acp:test", Path: path, Dir: w.dir(), Spawner: spawner, Confine: sandbox.Policy{Level: sandbox.Full}, Env: []string{framesVariable + "=" + w.path},
		}, err
	}
	w.b = New(o)
	return w
}

func (w *wire) dir() string { return filepath.Dir(w.path) }

func (w *wire) open(o backend.Opening) *agent {
	w.t.Helper()
	o.Dir = "/work"
	a, err := w.b.Open(w.ctx, o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(a.Close)
	return a.(*agent)
}

// turn returns the updates of a prompt. Answers are given by watch.
func (w *wire) turn(a backend.Agent, watch func(backend.Update)) []backend.Update {
	w.t.Helper()
	var all []backend.Update
	for u, err := range a.Turn(w.ctx, backend.Prompt{Blocks: []model.Block{model.TextBlock("Go.")}}) {
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, u)
		if watch != nil {
			watch(u)
		}
	}
	return all
}

// wantReceived checks that the agent, which is closed, has received texts, in this order.
func (w *wire) wantReceived(a backend.Agent, texts ...string) {
	w.t.Helper()
	a.Close()
	data, err := os.ReadFile(w.path + ".log")
	if err != nil {
		w.t.Fatal(err)
	}
	rest := string(data)
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			w.t.Errorf("%s is missing, or comes too early, in\n%s", text, data)
			return
		}
		rest = after
	}
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// hello is the beginning of frames, with members of the initialize result.
func hello(more string) string {
	return "> initialize\n< {\"id\":$id,\"result\":{\"protocolVersion\":1" + more + "}}\n"
}

// session is the answer to session/new, with members of it.
func session(more string) string {
	return "> session/new\n< {\"id\":$id,\"result\":{\"sessionId\":\"s-1\"" + more + "}}\n"
}

const (
	plainStart = "> initialize\n< {\"id\":$id,\"result\":{\"protocolVersion\":1}}\n> session/new\n< {\"id\":$id,\"result\":{\"sessionId\":\"s-1\"}}\n"
	stop       = "< {\"id\":$id,\"result\":{\"stopReason\":\"end_turn\"}}\n"
)

// updates returns the frames of a turn with updates.
func updates(all ...string) string {
	var b strings.Builder
	b.WriteString("> session/prompt\n")
	for _, u := range all {
		b.WriteString(notify(u))
	}
	return b.String() + stop
}

func notify(u string) string {
	return `< {"method":"session/update","params":{"sessionId":"s-1","update":` + u + "}}\n"
}
