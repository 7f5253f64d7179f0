//go:build unix

package watchdog

import (
	"maps"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

// silence discards the answers of a process in this one.
func silence(t testing.TB) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	answers = int(null.Fd())
	t.Cleanup(func() {
		answers = 1
		null.Close()
	})
}

func TestLines(t *testing.T) {
	silence(t)
	for _, row := range []struct {
		input    string
		commands map[string]command
		until    time.Duration
	}{
		{"", nil, 0},
		{"start a;\n", map[string]command{"a;": {}}, 0},
		{"start a;", nil, 0},
		{"start a;\nstart b;\ngroup a; 17\nuntil 5\n", map[string]command{"a;": {group: 17}, "b;": {}}, 5},
		{"group a; 17\nend a;\nuntil 5\nuntil 9\n", nil, 9},
		{"group a; 17\nend b;\n", map[string]command{"a;": {group: 17}}, 0},
		{"group a; 1\ngroup b; 0\ngroup c; -1\ngroup d; 1x\ngroup e;\ngroup\n\n", nil, 0},
		{"until\nuntil x\nuntil 99999999999999999999\n", nil, 0},
		{"what a;\n", nil, 0},
	} {
		for size := 1; size <= len(row.input)+1; size++ { // however it is read
			p := process{commands: map[string]*command{}}
			for rest := row.input; rest != ""; rest = rest[min(size, len(rest)):] {
				p.read([]byte(rest[:min(size, len(rest))]))
			}
			found := map[string]command{}
			for mark, c := range p.commands {
				found[mark] = *c
			}
			if !maps.Equal(found, row.commands) || p.until != row.until {
				t.Errorf("%q, %d bytes at once: %v, %d", row.input, size, found, p.until)
			}
		}
	}
}

func TestDue(t *testing.T) {
	const now = time.Hour
	for _, row := range []struct {
		commands map[string]*command
		until    time.Duration
		due      bool
		wait     int
	}{
		{nil, now - 1, false, -1},
		{map[string]*command{"a;": {}}, 0, false, -1},
		{map[string]*command{"a;": {}}, now - 1, true, 0},
		{map[string]*command{"a;": {}}, now, true, 0},
		{map[string]*command{"a;": {}}, now + 1, false, 1},
		{map[string]*command{"a;": {}}, now + 20*time.Millisecond, false, 20},
		{map[string]*command{"a;": {}}, now + time.Hour, false, int(slice.Milliseconds())},
		{map[string]*command{"a;": {killed: true}}, now - 1, false, -1},
		{map[string]*command{"a;": {killed: true}, "b;": {group: 17}}, now - 1, true, 0},
		{map[string]*command{"a;": {}}, math.MaxInt64, false, int(slice.Milliseconds())},
	} {
		p := process{commands: row.commands, until: row.until}
		if due, wait := p.due(now), p.wait(now); due != row.due || wait != row.wait {
			t.Errorf("%v until %v: due %v, wait %d; want %v, %d", row.commands, row.until, due, wait, row.due, row.wait)
		}
	}
}

func FuzzLines(f *testing.F) {
	silence(f)
	for _, text := range []string{"start a;\ngroup a; 17\nuntil 5\n", "end a;\n", "group a; -1\n", "\n\n \n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := process{commands: map[string]*command{}}
		p.read([]byte(text))
		for mark, c := range p.commands {
			if mark == "" || c.killed || c.group < 0 || c.group == 1 {
				t.Errorf("%q: %+v", mark, c)
			}
		}
		if strings.Contains(string(p.input), "\n") {
			t.Errorf("a line is left: %q", p.input)
		}
	})
}
