package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/sandbox/reexec"
)

// configurations are the methods to confine commands; each must enforce the same, except what an
// escape lists as not prevented.
var configurations = map[string]Options{
	"landlock with namespaces": {Sandbox: Landlock},
	"landlock alone":           {Sandbox: Landlock, Without: []string{nameNamespaces}},
	"landlock without seccomp": {Sandbox: Landlock, Without: []string{nameSeccomp}},
	"bubblewrap":               {Sandbox: Bubblewrap},
}

// eachConfiguration runs a test in every configuration that this machine supports.
func eachConfiguration(t *testing.T, test func(t *testing.T, s *Spawner)) {
	for name, o := range configurations {
		t.Run(name, func(t *testing.T) { test(t, newConfining(t, o)) })
	}
}

func newConfining(t testing.TB, o Options) *Spawner {
	t.Helper()
	if o.Sandbox == Bubblewrap {
		if _, err := exec.LookPath("bwrap"); err != nil {
			t.Skip("bwrap is not installed: this configuration is not tested")
		}
	}
	m := chooseMethod(o)
	if m.err != nil {
		t.Skipf("this machine does not have it: %v", m.err)
	}
	if o.Sandbox == Landlock && !slices.Contains(o.Without, nameNamespaces) && m.namespaces == noNamespaces {
		t.Skip("namespaces cannot be used here")
	}
	s := NewSpawner(o)
	t.Cleanup(s.Close)
	return s
}

// confined returns a script with a Policy.
func confined(w *transcript, p Policy, text string, args ...string) Command {
	c := script(w, text, args...)
	c.Confine = p
	return c
}

func TestAllowed(t *testing.T) {
	racetest.Skip(t, racetest.OtherProcesses)
	eachConfiguration(t, func(t *testing.T, s *Spawner) {
		spaces := s.method().abi == 0 || s.method().namespaces != noNamespaces
		for name, row := range map[string]struct {
			text  string
			needs bool // namespaces
		}{
			"create":                      {text: `echo x >"$ROOT/src/new" && grep -q x "$ROOT/src/new"`},
			"append":                      {text: `echo x >>"$ROOT/src/main.c"`},
			"truncate":                    {text: `truncate -s 0 "$ROOT/src/main.c"`},
			"rename":                      {text: `mkdir "$ROOT/src/a" && mv "$ROOT/src/main.c" "$ROOT/src/a/b"`},
			"link":                        {text: `ln "$ROOT/src/main.c" "$ROOT/src/l" && ln -s x "$ROOT/src/s" && mkfifo "$ROOT/src/p"`},
			"delete":                      {text: `rm -r "$ROOT/src/main.c" && rmdir "$ROOT/src"`, needs: true},
			"metadata":                    {text: `chmod 700 "$ROOT/src/main.c" && touch "$ROOT/src/main.c"`},
			"a new file beside .git":      {text: `echo x >"$ROOT/new"`, needs: true},
			"a file beside no .git":       {text: `echo x >"$BARE/new" && rm "$BARE/new"`},
			"beside a nested .git":        {text: `echo x >"$ROOT/sub/deep/new"`, needs: true},
			"into its folder":             {text: `cd "$ROOT" && pwd && echo x >>src/main.c`},
			"read all":                    {text: `grep -q kept "$OUT/file" && test -r /etc/passwd && ls / >/dev/null && git -C / --version`},
			"sinks":                       {text: `echo x >/dev/null && head -c 1 /dev/zero >/dev/null`},
			"terminals":                   {text: `"$SELF" terminal`, needs: true},
			"shared memory":               {text: `echo x >/dev/shm/sandbox-test && rm /dev/shm/sandbox-test`, needs: true},
			"signal its own":              {text: `sleep 1000 & kill $! && ! wait $!`},
			"pairs of sockets":            {text: `"$SELF" stream`},
			"talk to itself":              {text: `"$SELF" local`, needs: true},
			"pipes and substitution":      {text: `test "$(echo a | cat)" = a && cat <(echo b) | grep -q b`},
			"here documents":              {text: "cat <<E | grep -q x\nx\nE\n"},
			"leave its session":           {text: `setsid -w true`},
			"the exit code of a pipeline": {text: `set -o pipefail; ! (exit 3 | cat)`},
		} {
			t.Run(name, func(t *testing.T) {
				if row.needs && !spaces {
					t.Skip("it takes namespaces")
				}
				f := newFixture(t)
				f.env = append(f.env, "TMPDIR="+f.bare)
				if worked, output := f.try(t, s, f.policy(), row.text); !worked {
					t.Errorf("it is refused: %s", output)
				}
			})
		}
	})
}

func TestReadOnly(t *testing.T) {
	racetest.Skip(t, racetest.OtherProcesses)
	eachConfiguration(t, func(t *testing.T, s *Spawner) {
		f := newFixture(t)
		p := f.policy()
		p.Level = ReadOnly
		for _, text := range []string{`echo x >"$ROOT/src/new"`, `echo x >>"$ROOT/src/main.c"`, `mkdir "$BARE/new"`, `echo x >/tmp/sandbox-test-$$`} {
			if worked, output := f.try(t, s, p, text); worked {
				t.Errorf("%s worked: %s", text, output)
			}
		}
		if worked, output := f.try(t, s, p, `grep -q int "$ROOT/src/main.c" && echo x >/dev/null`); !worked {
			t.Errorf("reading is refused: %s", output)
		}
	})
}

