package extension

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/wire"
)

const (
	lineLimit = 64 << 20 // bytes of a line from the process
	outBound  = 16 << 20 // bytes that wait for it before others wait
)

// launch starts the process. It is not confined: what extensions may do is for the user who
// has put them where they are.
func launch(ctx context.Context, o Options, modules []string, s Session) (*Host, error) {
	runtime, err := runtimeFor(o.Runtime, o.Environ, modules)
	if err != nil {
		return nil, err
	}
	folder, err := unpack(o.State)
	if err != nil {
		return nil, fmt.Errorf("the code for extensions could not be written: %w", err)
	}
	pipes, err := openPipes()
	if err != nil {
		return nil, err
	}
	h := &Host{
		options: o, session: s, log: o.Log, gone: make(chan struct{}), ready: make(chan struct{}), line: make(chan struct{}, 1), answered: make(chan struct{}, 1),
		waiting: map[int64]*pendingCall{}, requests: map[int64]context.CancelFunc{}, heard: time.Now(), toHost: pipes.toHost,
	}
	running, kill := context.WithCancelCause(context.Background()) // not ctx: it outlives the start
	h.kill = kill
	h.life, h.die = context.WithCancel(context.Background())
	words := newOutputLog(o.Log)
	args, environ := manner(runtime, folder, o.Environ)
	h.process, err = o.Spawner.Start(running, sandbox.Command{
		Path: runtime, Args: args, Dir: folder, Env: environ,
		Stdout: words, Stderr: words, Files: pipes.given, Confine: sandbox.Policy{Level: sandbox.Full},
	})
	closeAll(pipes.given)
	if err != nil {
		kill(nil)
		h.die()
		closeAll(pipes.own())
		return nil, err
	}
	h.out = wire.NewOutbox(wire.NewWriter(pipes.toHost), outBound)
	h.crew.Go(func() { h.read(pipes.fromHost) })
	h.crew.Go(func() { h.answer(pipes.questions, pipes.answers) })
	h.crew.Go(h.watch)
	h.crew.Go(func() {
		exit := h.process.Wait()
		words.Flush()
		h.over(exit, last(words))
		closeAll(pipes.own())
		h.out.Close()
	})
	return h, nil
}

// manner returns how a runtime is started with the program in a folder. Bun would get packages that
// are not there from the network.
func manner(runtime, folder string, own []string) (args, environ []string) {
	main := filepath.Join(folder, mainModule)
	if !strings.HasPrefix(filepath.Base(runtime), "bun") {
		return []string{main}, own
	}
	path := filepath.Join(folder, standIns)
	for _, entry := range own {
		if before, ok := strings.CutPrefix(entry, "NODE_PATH="); ok {
			path = before + string(filepath.ListSeparator) + path
			continue
		}
		environ = append(environ, entry)
	}
	return []string{"--no-install", main}, append(environ, "NODE_PATH="+path)
}

// pipes are the lines to a process: given are its descriptors 3 to 6.
type pipes struct {
	given                                []*os.File
	toHost, fromHost, questions, answers *os.File
}

func openPipes() (p pipes, err error) {
	var all []*os.File
	pipe := func() (r, w *os.File) {
		if err != nil {
			return nil, nil
		}
		r, w, err = os.Pipe()
		if err == nil {
			all = append(all, r, w)
		}
		return r, w
	}
	in, toHost := pipe()
	fromHost, out := pipe()
	questions, ask := pipe()
	answered, answers := pipe()
	if err != nil {
		closeAll(all)
		return p, err
	}
	return pipes{[]*os.File{in, out, ask, answered}, toHost, fromHost, questions, answers}, nil
}

func (p pipes) own() []*os.File {
	return []*os.File{p.toHost, p.fromHost, p.questions, p.answers}
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // again, maybe
	}
}

// over settles everything that waits for the process, and reports its end, unless it was closed.
func (h *Host) over(exit sandbox.Exit, last string) {
	h.mu.Lock()
	problem := h.why
	switch {
	case problem != "":
	case exit.Killed != nil:
		problem = "the process of the extensions was killed: " + exit.Killed.Error()
	case exit.Signal != "":
		problem = "the process of the extensions was ended by " + exit.Signal + last
	default:
		problem = fmt.Sprintf("the process of the extensions ended with exit code %d%s", exit.Code, last)
	}
	h.why = problem
	paths := h.registered.Paths
	if h.closing {
		paths = nil
	}
	h.registered = Registered{}
	h.mu.Unlock()
	h.die()
	for _, path := range paths {
		h.session.Failed(Failure{path, "host", problem})
	}
	close(h.gone)
}

// A gone is why there is no process any more.
type gone string

func (g gone) Error() string        { return string(g) }
func (g gone) Is(target error) bool { return target == errGone }

func (h *Host) ended() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return gone(h.why)
}

// watch ends a process that is blocked: it has a request, and for as long as that
// may take it has not even answered a ping.
func (h *Host) watch() {
	step := max(h.shortest()/8, time.Millisecond)
	tick := time.NewTicker(step)
	defer tick.Stop()
	for {
		select {
		case <-h.gone:
			return
		case <-tick.C:
		}
		if limit := h.silent(time.Now(), step); limit > 0 {
			h.kill(errGone)
		}
	}
}

func (h *Host) shortest() time.Duration {
	l := h.options.Limits
	return slices.Min([]time.Duration{l.Load, l.Handler, l.Silence, 8 * time.Second})
}

// silent sends a ping where it is time to, and returns how long there was no answer where
// that was too long.
func (h *Host) silent(now time.Time, step time.Duration) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	quiet := now.Sub(h.heard)
	if len(h.waiting) == 0 || quiet < 2*step || h.why != "" {
		return 0
	}
	pinged, most := false, time.Duration(0)
	for _, a := range h.waiting {
		pinged = pinged || a.method == "ping"
		if a.method != "ping" && now.Sub(a.since) > a.patience && quiet > a.patience {
			most = max(most, a.patience)
		}
	}
	if !pinged {
		h.send(h.enter(&pendingCall{method: "ping", since: now, answered: make(chan reply, 1)}), "ping", nil)
	}
	if most > 0 {
		h.why = fmt.Sprintf("the extensions stood still for %v: their process was ended", most)
	}
	return most
}
