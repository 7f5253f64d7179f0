package host

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/model/modeltest"
)

// A handing is a place in which several processes have one session, and the model that all of them call.
type handing struct {
	*stage.Place
	t     *testing.T
	model *modeltest.Server
	calls <-chan struct{} // one for each request to it
	said  []string        // what the conversation has, in order
}

// handingOver returns a place whose model answers as the replies say.
func handingOver(t *testing.T, replies ...modeltest.Reply) *handing {
	t.Helper()
	h := &handing{Place: stage.NewPlace(t), t: t, model: modeltest.NewServer(t, replies...)}
	backend := stage.NewBackend(t, modeltest.OpenAIChat, func([]byte) http.Handler { return h.model })
	h.calls = backend.Arrived
	h.Model, h.Env = backend.Settings()
	return h
}

// answers are n replies with a text each.
func answers(n int) (replies []modeltest.Reply) {
	for i := range n {
		replies = append(replies, modeltest.Stream(modeltest.Text(fmt.Sprintf("Answer %d.", i+1))))
	}
	return replies
}

// turned checks that the model got everything that was said, with the prompt as the last, and was called n times. The n-th of
// answers is what it said.
func (h *handing) turned(n int, prompt string) {
	h.t.Helper()
	requests := h.model.Requests()
	if len(requests) != n {
		h.t.Fatalf("the model was called %d times, want %d", len(requests), n)
	}
	var said []string
	for _, m := range stage.Conversation(requests[n-1]) {
		if m.Role == "user" || m.Role == "assistant" {
			said = append(said, m.Text)
		}
	}
	h.said = append(h.said, prompt)
	if len(said) != len(h.said) {
		h.t.Fatalf("turn %d: the model was sent %q, want %q", n, said, h.said)
	}
	for i, text := range h.said {
		if !strings.HasSuffix(said[i], text) {
			h.t.Fatalf("turn %d: message %d is %q, want %q", n, i, said[i], text)
		}
	}
	h.said = append(h.said, fmt.Sprintf("Answer %d.", n))
}

