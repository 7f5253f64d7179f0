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

	"parley.dev/parley/internal/sandbox/cell"
)

// ways are the ways to confine commands; each must hold the same, but for what it is said
// not to.
var ways = map[string]Options{
	"landlock with namespaces": {Sandbox: Landlock},
	"landlock alone":           {Sandbox: Landlock, Without: []string{nameNamespaces}},
	"landlock without seccomp": {Sandbox: Landlock, Without: []string{nameSeccomp}},
	"bubblewrap":               {Sandbox: Bubblewrap},
}

// eachWay runs a test for every way that this machine has.
func eachWay(t *testing.T, test func(t *testing.T, s *Spawner)) {
	for name, o := range ways {
		t.Run(name, func(t *testing.T) { test(t, newConfining(t, o)) })
	}
}

func newConfining(t testing.TB, o Options) *Spawner {
	t.Helper()
	if o.Sandbox == Bubblewrap {
		if _, err := exec.LookPath("bwrap"); err != nil {
			t.Skip("bwrap is not installed: this way is not tested")
		}
	}
	m := chooseMethod(o)
	if m.why != nil {
		t.Skipf("this machine does not have it: %v", m.why)
	}
	if o.Sandbox == Landlock && !slices.Contains(o.Without, nameNamespaces) && m.namespaces == noNamespaces {
		t.Skip("namespaces cannot be used here")
	}
	s := NewSpawner(o)
	t.Cleanup(s.Close)
	return s
}

// confined is script under a Policy.
func confined(w *transcript, p Policy, text string, args ...string) Command {
	c := script(w, text, args...)
	c.Confine = p
	return c
}

func TestAllowed(t *testing.T) {
	eachWay(t, func(t *testing.T, s *Spawner) {
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
				h := newHouse(t)
				h.env = append(h.env, "TMPDIR="+h.bare)
				if worked, said := h.try(t, s, h.policy(), row.text); !worked {
					t.Errorf("it is refused: %s", said)
				}
			})
		}
	})
}

func TestReadOnly(t *testing.T) {
	eachWay(t, func(t *testing.T, s *Spawner) {
		h := newHouse(t)
		p := h.policy()
		p.Level = ReadOnly
		for _, text := range []string{`echo x >"$ROOT/src/new"`, `echo x >>"$ROOT/src/main.c"`, `mkdir "$BARE/new"`, `echo x >/tmp/sandbox-test-$$`} {
			if worked, said := h.try(t, s, p, text); worked {
				t.Errorf("%s worked: %s", text, said)
			}
		}
		if worked, said := h.try(t, s, p, `grep -q int "$ROOT/src/main.c" && echo x >/dev/null`); !worked {
			t.Errorf("reading is refused: %s", said)
		}
	})
}

func TestNetworkAllowed(t *testing.T) {
	eachWay(t, func(t *testing.T, s *Spawner) {
		h := newHouse(t)
		h.openDoors(t)
		p := h.policy()
		p.Network = true
		for _, text := range []string{`"$SELF" connect tcp4 "$TCP4"`, `"$SELF" send "$UDP"`, `"$SELF" local`} {
			if worked, said := h.try(t, s, p, text); !worked {
				t.Errorf("%s is refused: %s", text, said)
			}
		}
		for _, text := range []string{`"$SELF" connect unix "$SOCKET"`, `echo x >"$OUT/new"`, `"$SELF" uring`} {
			if worked, said := h.try(t, s, p, text); worked && s.method().filters {
				t.Errorf("%s worked: %s", text, said)
			}
		}
	})
}

// What a cell leaves of root is what it must, and nothing can come back.
func TestConfinedCapabilities(t *testing.T) {
	eachWay(t, func(t *testing.T, s *Spawner) {
		h := newHouse(t)
		_, status := h.try(t, s, h.policy(), `"$SELF" capabilities`)
		var kept uint64
		if os.Getuid() == 0 {
			kept = keptCapabilities
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

// realTemp is a new folder, named without symbolic links.
func realTemp(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "sandbox-test-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// nested is a confined command that confines one itself.
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

// A program like this one, confined, can confine in turn.
func TestNested(t *testing.T) {
	eachWay(t, func(t *testing.T, s *Spawner) {
		h := newHouse(t)
		worked, said := h.try(t, s, h.policy(), `"$SELF" nested "$ROOT/src"`)
		if !worked || !fileExists(h.root+"/src/in") || fileExists(h.root+"/outer") {
			t.Errorf("%v: %s", worked, said)
		}
	})
}

func fileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// widen becomes a cell with a Plan of its own making: it allows all below dir.
func widen(dir string) error {
	plan := &cell.Plan{
		Path: "/bin/bash", Args: []string{"bash", "-c", `echo x >"$0/widened"`, dir}, Env: os.Environ(), Dir: "/",
		Keep: ^uint64(0), Handled: handledRights(abiTruncate), Rules: []cell.Rule{{Path: dir, Rights: workRights}},
	}
	start, err := newCell(plan)
	if err != nil {
		return err
	}
	c := exec.Command("/proc/self/exe")
	c.Env, c.ExtraFiles, c.Stderr = start.env("x"), start.files(), os.Stderr
	if err := c.Run(); err != nil {
		return err
	}
	return start.begunBy(c)
}

func (b *cellStart) begunBy(*exec.Cmd) error {
	b.started()
	return b.begun()
}

// A confined command that becomes a cell of its own making gains nothing.
func TestCellCannotWiden(t *testing.T) {
	eachWay(t, func(t *testing.T, s *Spawner) {
		h := newHouse(t)
		if worked, said := h.try(t, s, h.policy(), `"$SELF" widen "$OUT"`); worked || fileExists(h.outside+"/widened") {
			t.Errorf("it worked: %s", said)
		}
	})
	h := newHouse(t)
	if worked, said := h.try(t, newSpawner(t, 0), Policy{Level: Full}, `"$SELF" widen "$OUT"`); !worked {
		t.Errorf("it does not work at all: %s", said)
	}
}

// Who sets the variable by hand gets a sentence.
func TestCellByHand(t *testing.T) {
	h := newHouse(t)
	worked, said := h.try(t, newSpawner(t, 0), Policy{Level: Full}, cell.Variable+`=1 "$SELF" capabilities`)
	if worked || !strings.Contains(said, "holds no plan") {
		t.Errorf("%v: %s", worked, said)
	}
}
