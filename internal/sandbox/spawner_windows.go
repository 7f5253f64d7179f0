package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/windows"

	"parley.dev/parley/internal/sandbox/watchdog"
)

// A Spawner starts commands and ends every process that they start: none is left when Wait returns, and none is left when this
// process has ended. Each command has a job object of its own. It is safe for use by several goroutines.
type Spawner struct {
	options    Options
	drainDelay time.Duration
	watchdog   *watchdog.Watchdog // nil: the commands depend on no lease

	mu      sync.Mutex
	closing chan struct{} // closed by Close
	running sync.WaitGroup
}

// NewSpawner returns a Spawner, which the caller must Close.
func NewSpawner(o Options) *Spawner {
	return &Spawner{options: o, drainDelay: drainDelay, closing: make(chan struct{})}
}

// Watch returns a Watchdog that guards all commands: when it was not renewed for a limit, they are killed, and others are refused
// until it is renewed again. Cause is their error. It must be called at most once, before the first Start; Close closes it.
func (s *Spawner) Watch(limit time.Duration, cause error) *watchdog.Watchdog {
	s.watchdog = watchdog.New(limit, cause)
	return s.watchdog
}

// TempName returns the name of a new folder in that for temporary files. The caller removes it.
func (*Spawner) TempName(what string) string { return "parley-" + what + "-" + rand.Text() }

var errNoMethod = errors.New("Windows has no sandbox that Parley can use, so commands run only with all of the user's rights") //nolint:staticcheck // a name

// Confinement returns how commands are confined: not at all.
func (*Spawner) Confinement() Confinement { return Confinement{Detail: errNoMethod.Error()} }

// Check returns an error if commands cannot run under p.
func (s *Spawner) Check(p Policy) error { return s.Confinement().check(p) }

// Start starts c. When ctx ends before the command does, the command is killed.
// After an error no process of c runs.
func (s *Spawner) Start(ctx context.Context, c Command) (*Process, error) {
	if err := s.Check(c.Confine); err != nil {
		return nil, err
	}
	if len(c.Files) > 0 {
		return nil, errors.New("on Windows a command is given no files")
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := s.register(); err != nil {
		return nil, err
	}
	p, err := s.start(c)
	if err != nil {
		s.running.Done()
		return nil, fmt.Errorf("start %s: %w", filepath.Base(c.Path), err)
	}
	go p.supervise(ctx)
	return p, nil
}

// register adds a command to those that Close waits for.
func (s *Spawner) register() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closing:
		return errors.New("the spawner is closed")
	default:
	}
	s.running.Add(1)
	return nil
}

func (s *Spawner) start(c Command) (*Process, error) {
	if err := checkBatch(c.Path, c.Args); err != nil {
		return nil, err
	}
	out, files, err := openOutput(c.Stdout, c.Stderr)
	if err != nil {
		return nil, err
	}
	p, err := s.startInJob(c, slices.Clone(files))
	closeAll(files)
	if err != nil {
		out.abandon()
		if _, dirErr := os.Stat(c.Dir); dirErr != nil { // err names the program although the folder is missing
			err = dirErr
		}
		return nil, err
	}
	if c.Stdout != nil {
		out.pipes[0].end = c.StdoutEnd
	}
	p.output = out
	out.copy()
	return p, nil
}

// startInJob starts c with these files as its first three.
func (s *Spawner) startInJob(c Command, files []*os.File) (*Process, error) {
	j, err := newJob()
	if err != nil {
		return nil, err
	}
	guard, err := s.watchdog.Command(j.kill)
	if err != nil {
		j.close()
		return nil, err
	}
	if c.Stdin != nil {
		files[0] = c.Stdin
	}
	leader, err := j.start(c.Path, append([]string{c.Path}, c.Args...), &os.ProcAttr{
		Dir: c.Dir, Env: withSystemRoot(c.Env), Files: files,
		// A console of its own that is not shown: the user's Ctrl-C is for this process, which ends its commands itself.
		Sys: &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW},
	})
	if err != nil {
		if cause := guard.Err(); cause != nil {
			err = cause
		}
		guard.Remove()
		j.close()
		return nil, err
	}
	if guard.Err() != nil {
		j.kill() // it was killed before it belonged to the job
	}
	return &Process{spawner: s, job: j, leader: leader, guard: guard, done: make(chan struct{})}, nil
}

// withSystemRoot adds the variable without which most programs of Windows fail.
func withSystemRoot(env []string) []string {
	if Variable(env, "SystemRoot") != "" {
		return env
	}
	return append(slices.Clone(env), "SystemRoot="+os.Getenv("SystemRoot"))
}

// Close kills the running commands, waits for their end and releases all resources. It must
// be called once; a later Start fails.
func (s *Spawner) Close() {
	s.mu.Lock()
	close(s.closing)
	s.mu.Unlock()
	s.running.Wait()
	s.watchdog.Close()
}