func TestNetworkAllowed(t *testing.T) {
	racetest.Skip(t, racetest.OtherProcesses)
	eachConfiguration(t, func(t *testing.T, s *Spawner) {
		f := newFixture(t)
		f.addTargets(t)
		p := f.policy()
		p.Network = true
		for _, text := range []string{`"$SELF" connect tcp4 "$TCP4"`, `"$SELF" send "$UDP"`, `"$SELF" local`} {
			if worked, output := f.try(t, s, p, text); !worked {
				t.Errorf("%s is refused: %s", text, output)
			}
		}
		for _, text := range []string{`"$SELF" connect unix "$SOCKET"`, `echo x >"$OUT/new"`, `"$SELF" uring`} {
			if worked, output := f.try(t, s, p, text); worked && s.method().filters {
				t.Errorf("%s worked: %s", text, output)
			}
		}
	})
}

// A confined command of root has no capabilities but retainedCapabilities, and cannot gain others.
func TestConfinedCapabilities(t *testing.T) {
	eachConfiguration(t, func(t *testing.T, s *Spawner) {
		f := newFixture(t)
		_, status := f.try(t, s, f.policy(), `"$SELF" capabilities`)
		var kept uint64
		if os.Getuid() == 0 {
			kept = retainedCapabilities
		}
		for _, set := range []string{"CapEff", "CapPrm"} {
			if got := field(t, status, set, 16); got&^kept != 0 {
				t.Errorf("%s is %x, which is more than %x", set, got, kept)
			}
		}
		if field(t, status, "NoNewPrivs", 10) != 1 {
			t.Error("it can gain privileges")
		}
	})
}

func field(t *testing.T, status, name string, base int) uint64 {
	t.Helper()
	_, rest, _ := strings.Cut(status, name+":")
	line, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.ParseUint(strings.TrimSpace(line), base, 64)
	if err != nil {
		t.Fatalf("%s of %q: %v", name, status, err)
	}
	return n
}

// realTemp returns a new folder whose path has no symbolic links.
func realTemp(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "sandbox-test-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// nested runs in a confined command and confines a command itself.
func nested(dir string) error {
	s := NewSpawner(Options{})
	defer s.Close()
	text := newTranscript()
	c := confined(text, Policy{Level: WorkspaceWrite, Writable: []string{dir}}, `echo x >"$1/in" && ! echo y >"$1/../outer"`, dir)
	p, err := s.Start(context.Background(), c)
	if err != nil {
		return err
	}
	if exit := p.Wait(); exit != (Exit{}) {
		return fmt.Errorf("%+v: %s (%s)", exit, text, s.Confinement().Detail)
	}
	return nil
}

// A confined program can confine its own commands.
func TestNested(t *testing.T) {
	racetest.Skip(t, racetest.OtherProcesses)
	eachConfiguration(t, func(t *testing.T, s *Spawner) {
		f := newFixture(t)
		worked, output := f.try(t, s, f.policy(), `"$SELF" nested "$ROOT/src"`)
		if !worked || !fileExists(f.root+"/src/in") || fileExists(f.root+"/outer") {
			t.Errorf("%v: %s", worked, output)
		}
	})
}

func fileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// widen starts the program again with a Plan of its own, which allows everything below dir.
func widen(dir string) error {
	plan := &reexec.Plan{
		Path: "/bin/bash", Args: []string{"bash", "-c", `echo x >"$0/widened"`, dir}, Env: os.Environ(), Dir: "/",
		Capabilities: ^uint64(0), HandledRights: handledRights(abiTruncate), Rules: []reexec.Rule{{Path: dir, Rights: writeRights}},
	}
	start, err := newReexec(plan)
	if err != nil {
		return err
	}
	c := exec.Command("/proc/self/exe")
	c.Env, c.ExtraFiles, c.Stderr = start.env("x"), start.files(), os.Stderr
	if err := c.Run(); err != nil {
		return err
	}
	return start.awaitExecOf(c)
}

func (b *reexecStart) awaitExecOf(*exec.Cmd) error {
	b.closeChildFiles()
	return b.awaitExec()
}

// A confined command that starts the program again with a Plan of its own gains no rights.
func TestReexecCannotWiden(t *testing.T) {
	eachConfiguration(t, func(t *testing.T, s *Spawner) {
		f := newFixture(t)
		if worked, output := f.try(t, s, f.policy(), `"$SELF" widen "$OUT"`); worked || fileExists(f.outside+"/widened") {
			t.Errorf("it worked: %s", output)
		}
	})
	f := newFixture(t)
	if worked, output := f.try(t, newSpawner(t, 0), Policy{Level: Full}, `"$SELF" widen "$OUT"`); !worked {
		t.Errorf("it does not work at all: %s", output)
	}
}

// Setting the variable by hand is answered with an error message.
func TestReexecByHand(t *testing.T) {
	f := newFixture(t)
	worked, output := f.try(t, newSpawner(t, 0), Policy{Level: Full}, reexec.Variable+`=1 "$SELF" capabilities`)
	if worked || !strings.Contains(output, "holds no plan") {
		t.Errorf("%v: %s", worked, output)
	}
}
