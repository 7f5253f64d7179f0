package scaiflux

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 7680: "7,680", 256000: "256,000", 1234567: "1,234,567", -999: "-999", -1000: "-1,000", -123456: "-123,456",
	} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestParseStatus(t *testing.T) {
	rows := map[string][]changedFile{
		"":                              {},
		" M a.go\x00":                   {{"a.go", "M"}},
		"?? b c.txt\x00A  d\x00":        {{"b c.txt", "??"}, {"d", "A"}},
		"R  new\x00old\x00 D gone\x00":  {{"new", "R"}, {"gone", "D"}},
		"RM new\x00old\x00":             {{"new", "RM"}},
		"C  copy\x00origin\x00MM x\x00": {{"copy", "C"}, {"x", "MM"}},
		"?? line\nfeed\x00":             {{"line\nfeed", "??"}},
		"R  new\x00":                    {{"new", "R"}},
		"x\x00":                         {},
	}
	for out, want := range rows {
		if d := cmp.Diff(want, parseStatus(out), cmp.AllowUnexported(changedFile{})); d != "" {
			t.Errorf("%q: %s", out, d)
		}
	}
}

// TestCatalogue: the commands of the protocol's table are all there, and no name or alias
// means two things.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range commands() {
		for _, name := range append([]string{c.name}, c.aliases...) {
			if seen[name] || name != strings.ToLower(name) {
				t.Errorf("%s is taken, or not in lower case", name)
			}
			seen[name] = true
		}
		if c.summary == "" || (c.run == nil) == (c.start == nil) {
			t.Errorf("%s: no summary, or not exactly one way to run", c.name)
		}
	}
	for _, name := range strings.Fields(`help status context model mode permissions gadgets gadget tools save clear compact
		cost usage session sessions diff config memory mcp agents plugin version export exit quit resume`) {
		if _, ok := findCommand(name); !ok {
			t.Errorf("/%s is missing", name)
		}
	}
	if _, ok := findCommand("Help"); ok {
		t.Error("commands are case-sensitive")
	}
}

func TestUnknownCommand(t *testing.T) {
	long := strings.Repeat("model", 1<<20) // to compare it with every name would take seconds and gigabytes
	for name, want := range map[string]string{
		long:    "unknown command /" + long + " (see /help)",
		"modle": "unknown command /modle (did you mean /model?)", "hlep": "unknown command /hlep (did you mean /help?)",
		"permission": "unknown command /permission (did you mean /permissions?)", "xyzzy": "unknown command /xyzzy (see /help)",
	} {
		if got := unknownCommand(name); got != want {
			t.Errorf("%.80q, want %.80q", got, want)
		}
	}
}

// TestSlashQueue: while a long command runs, others wait in the order in which they came.
func TestSlashQueue(t *testing.T) {
	var q slashQueue
	if !q.enter(Slash{Command: "a"}) {
		t.Fatal("an idle queue makes wait")
	}
	q.busy = true
	for _, name := range []string{"b", "c"} {
		if q.enter(Slash{Command: name}) {
			t.Fatalf("%s does not wait", name)
		}
	}
	for _, want := range []string{"b", "c"} {
		if m, ok := q.next(); !ok || m.Command != want {
			t.Fatalf("next is %+v, %v; want %s", m, ok, want)
		}
	}
	if _, ok := q.next(); ok || !q.enter(Slash{Command: "d"}) {
		t.Fatal("the emptied queue is not idle")
	}
}
