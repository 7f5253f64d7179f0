package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/racetest"
)

// The guarantees about the start and end of commands hold for confined ones too.

// confinedTo confines c to folder.
func confinedTo(c Command, folder string) Command {
	c.Confine = Policy{Level: WorkspaceWrite, Writable: []string{folder}}
	return c
}

func TestConfinedExit(t *testing.T) {
	eachConfiguration(t, func(t *testing.T, s *Spawner) {
		dir := realTemp(t)
		for text, want := range map[string]Exit{
			"true":         {},
			"exit 3":       {Code: 3},
			"exit 125":     {Code: 125},
			"read -r line": {Code: 1},
		} {
			if exit := run(t, s, confinedTo(script(nil, text), dir)); exit != want {
				t.Errorf("%s: %+v, want %+v", text, exit, want)
			}
		}
		want := Exit{Code: -1, Signal: "SIGSEGV"}
		if s.method().bubblewrap != "" { // it exits as a shell would
			want = Exit{Code: 128 + int(unix.SIGSEGV)}
		}
		if exit := run(t, s, confinedTo(script(nil, "kill -SEGV $$"), dir)); exit != want {
			t.Errorf("killed: %+v, want %+v", exit, want)
		}
	})
}

func TestConfinedStartFails(t *testing.T) {
	eachConfiguration(t, func(t *testing.T, s *Spawner) {
		dir := realTemp(t)
		for name, spoil := range map[string]func(*Command){
			"no such file":  func(c *Command) { c.Path = "/nowhere/bash" },
			"permission":    func(c *Command) { c.Path = "/etc/passwd" },
			"relative/path": func(c *Command) { c.Confine.Writable = []string{"relative/path"} },
		} {
			c := confinedTo(script(newTranscript(), "true"), dir)
			spoil(&c)
			if _, err := s.Start(t.Context(), c); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
		}
		w := newTranscript()
		c := confinedTo(script(w, "true"), dir)
		c.Dir = "/gone"
		p, err := s.Start(t.Context(), c)
		if err != nil {
			return
		}
		if exit := p.Wait(); exit.Code == 0 || !strings.Contains(w.String(), "/gone") { // bwrap says it itself
			t.Errorf("a folder that is gone: %+v, %s", exit, w)
		}
	})
}

// If the Plan cannot be carried out, the command is not run.
func TestConfinedFailsClosed(t *testing.T) {
	s := newConfining(t, configurations["landlock with namespaces"])
	dir := realTemp(t)
	if err := os.Symlink(dir, dir+"/link"); err != nil {
		t.Fatal(err)
	}
	w := newTranscript()
	c := confinedTo(script(w, "echo it ran"), dir+"/link")
	_, err := s.Start(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "cannot be confined") || w.String() != "" {
		t.Errorf("%v, %q", err, w)
	}
	ownProgram = "/bin/true" // another program in the place of this one
	t.Cleanup(func() { ownProgram = "/proc/self/exe" })
	if _, err := s.Start(t.Context(), confinedTo(script(w, "echo it ran"), dir)); err == nil || w.String() != "" {
		t.Errorf("%v, %q", err, w)
	}
}

func TestConfinedNoInheritedFiles(t *testing.T) {
	fd, err := unix.Dup(2) // without close-on-exec, as an inherited file is
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	eachConfiguration(t, func(t *testing.T, s *Spawner) {
		w := newTranscript()
		run(t, s, confinedTo(script(w, `for fd in {0..64}; do test -e /proc/$$/fd/$fd && echo $fd; done`), realTemp(t)))
		if w.String() != "0\n1\n2\n" {
			t.Errorf("these files are open: %q", w)
		}
	})
}

func TestConfinedEnvironment(t *testing.T) {
	eachConfiguration(t, func(t *testing.T, s *Spawner) {
		w := newTranscript()
		c := confinedTo(script(w, `echo "$FRUIT $PWD $PARLEY_SPAWN$PARLEY_REEXEC"`), realTemp(t))
		c.Dir, c.Env = "/usr", []string{"FRUIT=fig", "PARLEY_SPAWN=outer.1;"}
		run(t, s, c)
		if want := "fig /usr outer.1;" + s.id + ".1;\n"; w.String() != want {
			t.Errorf("%q, want %q", w, want)
		}
	})
}

