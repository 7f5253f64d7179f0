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

	"parley.dev/parley/internal/sandbox/watchdog"
)

// A Spawner starts commands and ends every process that they start: none is left when Wait
// returns, and none is left when this process has ended, even by kill -9.
//
// Each command leads a process group of its own. A process that leaves the group is found by a
// mark that every process inherits in its environment. That search exists on Linux only, and does
// not find a process that also clears its environment. A Spawner is safe for use by several
// goroutines. It starts threads and processes at the first Start only.
type Spawner struct {
	options    Options
	drainDelay time.Duration
	id         string        // the prefix of every mark; random, hence unique on the machine
	method     func() method // of confinement, chosen when it is first needed
	starter    starter
	reaper     reaper
	watchdog   *watchdog.Watchdog // nil: the commands depend on no lease

	mu          sync.Mutex
	closing     chan struct{} // closed by Close
	lastCommand int           // the serial number of the last command
	running     sync.WaitGroup
}

// markName is the environment variable that contains the marks of a process: that of its Spawner,
// after those of outer Spawners if this process is itself a command.
const markName = "PARLEY_SPAWN"

// NewSpawner returns a Spawner, which the caller must Close.
func NewSpawner(o Options) *Spawner {
	if o.Grace == 0 {
		o.Grace = DefaultGrace
	}
	id := rand.Text()
	return &Spawner{
		options: o, drainDelay: drainDelay, id: id,
		method: sync.OnceValue(func() method { return chooseMethod(o) }),
		reaper: reaper{mark: id, temp: o.Temp, groups: map[int]bool{}, paths: map[string]int{}}, closing: make(chan struct{}),
	}
}

// Watch returns a Watchdog that guards all commands: when it was not renewed for a limit, they are killed, and others are refused
// until it is renewed again. Cause is their error. It must be called at most once, before the first Start; Close closes it.
func (s *Spawner) Watch(limit time.Duration, cause error) *watchdog.Watchdog {
	s.watchdog = watchdog.New(limit, cause, func(path string, args []string, attr *os.ProcAttr) (*os.Process, error) {
		setCloseOnExec()
		return s.starter.start(path, args, attr)
	})
	return s.watchdog
}

// TempName returns the name of a new folder in that for temporary files, or in Options.Temp. If this process is killed while commands run or
// after that, the folder is removed; otherwise the caller removes it.
func (s *Spawner) TempName(what string) string {
	id := ""
	if s != nil {
		id = s.id + "-"
	}
	return "parley-" + what + "-" + id + rand.Text()
}

// Confinement returns how commands are confined. The first call, or the first confined command,
// detects it, which takes some milliseconds.
func (s *Spawner) Confinement() Confinement { return s.method().confinement() }

// Check returns an error if commands cannot run under p.
func (s *Spawner) Check(p Policy) error {
	if p.Level == Full {
		return p.valid()
	}
	return s.Confinement().check(p)
}

// Start starts c. When ctx ends before the command does, the command is interrupted: it receives
// SIGTERM, and SIGKILL after Options.Grace. After an error no process of c runs.
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
	mark, err := s.register()
	if err != nil {
		return nil, err
	}
	p, err := s.startGuarded(ctx, c, mark)
	if err != nil {
		s.running.Done()
		return nil, fmt.Errorf("start %s: %w", filepath.Base(c.Path), err)
	}
	go p.supervise(ctx)
	return p, nil
}

// startGuarded starts c unless the Watchdog refuses it.
func (s *Spawner) startGuarded(ctx context.Context, c Command, mark string) (*Process, error) {
	guard, err := s.watchdog.Command(mark)
	if err != nil {
		return nil, err
	}
	p, err := s.start(ctx, c, mark, guard)
	if err != nil {
		if cause := guard.Err(); cause != nil {
			err = cause
		}
		guard.Remove()
		return nil, err
	}
	return p, nil
}

// register adds a command to those that Close waits for, and returns its mark.
func (s *Spawner) register() (mark string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closing:
		return "", errors.New("the spawner is closed")
	default:
	}
	s.running.Add(1)
	s.lastCommand++
	return s.id + "." + strconv.Itoa(s.lastCommand) + ";", nil
}

func (s *Spawner) start(ctx context.Context, c Command, mark string, guard *watchdog.Command) (*Process, error) {
	setCloseOnExec()
	if err := s.reaper.open(); err != nil {
		return nil, err
	}
	l, err := s.prepare(c, environ(c, mark))
	if err != nil {
		return nil, err
	}
	s.reaper.keepPlaceholders(l)
	out, files, err := openOutput(c.Stdout, c.Stderr)
	if err != nil {
		l.discard()
		return nil, err
	}
	inherited := slices.Concat(files, l.files, c.Files)
	if c.Stdin != nil {
		inherited[0] = c.Stdin
	}
	leader, err := s.starter.start(l.path, l.args, &os.ProcAttr{Dir: l.dir, Env: l.env, Files: inherited, Sys: l.sys})
	closeAll(files)
	if err != nil {
		l.discard()
		out.abandon()
		if _, dirErr := os.Stat(c.Dir); dirErr != nil { // err names the program although the folder is missing
			err = dirErr
		}
		return nil, err
	}
	closeAll(l.files)
	if c.Stdout != nil {
		out.pipes[0].end = c.StdoutEnd
	}
	s.reaper.add(leader.Pid)
	guard.Started(leader.Pid)
	p := &Process{spawner: s, launch: l, leader: leader, guard: guard, mark: []byte(mark), output: out, done: make(chan struct{})}
	if err := p.awaitStart(ctx); err != nil {
		return nil, err
	}
	out.copy()
	return p, nil
}

// prepare returns the launch of c. A command with the Policy Full needs no method.
func (s *Spawner) prepare(c Command, env []string) (*launch, error) {
	if c.Confine.Level == Full {
		return plainLaunch(c, env), nil
	}
	return s.method().prepare(c, env)
}

// markOf returns the marks in what environ returned.
func markOf(env []string) string {
	mark, _ := strings.CutPrefix(env[len(env)-1], markName+"=")
	return mark
}

// environ returns c.Env with the correct PWD, and with mark appended to the marks that it has.
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

// Close interrupts the running commands, waits for their end and releases all resources. It must
// be called once; a later Start fails.
func (s *Spawner) Close() {
	s.mu.Lock()
	close(s.closing)
	s.mu.Unlock()
	s.running.Wait()
	s.watchdog.Close()
	s.reaper.close()
	s.starter.close()
}