// check reads the journal as it is on the disk: no line is damaged, no number is lost or there twice, no prompt is there twice,
// and each turn has one end. It returns the records.
func (h *handing) check(session string) (records []event.Record) {
	h.t.Helper()
	store, err := file.Open(h.State(), file.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
	defer store.Close()
	open, prompts := map[event.TurnID]int{}, map[event.PromptID]bool{}
	for rec, err := range store.Read(h.t.Context(), event.SessionID(session), 1) {
		if err != nil {
			h.t.Fatal(err)
		}
		if records = append(records, rec); rec.Seq != uint64(len(records)) {
			h.t.Fatalf("record %d is at place %d", rec.Seq, len(records))
		}
		switch e := rec.Event.(type) {
		case event.TurnStarted:
			open[rec.Turn]++
		case event.TurnEnded:
			open[rec.Turn]--
		case event.UserMessage:
			if prompts[e.ID] {
				h.t.Errorf("prompt %s is there twice", e.ID)
			}
			prompts[e.ID] = true
		}
	}
	for turn, n := range open {
		if n != 0 {
			h.t.Errorf("turn %s: %d more begins than ends", turn, n)
		}
	}
	return records
}

// A flint is an app-server that has a process of its own.
type flint struct {
	*relayed
	h     *handing
	asked int
}

func (h *handing) flint() *flint {
	h.t.Helper()
	f := &flint{relayed: embedded(h.t, h.Place, "app-server"), h: h}
	f.send(flintHello)
	f.until(`"id":0`, `"result"`)
	return f
}

// request sends a request and returns the line of its answer.
func (f *flint) request(method, params string) string {
	f.t.Helper()
	f.asked++
	f.send(fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`, f.asked, method, params))
	return f.until(fmt.Sprintf(`"id":%d,`, f.asked))
}

// resume resumes a thread and returns the answer, which has all its turns.
func (f *flint) resume(thread string) string {
	f.t.Helper()
	return f.request("thread/resume", fmt.Sprintf(`{"threadId":%q}`, thread))
}

// start begins a turn and returns the answer.
func (f *flint) start(thread, text string) string {
	f.t.Helper()
	return f.request("turn/start", fmt.Sprintf(`{"threadId":%q,"input":[{"type":"text","text":%q}]}`, thread, text))
}

// turn has a whole turn.
func (f *flint) turn(thread, text string) {
	f.t.Helper()
	if answer := f.start(thread, text); !strings.Contains(answer, `"result"`) {
		f.t.Fatalf("turn/start: %s", answer)
	}
	f.until(`"turn/completed"`, `"completed"`)
}

// rpc starts a native client that has a process of its own.
func (h *handing) rpc(name string) (*client, *stage.Process) {
	h.t.Helper()
	process := stage.Launch(h.t, h.Command(h.t, "rpc"))
	if err := process.Stdout.SetReadDeadline(time.Now().Add(stage.Patience)); err != nil {
		h.t.Fatal(err)
	}
	pipes := struct {
		io.Reader
		io.WriteCloser
	}{process.Stdout, process.Stdin}
	c := &client{t: h.t, name: name, conn: pipes, lines: bufio.NewReader(process.Stdout)}
	c.must("initialize", map[string]any{"protocol": 1, "client": map[string]any{"name": name}}, nil)
	return c, process
}

// create makes the session of the test.
func (h *handing) create(c *client) string {
	h.t.Helper()
	c.must("session/create", map[string]any{"workspace": h.Work, "id": "s-1", "settings": map[string]any{"mode": "danger-full-access"}}, nil)
	return "s-1"
}

// turn has a whole turn, which the client follows.
func (c *client) turn(session, id, text string) {
	c.t.Helper()
	c.prompt(session, id, text)
	c.untilEnd(text)
}

// untilEnd reads records to the end of the turn of that prompt, and checks that no number is missing or there twice.
func (c *client) untilEnd(text string) {
	c.t.Helper()
	for found, last := false, 0; ; {
		rec := c.record("the end of the turn")
		if last != 0 && rec.Seq != last+1 {
			c.t.Errorf("%s: record %d after %d", c.name, rec.Seq, last)
		}
		last = rec.Seq
		found = found || rec.Kind == "user_message" && strings.Contains(string(rec.Data), `"`+text+`"`)
		if found && rec.Kind == "turn_ended" {
			return
		}
	}
}

// handedOver reads up to the notification that another process has the session, and follows anew. It returns the number from
// which on.
func (c *client) handedOver(session string) (from int) {
	c.t.Helper()
	closed := c.notified("session/closed")
	if closed.Params.Reason != "handed_over" || closed.Params.Session != session || closed.Params.Head == 0 {
		c.t.Fatalf("%s: session/closed: %+v", c.name, closed.Params)
	}
	for _, rec := range c.seen {
		if rec.Seq > closed.Params.Head {
			c.t.Errorf("%s: record %d came, and %d was the last", c.name, rec.Seq, closed.Params.Head)
		}
	}
	c.seen = nil
	c.follow(session, closed.Params.Head+1)
	return closed.Params.Head + 1
}

// TestFlintProcessesAlternate: two app-servers have turns on one thread by turns, and each knows all that was said.
func TestFlintProcessesAlternate(t *testing.T) {
	t.Parallel()
	h := handingOver(t, answers(6)...)
	a, b := h.flint(), h.flint()
	started := a.request("thread/start", `{}`)
	thread := between(t, started, `"id":"`, `"`)
	h.said = nil
	turn := 0
	for range 3 {
		for _, f := range []*flint{a, b} {
			resumed := f.resume(thread)
			for _, text := range h.said {
				if !strings.Contains(resumed, text) {
					t.Errorf("turn %d: a resumed thread has no %q: %s", turn+1, text, resumed)
				}
			}
			turn++
			prompt := fmt.Sprintf("Prompt %d.", turn)
			f.turn(thread, prompt)
			h.turned(turn, prompt)
		}
	}
	a.exits(0)
	b.exits(0)
	if ends := len(h.check(thread)); ends == 0 {
		t.Error("no record")
	}
}

// between returns what is between two texts.
func between(t *testing.T, line, before, after string) string {
	t.Helper()
	_, rest, ok := strings.Cut(line, before)
	found, _, ok2 := strings.Cut(rest, after)
	if !ok || !ok2 {
		t.Fatalf("nothing between %q and %q: %s", before, after, line)
	}
	return found
}

// TestNativeHandsOver: a native client is notified when a process of another dialect gets its session, follows anew, sees the
// turn of that process, and goes on with the next prompt.
func TestNativeHandsOver(t *testing.T) {
	t.Parallel()
	h := handingOver(t, answers(7)...)
	a, process := h.rpc("a")
	session := h.create(a)
	a.follow(session, 1)
	a.turn(session, "p-1", "First.")
	h.turned(1, "First.")

	sf := embedded(t, h.Place, "scaiflux", "serve", "--resume", session)
	sf.until(`"ready"`, session)
	a.handedOver(session) // opening is enough; since the ScaiFlux process has nothing to do the session comes back
	for turn := 2; turn <= 6; turn += 2 {
		prompt := fmt.Sprintf("Prompt %d.", turn)
		sf.send(fmt.Sprintf(`{"type":"prompt","text":%q}`, prompt))
		a.handedOver(session)
		sf.until(`"turn_complete"`, `"end_turn"`)
		h.turned(turn, prompt)
		a.untilEnd(prompt)

		prompt = fmt.Sprintf("Prompt %d.", turn+1)
		a.turn(session, fmt.Sprint("p-", turn), prompt)
		h.turned(turn+1, prompt)
	}
	sf.exits(0)
	process.Stdin.Close()
	if code := process.Code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	h.check(session)
}

// TestTwoNativeProcesses: two native clients, each with a process of its own, both follow a session and have turns by turns.
// Following does not take the session away from the other.
func TestTwoNativeProcesses(t *testing.T) {
	t.Parallel()
	h := handingOver(t, answers(6)...)
	a, _ := h.rpc("a")
	b, _ := h.rpc("b")
	session := h.create(a)
	a.follow(session, 1)
	a.turn(session, "p-1", "Prompt 1.")
	h.turned(1, "Prompt 1.")
	b.must("session/open", map[string]any{"session": session}, nil)
	a.handedOver(session)
	b.follow(session, 1)
	b.untilEnd("Prompt 1.")
	holder, other := b, a
	for turn := 2; turn <= 6; turn++ {
		prompt := fmt.Sprintf("Prompt %d.", turn)
		writer := other
		if turn%3 == 0 { // the one that has it goes on
			writer = holder
		}
		writer.prompt(session, fmt.Sprint("p-", turn), prompt)
		if writer == other {
			holder.handedOver(session)
			holder, other = other, holder
		}
		holder.untilEnd(prompt)
		other.untilEnd(prompt)
		h.turned(turn, prompt)
	}
	for _, c := range []*client{a, b} {
		var state struct {
			Turns  int    `json:"turns"`
			Status string `json:"status"`
		}
		c.must("session/state", map[string]any{"session": session}, &state)
		if state.Turns != 6 || state.Status != "idle" {
			t.Errorf("%s: %+v", c.name, state)
		}
		if len(c.seen) > 0 {
			t.Errorf("%s: %d records too many", c.name, len(c.seen))
		}
	}
	h.check(session)
}

// TestHostAndEmbedded: a host needs the session that a client of it has open, also when nothing runs; one that all have left goes
// to a process of another dialect, and comes back.
func TestHostAndEmbedded(t *testing.T) {
	t.Parallel()
	h := handingOver(t, answers(5)...)
	s := serve(t, h.Place)
	a := s.client("a")
	session := h.create(a)
	a.follow(session, 1)
	a.turn(session, "p-1", "First.")
	h.turned(1, "First.")
	byHost := fmt.Sprintf("in use by process %d, a host: join the session there with parley tui, or a client with --host unix:%s", s.ready.PID, s.ready.Socket)
	refused := embedded(t, h.Place, "scaiflux", "serve", "--resume", session)
	refused.until(`"bootstrap_failed"`, byHost)
	refused.exits(1)

	a.must("session/close", map[string]any{"session": session}, nil)
	sf := embedded(t, h.Place, "scaiflux", "serve", "--resume", session)
	sf.until(`"ready"`, session)
	for turn := 2; turn <= 4; turn += 2 {
		prompt := fmt.Sprintf("Prompt %d.", turn)
		sf.send(fmt.Sprintf(`{"type":"prompt","text":%q}`, prompt))
		sf.until(`"turn_complete"`, `"end_turn"`)
		h.turned(turn, prompt)

		b := s.client("b")
		b.follow(session, 1)
		b.untilEnd(prompt)
		sf.send(`{"type":"prompt","text":"Too early."}`)
		sf.until(`"error"`, byHost)
		prompt = fmt.Sprintf("Prompt %d.", turn+1)
		b.turn(session, fmt.Sprint("p-", turn), prompt)
		h.turned(turn+1, prompt)
		b.must("session/close", map[string]any{"session": session}, nil)
	}
	sf.exits(0)
	h.check(session)
}

// TestHostRequests: a host requests the session that an idle native process has, and that process sees what happens there.
func TestHostRequests(t *testing.T) {
	t.Parallel()
	h := handingOver(t, answers(2)...)
	own, process := h.rpc("own")
	session := h.create(own)
	own.follow(session, 1)
	own.turn(session, "p-1", "First.")
	h.turned(1, "First.")
	s := serve(t, h.Place)
	a := s.client("a")
	a.must("session/open", map[string]any{"session": session}, nil)
	own.handedOver(session)
	a.follow(session, 1)
	a.turn(session, "p-2", "Second.")
	h.turned(2, "Second.")
	own.untilEnd("Second.")
	late := own.call("turn/prompt", map[string]any{"session": session, "id": "p-3", "blocks": []map[string]any{{"kind": "text", "text": "x"}}})
	if late.Error == nil || late.Error.Code != -32012 || !strings.Contains(late.Error.Message, fmt.Sprintf("in use by process %d", s.ready.PID)) {
		t.Errorf("a prompt while the host has it: %+v", late.Error)
	}
	process.Stdin.Close()
	if code := process.Code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	h.check(session)
}

// TestBusyHolder: a process with a running turn is named in the error, and others can do nothing but look until it has ended.
func TestBusyHolder(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	h := handingOver(t, append(answers(1), modeltest.Stream(modeltest.Text("Answer 2."), modeltest.Wait(gate)), answers(3)[2])...)
	f := h.flint()
	thread := between(t, f.request("thread/start", `{}`), `"id":"`, `"`)
	f.turn(thread, "First.")
	h.turned(1, "First.")
	f.start(thread, "Second.")
	f.until("Answer 2.")
	named := fmt.Sprintf("in use by process %d", f.process.Cmd.Process.Pid)
	c, _ := h.rpc("c")
	opened := c.call("session/open", map[string]any{"session": thread})
	if opened.Error == nil || opened.Error.Code != -32012 || !strings.Contains(opened.Error.Message, named) {
		t.Errorf("session/open: %+v", opened.Error)
	}
	refused := embedded(t, h.Place, "scaiflux", "serve", "--resume", thread)
	refused.until(`"bootstrap_failed"`, named)
	refused.exits(1)
	if _, err := os.Lstat(filepath.Join(h.State(), "sessions", thread, "lease.wanted")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("lease.wanted: %v", err)
	}
	close(gate)
	f.until(`"turn/completed"`, `"completed"`)
	h.turned(2, "Second.")
	c.must("session/open", map[string]any{"session": thread}, nil)
	c.follow(thread, 1)
	c.untilEnd("Second.")
	c.turn(thread, "p-3", "Third.")
	h.turned(3, "Third.")
	h.check(thread)
}

// TestHostReadsBusySession: an owner reads, follows and forks on a host what another process works on, changes nothing of it, and goes on
// with it after that.
func TestHostReadsBusySession(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	h := handingOver(t, append(answers(1), modeltest.Stream(modeltest.Text("Answer 2."), modeltest.Wait(gate)), answers(3)[2])...)
	f := h.flint()
	thread := between(t, f.request("thread/start", `{}`), `"id":"`, `"`)
	f.turn(thread, "First.")
	h.turned(1, "First.")
	f.start(thread, "Second.")
	f.until("Answer 2.")
	s := serve(t, h.Place)
	a := s.client("a")
	a.must("session/open", map[string]any{"session": thread}, nil)
	a.follow(thread, 1)
	for said := ""; !strings.Contains(said, "Second."); {
		said = string(a.record("the prompt of the running turn").Data)
	}
	late := a.call("turn/prompt", map[string]any{"session": thread, "id": "p-x", "blocks": []map[string]any{{"kind": "text", "text": "x"}}})
	if late.Error == nil || late.Error.Code != -32012 || !strings.Contains(late.Error.Message, fmt.Sprintf("in use by process %d", f.process.Cmd.Process.Pid)) {
		t.Errorf("a prompt meanwhile: %+v", late.Error)
	}
	a.must("session/state", map[string]any{"session": thread}, nil)
	a.must("session/fork", map[string]any{"session": thread}, nil)
	close(gate)
	f.until(`"turn/completed"`, `"completed"`)
	h.turned(2, "Second.")
	a.until("turn_ended")
	a.turn(thread, "p-3", "Third.")
	h.turned(3, "Third.")
	h.check(thread)
}

// requested waits until a process requests the lease of a session.
func (h *handing) requested(session string, request func()) {
	h.t.Helper()
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		h.t.Fatal(err)
	}
	defer watcher.Close()
	folder := filepath.Join(h.State(), "sessions", session)
	if err := watcher.Add(folder); err != nil {
		h.t.Fatal(err)
	}
	request()
	for {
		change := stage.Await(h.t, watcher.Events, "a request of the lease")
		if change.Name == filepath.Join(folder, "lease.wanted") && change.Has(fsnotify.Create) {
			return
		}
	}
}

// stop stops a process until SIGCONT, and waits until it has stopped.
func stop(t *testing.T, p *stage.Process) {
	t.Helper()
	p.Signal(syscall.SIGSTOP)
	var status syscall.WaitStatus
	for !status.Stopped() {
		if _, err := syscall.Wait4(p.Cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil && !errors.Is(err, syscall.EINTR) {
			t.Fatal(err)
		}
	}
}

// killed has two native processes on one session, both after a turn; the first one has it.
func killed(t *testing.T, replies ...modeltest.Reply) (h *handing, session string, a, b *client, pa, pb *stage.Process) {
	t.Helper()
	h = handingOver(t, append(answers(2), replies...)...)
	a, pa = h.rpc("a")
	b, pb = h.rpc("b")
	session = h.create(a)
	a.follow(session, 1)
	a.turn(session, "p-1", "Prompt 1.")
	h.turned(1, "Prompt 1.")
	b.must("session/open", map[string]any{"session": session}, nil)
	b.follow(session, 1)
	a.handedOver(session)
	a.turn(session, "p-2", "Prompt 2.")
	h.turned(2, "Prompt 2.")
	b.handedOver(session)
	b.untilEnd("Prompt 2.")
	return h, session, a, b, pa, pb
}

func (c *client) promptLine(session, id, text string) string {
	c.asked++
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"turn/prompt","params":{"session":%q,"id":%q,"blocks":[{"kind":"text","text":%q}]}}`, c.asked, session, id, text)
}

// TestKilledWhileHandingOver: whichever of two processes is killed, at whatever step, the other one has the session, with every
// record that was acknowledged, and none twice.
func TestKilledWhileHandingOver(t *testing.T) {
	t.Parallel()
	third := answers(3)[2]
	t.Run("holder idle", func(t *testing.T) {
		h, session, _, b, pa, _ := killed(t, third)
		pa.Kill()
		b.turn(session, "p-3", "Prompt 3.")
		h.turned(3, "Prompt 3.")
		h.check(session)
	})
	t.Run("holder with a request", func(t *testing.T) {
		h, session, _, b, pa, _ := killed(t, third)
		stop(t, pa)
		h.requested(session, func() { b.write(b.promptLine(session, "p-3", "Prompt 3.")) })
		pa.Kill()
		b.untilEnd("Prompt 3.")
		h.turned(3, "Prompt 3.")
		h.check(session)
	})
	t.Run("requester waiting", func(t *testing.T) {
		h, session, a, b, pa, pb := killed(t, third)
		stop(t, pa)
		h.requested(session, func() { b.write(b.promptLine(session, "p-3", "Prompt 3.")) })
		pb.Kill()
		pa.Signal(syscall.SIGCONT)
		a.handedOver(session)
		a.turn(session, "p-3", "Prompt 3.")
		h.turned(3, "Prompt 3.")
		h.check(session)
	})
	t.Run("holder silent", func(t *testing.T) {
		h, session, a, b, pa, _ := killed(t, third)
		stop(t, pa)
		refused := b.call("turn/prompt", map[string]any{"session": session, "id": "p-x", "blocks": []map[string]any{{"kind": "text", "text": "x"}}})
		if refused.Error == nil || refused.Error.Code != -32012 || !strings.Contains(refused.Error.Message, fmt.Sprint("in use by process ", pa.Cmd.Process.Pid)) {
			t.Errorf("a prompt while the holder is stopped: %+v", refused.Error)
		}
		pa.Signal(syscall.SIGCONT)
		a.turn(session, "p-3", "Prompt 3.")
		h.turned(3, "Prompt 3.")
		h.check(session)
	})
	t.Run("new holder in its turn", func(t *testing.T) {
		gate := make(chan struct{})
		defer close(gate)
		h, session, a, b, _, pb := killed(t, modeltest.Stream(modeltest.Text("Half"), modeltest.Wait(gate)), answers(4)[3])
		b.prompt(session, "p-3", "Prompt 3.")
		a.handedOver(session)
		for range 3 {
			stage.Await(t, h.calls, "a call of the model")
		}
		pb.Kill()
		ended := a.until("turn_ended")
		if last := ended[len(ended)-1]; !strings.Contains(string(last.Data), `"heir":true`) {
			t.Errorf("the turn of the dead process ends as %s", last.Data)
		}
		a.turn(session, "p-4", "Prompt 4.")
		for _, rec := range h.check(session) {
			if m, ok := rec.Event.(event.UserMessage); ok && m.ID == "p-4" {
				return
			}
		}
		t.Error("the prompt after it is not in the journal")
	})
}
