package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/racetest"
)

// A hiddenFixture is a fixture with two folders that are hidden, outside of the workspace and in it. Each has a file, a socket,
// and a folder that is readable and one that is writable.
type hiddenFixture struct {
	*fixture
	outside, inside string
}

func newHiddenFixture(t *testing.T) hiddenFixture {
	f := newFixture(t)
	h := hiddenFixture{f, f.outside + "/hidden", f.root + "/hidden"}
	for _, folder := range []string{h.outside, h.inside} {
		for _, name := range []string{"run/token", "skills/s/run.sh", "git/config"} {
			path := filepath.Join(folder, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("secret\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		l, err := net.Listen("unix", folder+"/run/s")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
	}
	if err := os.Symlink(h.outside, f.root+"/src/state"); err != nil {
		t.Fatal(err)
	}
	f.env = append(f.env, "HIDDEN="+h.outside, "INNER="+h.inside)
	return h
}

func (h hiddenFixture) options(o Options) Options {
	o.Hidden = []string{h.outside, h.inside}
	o.Readable = []string{h.outside + "/skills", h.inside + "/skills", h.inside + "/missing"}
	return o
}

func (h hiddenFixture) policies() map[string]Policy {
	p := h.policy()
	p.Protected = append(p.Protected, h.inside) // as the program does
	p.Writable = append(p.Writable, h.outside+"/git", h.inside+"/git")
	online, readOnly := p, p
	online.Network = true
	readOnly.Level = ReadOnly
	return map[string]Policy{"offline": p, "online": online, "read-only": readOnly}
}

// hiddenCases are scripts in the order in which they are run. They fail if they are about what is hidden.
var hiddenCases = []struct {
	text   string
	works  bool
	writes bool // it fails for a command that may only read
}{
	{text: `grep -q . "$HIDDEN/run/token"`},
	{text: `grep -q . "$INNER/run/token"`},
	{text: `grep -q . "$ROOT/src/state/run/token"`},
	{text: `grep -q . "/proc/self/root$HIDDEN/run/token"`},
	{text: `cd "$OUT" && grep -rq secret hidden/run`},
	{text: `"$HIDDEN/run/token"`},
	{text: `"$SELF" connect unix "$HIDDEN/run/s"`},
	{text: `"$SELF" connect unix "$INNER/run/s"`},
	{text: `unshare -Urm sh -c 'umount "$HIDDEN"; grep -q . "$HIDDEN/run/token"'`},
	{text: `grep -q . "$HIDDEN/skills/s/run.sh" && grep -q . "$INNER/skills/s/run.sh"`, works: true},
	{text: `grep -q kept "$OUT/file" && grep -q int "$ROOT/src/main.c" && ls / "$OUT"`, works: true},
	{text: `echo x >"$HIDDEN/new"`},
	{text: `echo x >"$INNER/new"`},
	{text: `echo x >"$INNER/skills/new"`},
	{text: `echo x >"$INNER/git/new"`}, // it is in what the policy protects
	{text: `ln "$HIDDEN/run/token" "$ROOT/src/t" && cat "$ROOT/src/t"`},
	{text: `mv "$INNER/run/token" "$ROOT/src/h"`},
	{text: `mv "$INNER" "$ROOT/src/h"`},
	{text: `echo x >"$HIDDEN/git/new" && grep -q x "$HIDDEN/git/new"`, works: true, writes: true},
	{text: `echo x >"$ROOT/src/new" && grep -q x "$ROOT/src/new"`, works: true, writes: true},
}

// What is hidden can be neither read nor changed nor connected to, whatever the policy.
func TestHidden(t *testing.T) {
	racetest.Skip(t, racetest.OtherProcesses)
	var text strings.Builder
	for _, c := range hiddenCases {
		text.WriteString("( " + c.text + " ) >&2 && echo works || echo fails\n")
	}
	for name, o := range configurations {
		t.Run(name, func(t *testing.T) {
			h := newHiddenFixture(t)
			s := newConfining(t, h.options(o))
			for policy, p := range h.policies() {
				results, problems := newTranscript(), newTranscript()
				command := confined(results, p, text.String())
				command.Env, command.Dir, command.Stderr = h.env, h.root, problems
				run(t, s, command)
				lines := strings.Fields(results.String())
				if len(lines) != len(hiddenCases) {
					t.Fatalf("%d results: %s", len(lines), problems)
				}
				for i, c := range hiddenCases {
					want := "fails"
					if c.works && (!c.writes || p.Level != ReadOnly) {
						want = "works"
					}
					if lines[i] != want {
						t.Errorf("%s: %s: it %s\n%s", policy, c.text, lines[i], problems)
					}
				}
			}
			c := confined(newTranscript(), h.policies()["online"], "true")
			c.Dir = h.outside + "/run"
			if _, err := s.Start(t.Context(), c); err == nil || !strings.Contains(err.Error(), "state") {
				t.Errorf("a command in a hidden folder: %v", err)
			}
		})
	}
}
