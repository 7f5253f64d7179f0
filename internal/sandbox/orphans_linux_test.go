package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/racetest"
)

func TestBackgroundChildDoesNotHoldWait(t *testing.T) {
	life := newLifeline(t)
	w := newTranscript()
	exit := run(t, newSpawner(t, 0), script(w, `exec 3>"$1"; sleep 1000 & env -i sleep 1000 & for pid in $(jobs -p); do until [ "$(cat /proc/$pid/comm)" = sleep ]; do :; done; done; echo done`, life.path))
	if w.String() != "done\n" || exit.Left != "sleep" {
		t.Errorf("%q, %+v", w, exit)
	}
	life.awaitEnd(t)
}

func TestProcessSubstitutionOutput(t *testing.T) {
	s := newSpawner(t, 0)
	s.drainDelay = testTimeout
	w := newTranscript()
	exit := run(t, s, script(w, `echo heard > >(sed s/^/I-/)`))
	if w.String() != "I-heard\n" || exit.Left != "" {
		t.Errorf("%q, %+v", w, exit)
	}
}

// daemons leave their command's group, and have $1 open until they end.
var daemons = map[string]string{
	"setsid":      `exec 3>"$1"; setsid -f sh -c 'echo here; exec sleep 1000 >/dev/null 2>&1' | read -r line; `,
	"double fork": `exec 3>"$1"; setsid -f sh -c '(sleep 1000 >/dev/null 2>&1 &); echo here' | read -r line; `,
	"with stdout": `exec 3>"$1"; setsid -f sh -c 'echo here >&4; exec sleep 1000' 4>&1 >/dev/null | read -r line; `,
	"stubborn":    `exec 3>"$1"; setsid -f sh -c 'trap "" TERM; echo here; sleep 1000 >/dev/null' | read -r line; `,
}

func TestDaemonsEndWithTheirCommand(t *testing.T) {
	s := newSpawner(t, 0)
	for name, text := range daemons {
		t.Run(name, func(t *testing.T) {
			life := newLifeline(t)
			exit := run(t, s, script(newTranscript(), text, life.path))
			life.awaitEnd(t)
			if exit.Left == "" {
				t.Errorf("%+v", exit)
			}
		})
	}
}

func TestDaemonsEndWithAnInterrupt(t *testing.T) {
	s := newSpawner(t, 1)
	for name, text := range daemons {
		t.Run(name, func(t *testing.T) {
			life := newLifeline(t)
			ctx, cancel := context.WithCancel(t.Context())
			w := newTranscript()
			p := start(t, ctx, s, script(w, text+"echo ready; sleep 1000", life.path))
			w.waitFor(t, "ready")
			cancel()
			if exit, ok := wait(t, p); !ok || !exit.Interrupted {
				t.Errorf("%+v", exit)
			}
			life.awaitEnd(t)
		})
	}
}

func TestInterruptAllowsDaemonsToCleanUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := newTranscript()
	p := start(t, ctx, newSpawner(t, testTimeout), script(w,
		`setsid -f bash -c 'trap "sleep 0.2; echo bye; exit" TERM; sleep 1000 & until grep -q sleep /proc/$!/comm; do :; done; echo ready; wait'; sleep 1000`))
	w.waitFor(t, "ready")
	cancel()
	if exit, ok := wait(t, p); !ok || !exit.Interrupted {
		t.Errorf("%+v", exit)
	}
	if w.String() != "ready\nbye\n" {
		t.Errorf("%q", w)
	}
}

// A process without mark and group is not found; Wait returns nevertheless, and the output is complete.
func TestLostProcessDoesNotHoldWait(t *testing.T) {
	end := newFifo(t)
	w := newTranscript()
	run(t, newSpawner(t, 0), script(w, `exec 5>&1
		env -i setsid -f bash -c 'echo lost; echo here >&4; read -r line <"$0"' "$1" 4>&1 >&5 | read -r line`, end))
	if w.String() != "lost\n" {
		t.Errorf("%q", w)
	}
	openFifo(t, end)
}

// The end of one command does not end the daemons of another.
func TestDaemonsOfOthersLive(t *testing.T) {
	s := newSpawner(t, 1)
	end := newFifo(t)
	ctx, cancel := context.WithCancel(t.Context())
	w := newTranscript()
	p := start(t, ctx, s, script(w, `exec 5>&1
		setsid -f bash -c 'echo here >&4; exec 4>&-; read -r line <"$0"; echo alive' "$1" 4>&1 >&5 | read -r line
		echo ready; sleep 1000`, end))
	w.waitFor(t, "ready")
	run(t, s, script(nil, "true"))
	openFifo(t, end)
	w.waitFor(t, "alive")
	cancel()
	p.Wait()
}

