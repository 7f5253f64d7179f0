package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/boottime"
	"parley.dev/parley/internal/racetest"
)

var errLease = errors.New("the store could not be reached")

// shortLimit is the limit of tests in which commands are killed, longLimit that of tests in which they are not.
const (
	shortLimit = 300 * time.Millisecond
	longLimit  = time.Hour
)

// stoppedScript is the environment variable that makes the test program run stopped.
const stoppedScript = "SANDBOX_TEST_STOPPED"

// stopped starts text as a command, renews its Watchdog once and stops itself by SIGSTOP. After SIGCONT it writes how the command
// and others ended, and waits for a signal.
func stopped(text string) {
	configuration, life := os.Getenv(victimConfiguration), os.Getenv("LIFELINE")
	s := NewSpawner(configurations[configuration])
	w := s.Watch(shortLimit, errLease)
	ready := make(firstWrite, 1)
	c := script(ready, text, life)
	if configuration != "" {
		c.Confine = Policy{Level: WorkspaceWrite, Writable: []string{filepath.Dir(life)}}
	}
	p, err := s.Start(context.Background(), c)
	if err != nil {
		panic(err)
	}
	<-ready
	sent := boottime.Now()
	w.Renew(sent)
	fmt.Println("sent", sent.Nanoseconds())
	_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
	exit := p.Wait()
	fmt.Println("exit", exit.Signal, exit.Killed)
	_, err = s.Start(context.Background(), script(nil, "true"))
	fmt.Println("refused", err)
	w.Renew(boottime.Now())
	_, err = s.Start(context.Background(), script(nil, "true"))
	fmt.Println("renewed", err)
	select {}
}

// firstWrite is a writer that sends once.
type firstWrite chan struct{}

func (w firstWrite) Write(p []byte) (int, error) {
	select {
	case w <- struct{}{}:
	default:
	}
	return len(p), nil
}

// A stoppedProcess is a process that runs stopped.
type stoppedProcess struct {
	pid    int
	life   *lifeline
	lines  *bufio.Scanner
	sent   time.Duration
	guards []int // the processes of its Watchdog
}

// startStopped starts a stoppedProcess and returns when it has stopped.
func startStopped(t *testing.T, configuration, text string) *stoppedProcess {
	t.Helper()
	p := &stoppedProcess{life: newLifeline(t)}
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), stoppedScript+"="+text, victimConfiguration+"="+configuration, "LIFELINE="+p.life.path)
	c.Stderr = os.Stderr
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	p.pid, p.lines = c.Process.Pid, bufio.NewScanner(stdout)
	sent, err := strconv.ParseInt(p.next(t, "sent"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	p.sent = time.Duration(sent)
	awaitStop(t, p.pid)
	p.guards = guardsOf(p.pid)
	return p
}

// next returns the rest of the next line, which must begin with a word.
func (p *stoppedProcess) next(t *testing.T, word string) string {
	t.Helper()
	for p.lines.Scan() {
		if rest, ok := strings.CutPrefix(p.lines.Text(), word+" "); ok {
			return rest
		}
	}
	t.Fatalf("it has ended before it wrote %q", word)
	return ""
}

// awaitKill waits until the command is dead, although the process is stopped, and wakes the process.
func (p *stoppedProcess) awaitKill(t *testing.T) {
	t.Helper()
	p.life.awaitEnd(t)
	if passed := boottime.Now() - p.sent; passed < shortLimit {
		t.Errorf("killed %v after the renewal", passed)
	}
	if state := statusOf(p.pid, "State"); !strings.HasPrefix(state, "T") {
		t.Errorf("the process is not stopped any more: %s", state)
	}
	if err := unix.Kill(p.pid, unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if got, want := p.next(t, "exit"), "SIGKILL "+errLease.Error(); got != want {
		t.Errorf("exit: %s, want %s", got, want)
	}
	if got, want := p.next(t, "refused"), "start bash: "+errLease.Error(); got != want {
		t.Errorf("a command after the limit: %s, want %s", got, want)
	}
	if got := p.next(t, "renewed"); got != "<nil>" {
		t.Errorf("a command after a renewal: %s", got)
	}
}

// awaitStop waits until a child is stopped by a signal.
func awaitStop(t *testing.T, pid int) {
	t.Helper()
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WNOWAIT, nil)
		if err == nil {
			return
		}
		if err != unix.EINTR {
			t.Fatal(err)
		}
	}
}

