//go:build unix

package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Spawner starts commands and answers for their end: whatever a command started is gone
// when its Wait returns, and when this process is gone, even by kill -9.
//
// Each command leads a process group of its own. What leaves the group is found by a mark
// that every process inherits in its environment; only on Linux can it be looked for, and
// a process that also wipes its environment is not found. A Spawner is safe for use by
// several goroutines. It takes up threads and processes at the first Start only.
type Spawner struct {
	options Options
	linger  time.Duration
	id      string        // begins every mark; unguessable, hence unique on the machine
	method  func() method // of confinement, settled at the first need
	starter starter
	keeper  keeper

	mu      sync.Mutex
	closing chan struct{} // closed by Close
	serial  int           // of the last command
	running sync.WaitGroup
}

// markName is the environment variable that carries the marks of a process: its
// Spawner's, behind those of the Spawners above, if this process is itself a command.
const markName = "PARLEY_SPAWN"

// NewSpawner returns a Spawner, which the caller must Close.
func NewSpawner(o Options) *Spawner {
	if o.Grace == 0 {
		o.Grace = DefaultGrace
	}
	id := rand.Text()
	return &Spawner{
		options: o, linger: linger, id: id,
		method: sync.OnceValue(func() method { return chooseMethod(o) }),
		keeper: keeper{mark: id, groups: map[int]bool{}}, closing: make(chan struct{}),
	}
}

// Confinement says how commands are confined. The first call, or the first command that
// is confined, tries it out, in some milliseconds.
func (s *Spawner) Confinement() Confinement { return s.method().confinement() }

// Check says why commands cannot run under p; nil if they can.
func (s *Spawner) Check(p Policy) error {
	if p.Level == Full {
		return p.valid()
	}
	return s.Confinement().check(p)
}

// Start starts c. When ctx ends before the command does, the command is interrupted:
// SIGTERM, and SIGKILL after Options.Grace. An error means that nothing runs.
func (s *Spawner) Start(ctx context.Context, c Command) (*Process, error) {
	if err := s.Check(c.Confine); err != nil {
		return nil, err
	}
	if len(c.Files) > 0 && c.Confine.Level != Full {
		return nil, errors.New("a confined command is given no files")
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	mark, err := s.enter()
	if err != nil {
		return nil, err
	}
	p, err := s.start(ctx, c, mark)
	if err != nil {
		s.running.Done()
		return nil, fmt.Errorf("start %s: %w", filepath.Base(c.Path), err)
	}
	go p.supervise(ctx)
	return p, nil
}

// enter counts a command in and returns its mark.
func (s *Spawner) enter() (mark string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closing:
		return "", errors.New("the spawner is closed")
	default:
	}
	s.running.Add(1)
	s.serial++
	return s.id + "." + strconv.Itoa(s.serial) + ";", nil
}

func (s *Spawner) start(ctx context.Context, c Command, mark string) (*Process, error) {
	sealFiles()
	if err := s.keeper.open(); err != nil {
		return nil, err
	}
	l, err := s.prepare(c, environ(c, mark))
	if err != nil {
		return nil, err
	}
	out, files, err := openOutput(c.Stdout, c.Stderr)
	if err != nil {
		l.abandon()
		return nil, err
	}
	given := slices.Concat(files, l.extra, c.Files)
	if c.Stdin != nil {
		given[0] = c.Stdin
	}
	leader, err := s.starter.start(l.path, l.args, &os.ProcAttr{Dir: l.dir, Env: l.env, Files: given, Sys: l.sys})
	closeAll(files)
	if err != nil {
		l.abandon()
		out.abandon()
		if _, missing := os.Stat(c.Dir); missing != nil { // the error blames the program
			err = missing
		}
		return nil, err
	}
	closeAll(l.extra)
	s.keeper.watch(leader.Pid)
	p := &Process{spawner: s, launch: l, leader: leader, mark: []byte(mark), output: out, done: make(chan struct{})}
	if err := p.begin(ctx); err != nil {
		return nil, err
	}
	out.copy()
	return p, nil
}

// prepare makes the launch of c. A command with the Policy Full needs no method.
func (s *Spawner) prepare(c Command, env []string) (*launch, error) {
	if c.Confine.Level == Full {
		return plainLaunch(c, env), nil
	}
	return s.method().prepare(c, env)
}

// markOf is the mark in what environ returned.
func markOf(env []string) string {
	mark, _ := strings.CutPrefix(env[len(env)-1], markName+"=")
	return mark
}

// environ is c.Env with the right PWD and the mark behind those it has.
func environ(c Command, mark string) []string {
	for _, entry := range c.Env {
		if marks, ok := strings.CutPrefix(entry, markName+"="); ok {
			mark = marks + mark
		}
	}
	env := slices.DeleteFunc(slices.Clone(c.Env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == markName || name == "PWD"
	})
	return append(env, "PWD="+c.Dir, markName+"="+mark)
}

// Close interrupts what still runs, waits for its end and gives everything back. Close is
// called once; a Start that comes after it fails.
func (s *Spawner) Close() {
	s.mu.Lock()
	close(s.closing)
	s.mu.Unlock()
	s.running.Wait()
	s.keeper.close()
	s.starter.close()
}
