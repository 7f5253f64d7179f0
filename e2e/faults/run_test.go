//go:build linux

package faults

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// What is said in each cell: a first turn that is over and acknowledged, the one that the
// fault meets, and one after it.
const (
	firstPrompt, firstAnswer = "Remember the number 7.", "Seven, noted."
	workPrompt               = "Now work."
	thenPrompt, thenAnswer   = "And now?", "Here I am."
)

// A run is one cell under way.
type run struct {
	*testing.T
	face  *face
	phase *phase
	fault *fault

	place   *stage.Place
	mark    stage.Mark
	held    *stage.Held
	backend *stage.Backend
	first   *role
	work    *role
	then    *role
	sums    *role          // sums up
	gate    chan struct{}  // what the model waits for in the phase
	agent   *scriptedAgent // runs the turns; nil: the program itself does
	session string         // as clients open it again, where they have to name it

	// The process, and what changes with each.
	client   client
	proc     *stage.Process
	stdin    io.Writer
	tap      *tap
	at       int // signs that are dealt with
	begun    int // signs before the turn of the phase
	asks     *asks
	accepted bool // the prompt of the phase was
	unread   bool // the output was not read to its end
	opening  sync.Once
	syncs    func() // lets fsync work again; nil: it works
}

// A role is one of the prompts as the model knows it.
type role struct {
	server            *modeltest.Server
	arrived, finished chan struct{}
}

func newRole(t testing.TB, script ...modeltest.Reply) *role {
	return &role{modeltest.NewServer(t, script...), make(chan struct{}, 64), make(chan struct{}, 64)}
}