// statusOf returns a field of /proc/PID/status.
func statusOf(pid int, field string) string {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// guardsOf returns the processes of the Watchdog of a process.
func guardsOf(parent int) (found []int) {
	for pid := range allProcesses {
		arguments, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && string(arguments) == "parley-watchdog\x00" && statusOf(pid, "PPid") == strconv.Itoa(parent) {
			found = append(found, pid)
		}
	}
	return found
}

const longCommand = `exec 3>"$1"; sleep 1000 & echo ready; wait`

func TestWatchdogOfStoppedProcess(t *testing.T) {
	racetest.Skip(t, racetest.OtherProcesses)
	scripts := map[string]string{
		"grandchild": longCommand,
		"stubborn":   `exec 3>"$1"; trap '' TERM HUP INT; (while :; do sleep 1000; done) & echo ready; wait`,
		"no mark":    `exec 3>"$1"; env -i sleep 1000 & echo ready; wait`,
	}
	for name, text := range daemons {
		scripts["daemon "+name] = text + "echo ready; sleep 1000"
	}
	for name, text := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			startStopped(t, "", text).awaitKill(t)
		})
	}
}

func TestWatchdogOfConfinedCommand(t *testing.T) {
	racetest.Skip(t, racetest.OtherProcesses)
	eachConfiguration(t, func(t *testing.T, _ *Spawner) {
		_, configuration, _ := strings.Cut(t.Name(), "/")
		startStopped(t, strings.ReplaceAll(configuration, "_", " "), longCommand).awaitKill(t)
	})
}

// One of two processes of the Watchdog suffices: a command can kill or stop the other while this process is stopped.
func TestWatchdogWithOneProcess(t *testing.T) {
	racetest.Skip(t, racetest.OtherProcesses)
	for _, signal := range []unix.Signal{unix.SIGKILL, unix.SIGSTOP} {
		for i := range 2 {
			t.Run(fmt.Sprint(unix.SignalName(signal), i), func(t *testing.T) {
				p := startStopped(t, "", longCommand)
				if err := unix.Kill(p.guards[i], signal); err != nil {
					t.Fatal(err)
				}
				p.awaitKill(t)
			})
		}
	}
}

func TestWatchdogProcesses(t *testing.T) {
	racetest.Skip(t, racetest.OtherProcesses)
	p := startStopped(t, "", longCommand)
	if len(p.guards) != 2 {
		t.Fatalf("it has %d processes, want 2", len(p.guards))
	}
	handles := make([]int, len(p.guards))
	for i, pid := range p.guards {
		handle, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(handle)
		handles[i] = handle
		if session, err := unix.Getsid(pid); session != pid {
			t.Errorf("process %d is in the session %d: %v", pid, session, err)
		}
		for _, signal := range []unix.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGTERM} {
			if err := unix.Kill(pid, signal); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.awaitKill(t)
	if err := unix.Kill(p.guards[0], unix.SIGSTOP); err != nil { // it ends with its parent nevertheless
		t.Fatal(err)
	}
	if err := unix.Kill(p.pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for _, handle := range handles {
		awaitProcessEnd(t, handle)
	}
}

func TestWatchdogHasNoOtherFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "inherited")
	fd, err := unix.Open(file, unix.O_CREAT|unix.O_RDWR, 0o600) // without close-on-exec, as an inherited file is
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	s, renew := newWatched(t, longLimit)
	renew(boottime.Now())
	run(t, s, script(nil, "true"))
	guards := guardsOf(os.Getpid())
	if len(guards) != 2 {
		t.Fatalf("it has %d processes, want 2", len(guards))
	}
	for _, pid := range guards {
		files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			target, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, f.Name()))
			own := strings.HasPrefix(target, "anon_inode:") || strings.HasPrefix(target, "/sys/fs/cgroup/") // of the Go runtime
			if !own && !slices.Contains([]string{"0", "1", "2"}, f.Name()) {
				t.Errorf("it has the file %s: %s", f.Name(), target)
			}
		}
	}
}

// newWatched returns a Spawner with a Watchdog.
func newWatched(t *testing.T, limit time.Duration) (*Spawner, func(sent time.Duration)) {
	s := NewSpawner(Options{})
	w := s.Watch(limit, errLease)
	t.Cleanup(s.Close)
	return s, w.Renew
}

// Without a renewal there is no limit and no process.
func TestWatchdogBeforeRenewal(t *testing.T) {
	s, _ := newWatched(t, 1)
	run(t, s, script(nil, "true"))
	if found := guardsOf(os.Getpid()); len(found) > 0 {
		t.Errorf("it has processes: %v", found)
	}
}