// A confined command has no terminal of this process, into which it could type.
func TestConfinedHasNoTerminal(t *testing.T) {
	session, err := unix.Getsid(0)
	if err != nil {
		t.Fatal(err)
	}
	const text = `read -r _ _ _ _ _ session _ <"/proc/$$/stat"; test "$session" != "$1"`
	eachConfiguration(t, func(t *testing.T, s *Spawner) {
		if exit := run(t, s, confinedTo(script(nil, text, fmt.Sprint(session)), realTemp(t))); exit != (Exit{}) {
			t.Errorf("it is in this session: %+v", exit)
		}
	})
	if exit := run(t, newSpawner(t, 0), script(nil, text, fmt.Sprint(session))); exit == (Exit{}) {
		t.Error("the test cannot fail: a command with all rights is in another session too")
	}
}

func TestConfinedToAll(t *testing.T) {
	s := newConfining(t, configurations["landlock with namespaces"])
	f := newFixture(t)
	p := Policy{Level: WorkspaceWrite, Writable: []string{"/"}, Protected: []string{f.root + "/state"}}
	if worked, output := f.try(t, s, p, `echo x >"$OUT/new"`); !worked {
		t.Errorf("it is refused: %s", output)
	}
	if worked, output := f.try(t, s, p, `echo x >"$ROOT/state/new"`); worked {
		t.Errorf("it worked: %s", output)
	}
}

func TestConfinedDaemonsEnd(t *testing.T) {
	racetest.Skip(t, racetest.OtherProcesses)
	eachConfiguration(t, func(t *testing.T, s *Spawner) {
		s.options.Grace = 1
		for name, text := range daemons {
			t.Run(name, func(t *testing.T) {
				life := newLifeline(t)
				dir := filepath.Dir(life.path)
				run(t, s, confinedTo(script(newTranscript(), text, life.path), dir))
				life.awaitEnd(t)

				life = newLifeline(t)
				dir = filepath.Dir(life.path)
				ctx, cancel := context.WithCancel(t.Context())
				w := newTranscript()
				p := start(t, ctx, s, confinedTo(script(w, text+"echo ready; sleep 1000", life.path), dir))
				w.waitFor(t, "ready")
				cancel()
				if exit, ok := wait(t, p); !ok || !exit.Interrupted {
					t.Errorf("%+v", exit)
				}
				life.awaitEnd(t)
			})
		}
	})
}

func TestConfinedInterruptAllowsCleanUp(t *testing.T) {
	eachConfiguration(t, func(t *testing.T, s *Spawner) {
		s.options.Grace = testTimeout
		ctx, cancel := context.WithCancel(t.Context())
		w := newTranscript()
		p := start(t, ctx, s, confinedTo(script(w, cleanUp), realTemp(t)))
		w.waitFor(t, "ready")
		cancel()
		exit, ok := wait(t, p)
		if want := (Exit{Code: 3, Interrupted: true}); !ok || exit != want || w.String() != "ready\nbye\n" {
			t.Errorf("%+v, want %+v; %q", exit, want, w)
		}
	})
}

func TestConfinedInterruptKillsAfterGrace(t *testing.T) {
	eachConfiguration(t, func(t *testing.T, s *Spawner) {
		s.options.Grace = 50 * time.Millisecond
		life := newLifeline(t)
		ctx, cancel := context.WithCancel(t.Context())
		w := newTranscript()
		p := start(t, ctx, s, confinedTo(script(w, `trap '' TERM; exec 3>"$1"; echo ready; while :; do sleep 1000; done`, life.path), filepath.Dir(life.path)))
		w.waitFor(t, "ready")
		cancel()
		exit, ok := wait(t, p)
		if want := (Exit{Code: -1, Signal: "SIGKILL", Interrupted: true}); !ok || exit != want {
			t.Errorf("%+v, want %+v", exit, want)
		}
		life.awaitEnd(t)
	})
}

func TestConfinedKillNineLeavesNoProcess(t *testing.T) {
	racetest.Skip(t, racetest.OtherProcesses)
	eachConfiguration(t, func(t *testing.T, _ *Spawner) {
		_, configuration, _ := strings.Cut(t.Name(), "/")
		configuration = strings.ReplaceAll(configuration, "_", " ")
		killVictim(t, configuration, `exec 3>"$1"; sleep 1000 & env -i sleep 1000 & echo ready; wait`)
		killVictim(t, configuration, daemons["setsid"]+"echo ready; wait")
	})
}