// newFifo creates a named pipe; a reader of it waits until openFifo.
func newFifo(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "gate")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func openFifo(t *testing.T, gate string) {
	t.Helper()
	f, err := os.OpenFile(gate, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// A reaper that a command killed is replaced by one that knows all groups.
func TestReaperIsReplaced(t *testing.T) {
	s := newSpawner(t, 0)
	life := newLifeline(t)
	w := newTranscript()
	p := start(t, t.Context(), s, script(w, `exec 3>"$1"; echo ready; exec env -i sleep 1000`, life.path))
	w.waitFor(t, "ready")
	first := s.reaper.shell.Pid
	handle, err := unix.PidfdOpen(first, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(handle)
	run(t, s, script(nil, `kill -9 "$1"`, fmt.Sprint(first)))
	awaitProcessEnd(t, handle)
	run(t, s, script(nil, "true"))
	if s.reaper.shell.Pid == first {
		t.Fatal("it was not replaced")
	}
	s.reaper.pipe.Close() // as if this process were gone
	if exit, ok := wait(t, p); !ok || exit.Signal != "SIGKILL" || exit.Interrupted {
		t.Errorf("%+v", exit)
	}
	life.awaitEnd(t)
}

func TestStartedAfter(t *testing.T) {
	w := newTranscript()
	ctx, cancel := context.WithCancel(t.Context())
	p := start(t, ctx, newSpawner(t, 1), script(w, "sleep 1000 & echo $!; wait"))
	w.waitFor(t, "\n")
	later, err := strconv.Atoi(strings.TrimSpace(w.String()))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(slices.Collect(startedAfter(p.leader.Pid)), later) {
		t.Errorf("%d is not after %d", later, p.leader.Pid)
	}
	cancel()
	p.Wait()
}

func BenchmarkKillOrphans(b *testing.B) {
	mark := []byte("no process has this mark")
	newest, ok := newestPid()
	if !ok {
		b.Skip("there is no /proc/loadavg")
	}
	b.Run("everywhere", func(b *testing.B) {
		for b.Loop() {
			killOrphans(mark, allProcesses)
		}
	})
	b.Run("after", func(b *testing.B) {
		for b.Loop() {
			killOrphans(mark, startedAfter(newest-20))
		}
	})
}

// victimScript is the environment variable that makes the test program run victim.
const victimScript = "SANDBOX_TEST_VICTIM"

// victimConfiguration is the environment variable that names one of configurations, to confine the
// victim's command.
const victimConfiguration = "SANDBOX_TEST_WAY"

// victim runs text with a Spawner and never ends. It writes the reaper's process number and the
// command's output to stdout, and creates a file once the reaper knows the command.
func victim(text string) {
	configuration := os.Getenv(victimConfiguration)
	s := NewSpawner(configurations[configuration])
	if err := s.reaper.open(); err != nil {
		panic(err)
	}
	reaper, life := fmt.Sprint(s.reaper.shell.Pid), os.Getenv("LIFELINE")
	fmt.Println(reaper)
	c := script(os.Stdout, text, life, reaper)
	if configuration != "" {
		folder := filepath.Dir(life)
		c.Confine = Policy{Level: WorkspaceWrite, Writable: []string{folder}, ProtectedFiles: []string{folder + "/a file"}, Protected: []string{folder + "/a*folder/a\\folder"}}
	}
	p, err := s.Start(context.Background(), c)
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(life+".started", nil, 0o600); err != nil {
		panic(err)
	}
	p.Wait()
	select {}
}

func TestKillNineLeavesNoProcess(t *testing.T) {
	racetest.Skip(t, racetest.OtherProcesses)
	scripts := map[string]string{
		"grandchild":       `exec 3>"$1"; sleep 1000 & echo ready; wait`,
		"without mark":     `exec 3>"$1"; env -i sleep 1000 & echo ready; wait`,
		"without reaper":   `exec 3>"$1"; until test -e "$1.started"; do :; done; kill -9 "$2"; echo ready; exec sleep 1000`,
		"reaper signalled": `exec 3>"$1"; until grep -q 'SigIgn:.*4003$' "/proc/$2/status"; do :; done; for s in HUP INT TERM; do kill -s $s "$2"; done; env -i sleep 1000 & echo ready; wait`,
		"stubborn":         `exec 3>"$1"; trap '' TERM HUP INT; (while :; do sleep 1000; done) & echo ready; wait`,
	}
	for name, text := range daemons {
		scripts["daemon "+name] = text + "echo ready; wait"
	}
	for name, text := range scripts {
		t.Run(name, func(t *testing.T) {
			killVictim(t, "", text)
		})
	}
}

// killVictim kills a victim; its command and its reaper must then end, and no placeholder is left.
func killVictim(t *testing.T, configuration, text string) {
	t.Helper()
	life := newLifeline(t)
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), victimScript+"="+text, victimConfiguration+"="+configuration, "LIFELINE="+life.path)
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	lines := bufio.NewScanner(stdout)
	var reaper int
	for lines.Scan() && strings.TrimSpace(lines.Text()) != "ready" {
		fmt.Sscan(lines.Text(), &reaper)
	}
	handle, err := unix.PidfdOpen(reaper, 0)
	if err != nil {
		t.Fatalf("reaper %d: %v", reaper, err)
	}
	defer unix.Close(handle)
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	life.awaitEnd(t)
	awaitProcessEnd(t, handle)
	for _, name := range []string{".git", "a file", "a*folder"} {
		if _, err := os.Lstat(filepath.Join(filepath.Dir(life.path), name)); !os.IsNotExist(err) {
			t.Errorf("the placeholder %q is left: %v", name, err)
		}
	}
}