func TestWatchdogKillsAll(t *testing.T) {
	s, renew := newWatched(t, shortLimit)
	const count = 20
	lives, processes := make([]*lifeline, count), make([]*Process, count)
	for i := range count {
		lives[i] = newLifeline(t)
		w := newTranscript()
		processes[i] = start(t, t.Context(), s, script(w, longCommand, lives[i].path))
		w.waitFor(t, "ready")
	}
	renew(boottime.Now())
	for i, p := range processes {
		lives[i].awaitEnd(t)
		if exit, ok := wait(t, p); !ok || exit != (Exit{Code: -1, Signal: "SIGKILL", Killed: errLease}) {
			t.Errorf("%+v", exit)
		}
	}
	if _, err := s.Start(t.Context(), script(nil, "true")); !errors.Is(err, errLease) {
		t.Errorf("a command after the limit: %v", err)
	}
}

// A renewal counts from the time at which it was sent, and no earlier one follows it.
func TestWatchdogCountsFromSending(t *testing.T) {
	s, renew := newWatched(t, longLimit)
	life, w := newLifeline(t), newTranscript()
	p := start(t, t.Context(), s, script(w, longCommand, life.path))
	w.waitFor(t, "ready")
	sent := boottime.Now() - longLimit + shortLimit
	renew(sent)
	life.awaitEnd(t)
	if passed := boottime.Now() - sent; passed < longLimit {
		t.Errorf("killed %v before the limit", longLimit-passed)
	}
	if exit, ok := wait(t, p); !ok || exit.Killed != errLease {
		t.Errorf("%+v", exit)
	}
	renew(boottime.Now() + 2*longLimit) // nothing is sent in the future
	renew(boottime.Now() - 2*longLimit)
	run(t, s, script(nil, "true"))
}

func TestWatchdogRenewed(t *testing.T) {
	s, renew := newWatched(t, longLimit)
	const first = 2 * time.Second
	w := newTranscript()
	ctx, cancel := context.WithCancel(t.Context())
	p := start(t, ctx, s, script(w, "echo ready; exec sleep 1000"))
	w.waitFor(t, "ready")
	sent := boottime.Now() - longLimit + first
	renew(sent)
	renew(boottime.Now())
	run(t, s, script(nil, "sleep 2.2")) // the first limit passes
	if boottime.Now()-sent <= longLimit {
		t.Fatal("the test cannot fail: the first limit has not passed")
	}
	cancel()
	if exit, ok := wait(t, p); !ok || !exit.Interrupted || exit.Killed != nil || exit.Signal != "SIGTERM" {
		t.Errorf("%+v", exit)
	}
}

// A command that kills the whole Watchdog is killed by another one.
func TestWatchdogIsReplaced(t *testing.T) {
	s, renew := newWatched(t, 5*time.Second)
	life, w := newLifeline(t), newTranscript()
	gate := newFifo(t)
	start(t, t.Context(), s, script(w, `exec 3>"$1"; echo ready; read -r pids <"$2"; kill -9 $pids; echo killed; exec env -i sleep 1000`, life.path, gate))
	w.waitFor(t, "ready")
	renew(boottime.Now())
	first := guardsOf(os.Getpid())
	if len(first) != 2 {
		t.Fatalf("processes: %v", first)
	}
	if err := os.WriteFile(gate, fmt.Appendln(nil, first[0], first[1]), 0); err != nil {
		t.Fatal(err)
	}
	w.waitFor(t, "killed")
	life.awaitEnd(t)
	second := guardsOf(os.Getpid())
	if slices.Contains(second, first[0]) || slices.Contains(second, first[1]) {
		t.Errorf("%v, then %v", first, second)
	}
}

func TestWatchdogEndsWithSpawner(t *testing.T) {
	s := NewSpawner(Options{})
	s.Watch(longLimit, errLease).Renew(boottime.Now())
	run(t, s, script(nil, "true"))
	if found := guardsOf(os.Getpid()); len(found) != 2 {
		t.Errorf("processes: %v", found)
	}
	s.Close()
	s.watchdog.Renew(boottime.Now())
	if found := guardsOf(os.Getpid()); len(found) != 0 {
		t.Errorf("processes after Close: %v", found)
	}
}

func BenchmarkWatchedCommand(b *testing.B) {
	s := NewSpawner(Options{})
	defer s.Close()
	s.Watch(longLimit, errLease).Renew(boottime.Now())
	for b.Loop() {
		p, err := s.Start(b.Context(), script(io.Discard, "true"))
		if err != nil {
			b.Fatal(err)
		}
		p.Wait()
	}
}