func newRun(t *testing.T, c cell) *run {
	t.Helper()
	r := &run{T: t, face: c.face, phase: c.phase, fault: c.fault, gate: make(chan struct{})}
	r.place = stage.NewPlace(t)
	r.mark = stage.NewMark(r.place)
	r.held = stage.Holding(t, r.place.Work)
	if err := syscall.Mkfifo(filepath.Join(r.place.Work, "go"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range r.face.files {
		path := filepath.Join(r.place.Home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.first = newRole(t, r.firstAnswers())
	r.sums = newRole(t, r.summaries()...)
	r.work = newRole(t, r.script()...)
	r.then = newRole(t, modeltest.Stream(modeltest.Text(thenAnswer)), modeltest.Stream(modeltest.Text(thenAnswer)))
	r.backend = stage.NewBackend(t, modeltest.OpenAIChat, r.answer)
	if r.face.agent {
		r.agent = r.newAgent()
		return r
	}
	name, env := r.backend.Settings()
	r.place.Model = name
	r.place.Env = append(r.place.Env, env...)
	return r
}

// launch starts a process of a face.
func (r *run) launch(f *face, args []string) {
	r.Helper()
	r.client = f.dial()
	r.proc = stage.Launch(r, r.place.Command(r, args...))
	r.at, r.unread, r.stdin = 0, false, r.proc.Stdin
	r.asks = &asks{stdin: r.stdin, client: r.client}
	r.tap = listen(r, r.proc.Stdout, r.client.read, r.asks.hear)
}

// send writes lines; the process must be there.
func (r *run) send(lines string) {
	r.Helper()
	if _, err := io.WriteString(r.stdin, lines); err != nil {
		r.Fatalf("write: %v", err)
	}
}

// hangUp closes the input.
func (r *run) hangUp() {
	if c, ok := r.stdin.(io.Closer); ok {
		c.Close()
	}
}

// await waits for the next sign of a kind.
func (r *run) await(k kind) sign {
	r.Helper()
	s, at := r.tap.await(k, r.at)
	r.at = at
	return s
}

// opens waits, after so many signs, until a session is open; false: that is refused, or the
// process ends.
func (r *run) opens(after int) (there bool) {
	r.Helper()
	r.tap.until("the session", func(signs []sign, over bool) bool {
		there = count(signs[after:], opened) > 0
		return there || over || count(signs[after:], refused) > 0
	})
	return there
}

// say sends a prompt that must be accepted, and reads to the end of its turn, which ends well.
func (r *run) say(prompt, answer string) {
	r.Helper()
	r.asks.allow(true)
	r.at = len(r.tap.heard())
	begun := r.at
	r.send(r.client.prompt(prompt))
	if s := r.await(ended); s.how != completed {
		r.Fatalf("the turn of %q is %s", prompt, s.how)
	}
	if got := said(r.tap.heard(), begun); !strings.HasPrefix(got, answer) {
		r.Errorf("the answer to %q is %q", prompt, got)
	}
}

// prompt sends the prompt of the phase.
func (r *run) prompt() {
	r.Helper()
	r.at = len(r.tap.heard())
	r.begun = r.at
	r.send(r.client.prompt(workPrompt))
}

// taken waits until the prompt of the phase is accepted.
func (r *run) taken() {
	r.Helper()
	r.accepted = true
	var s sign
	if !r.face.tacit {
		s, _ = r.tap.await(accepted, r.at)
	}
	r.client.accepted(s)
}

// goOn lets happen what the phase waits for: the model speaks, calls are allowed, commands end.
func (r *run) goOn() {
	r.openGate()
	r.asks.allow(true)
	r.release()
}

// release lets the command of the phase end.
func (r *run) release() {
	f, err := os.OpenFile(filepath.Join(r.place.Work, "go"), os.O_RDWR, 0) // does not wait for a reader
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { f.Close() })
	write(f, "went\n")
}

// asks answers what is asked about calls, once each.
type asks struct {
	stdin  io.Writer
	client client

	mu       sync.Mutex
	allowing bool
	waiting  []sign
}

func (a *asks) hear(s sign) {
	if s.kind != asked {
		return
	}
	a.mu.Lock()
	a.waiting = append(a.waiting, s)
	a.mu.Unlock()
	a.answer()
}

// allow sets whether calls are allowed from now on, including those that wait.
func (a *asks) allow(all bool) {
	a.mu.Lock()
	a.allowing = all
	a.mu.Unlock()
	a.answer()
}

func (a *asks) answer() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for ; a.allowing && len(a.waiting) > 0; a.waiting = a.waiting[1:] {
		write(a.stdin, a.client.allow(a.waiting[0]))
	}
}

// over waits for the end of the process and of its output, and is the exit code.
func (r *run) over() int {
	r.Helper()
	if !r.unread {
		r.tap.end()
	}
	return r.proc.Code()
}

// wantExit waits for the end, which has the code that is documented for this way.
func (r *run) wantExit(way string) {
	r.Helper()
	code := r.over()
	early := r.phase == &unspoken && code == -1 // it could not yet listen to signals
	if !r.face.exit(way, code) && !early {
		r.Errorf("exit code %d, documented is %v", code, r.face.exits[way])
	}
}

// wantEnded waits for the end of the turn, which is so.
func (r *run) wantEnded(how outcome) {
	r.Helper()
	if s := r.await(ended); s.how != how {
		r.Errorf("the turn is %s, want %s; the last line is %.500s", s.how, how, r.tap.last)
	}
}

// goesOn is the end of a cell whose process lives: it answers another prompt, listens
// nowhere, and ends well.
func (r *run) goesOn() {
	r.Helper()
	r.say(thenPrompt, thenAnswer)
	r.endsWell()
}

// endsWell is the end of a process that has answered the last prompt.
func (r *run) endsWell() {
	r.Helper()
	if sockets := stage.Listening(r.proc.Cmd.Process.Pid); len(sockets) > 0 {
		r.Errorf("it listens on %q", sockets)
	}
	r.hangUp()
	if code := r.over(); code != 0 {
		r.Errorf("exit code %d at the end", code)
	}
	r.checkWire(true)
	r.checkAsked()
	r.checkRest()
}

// alone waits until of all that the process has started only its reaper is left.
func (r *run) alone() {
	r.Helper()
	r.mark.WantEnded(r, func(pid int, command string) bool {
		return pid == r.proc.Cmd.Process.Pid || strings.Contains(command, "parley-reaper")
	})
}

// heir is the end of a cell whose process is gone: no process is left, and another one opens
// the session and continues it.
func (r *run) heir() {
	r.Helper()
	r.mark.WantEnded(r, nil)
	r.checkTemp()
	f := r.face.opener()
	if !r.phase.session {
		r.checkRest()
		return
	}
	r.launch(f, f.again)
	if !r.client.again(r) {
		r.Fatalf("the session is not opened again; %s", r.proc.Stderr)
	}
	r.say(thenPrompt, thenAnswer)
	r.hangUp()
	if code := r.over(); code != 0 {
		r.Errorf("exit code %d of the heir", code)
	}
	r.checkWire(true)
	r.checkAsked()
	r.checkRest()
}

// answer returns who answers a request: the last prompt in it says that; who offers no tools wants
// a summary.
func (r *run) answer(body []byte) http.Handler {
	who, at := r.first, bytes.LastIndex(body, []byte(firstPrompt))
	if i := bytes.LastIndex(body, []byte(workPrompt)); i > at {
		who, at = r.work, i
	}
	if bytes.LastIndex(body, []byte(thenPrompt)) > at {
		who = r.then
	}
	if !bytes.Contains(body, []byte(`"tools":`)) {
		who = r.sums
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		who.arrived <- struct{}{}
		who.server.ServeHTTP(w, req)
		who.finished <- struct{}{}
	})
}