// A placeholder for a missing .git is removed with the last command that needed it.
func TestPlaceholderIsRemoved(t *testing.T) {
	s := newConfining(t, configurations["landlock with namespaces"])
	dir := realTemp(t)
	gate := newFifo(t)
	w := newTranscript()
	p := start(t, t.Context(), s, confinedTo(script(w, `echo ready; read -r line <"$1"`, gate), dir))
	w.waitFor(t, "ready")
	run(t, s, confinedTo(script(nil, "true"), dir))
	if !fileExists(dir + "/.git") {
		t.Error("it went while a command needed it")
	}
	openFifo(t, gate)
	p.Wait()
	if fileExists(dir + "/.git") {
		t.Error("it is left")
	}
	if err := os.Mkdir(dir+"/.git", 0o700); err != nil { // as a kill leaves it
		t.Fatal(err)
	}
	run(t, s, confinedTo(script(nil, "true"), dir))
	if fileExists(dir + "/.git") {
		t.Error("one that was left before is not adopted")
	}
	if err := os.WriteFile(dir+"/.git", []byte("gitdir: elsewhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, s, confinedTo(script(nil, "true"), dir))
	if !fileExists(dir + "/.git") {
		t.Error("a .git that is no placeholder was removed")
	}
}

func TestConfinement(t *testing.T) {
	for _, row := range []struct {
		options Options
		policy  Policy
		refused string
	}{
		{Options{Sandbox: Off}, Policy{Level: ReadOnly}, "switched off"},
		{Options{Sandbox: Off}, Policy{Level: Full}, ""},
		{Options{Sandbox: Off}, Policy{}, "unset"},
		{Options{Without: []string{nameLandlock, nameBubblewrap}}, Policy{Level: ReadOnly, Network: true}, "not to be used"},
		{Options{Sandbox: Landlock, Without: []string{nameNamespaces, nameSeccomp}}, Policy{Level: ReadOnly}, "network"},
		{Options{Sandbox: Landlock, Without: []string{nameNamespaces, nameSeccomp}}, Policy{Level: ReadOnly, Network: true}, ""},
		{Options{}, Policy{Level: WorkspaceWrite, Writable: []string{"/a/../b"}}, "clean"},
	} {
		s := NewSpawner(row.options)
		err := s.Check(row.policy)
		if (row.refused == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), row.refused) {
			t.Errorf("%+v, %+v: %v, want %q", row.options, row.policy, err, row.refused)
		}
		c := s.Confinement()
		if c.Detail == "" || c.Available != (c.Files != "") {
			t.Errorf("%+v: %+v", row.options, c)
		}
		s.Close()
	}
	for text, want := range map[string]Choice{"": Auto, "auto": Auto, "landlock": Landlock, "bubblewrap": Bubblewrap, "off": Off} {
		if got, err := ParseChoice(text); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := ParseChoice("docker"); err == nil {
		t.Error("docker is a choice")
	}
}

// Confinement.Detail lists what a method does not enforce.
func TestLimitsAreReported(t *testing.T) {
	for name, row := range map[string]struct {
		m    method
		want []string
	}{
		"all":            {method{abi: abiScopes, namespaces: userNamespaces, filters: true}, nil},
		"old Landlock":   {method{abi: abiTruncate, namespaces: userNamespaces, filters: true}, []string{"signals"}},
		"no namespaces":  {method{abi: abiScopes, filters: true}, []string{"modes", "nothing new"}},
		"nothing else":   {method{abi: abiScopes}, []string{"sockets", "modes", "the network"}},
		"bubblewrap":     {method{bubblewrap: "/bwrap", filters: true}, []string{"signals"}},
		"without filter": {method{abi: abiScopes, namespaces: rootNamespaces}, []string{"sockets"}},
	} {
		detail := row.m.confinement().Detail
		for _, want := range row.want {
			if !strings.Contains(detail, want) {
				t.Errorf("%s: %q does not contain %s", name, detail, want)
			}
		}
		if row.want == nil && strings.Contains(detail, "not held") {
			t.Errorf("%s: %q", name, fmt.Sprint(detail))
		}
	}
}
