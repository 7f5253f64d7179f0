package offline

import (
	"strings"
	"testing"
)

const (
	calcSource = "package calc\n\n// Add is the sum of a and b.\nfunc Add(a, b int) int { return a - b }\n\nfunc Sub(a, b int) int { return a - b }\n"
	calcFails  = "--- FAIL: TestAdd (0.00s)\n    calc_test.go:7: Add(2, 3) = -1, want 5\nFAIL\nFAIL\texample.com/calc\t0.002s\nFAIL\n[exit code 1]"
	calcPasses = "ok  \texample.com/calc\t0.002s\n"
)

func TestFix(t *testing.T) {
	run := want{"bash", `{"command":"go test ./..."}`, calcFails, true}
	find := want{"glob_search", `{"pattern":"**/calc.go"}`, "calc.go\n", false}
	read := want{"read_file", `{"path":"calc.go"}`, calcSource, false}
	edit := want{"edit_file", `{"path":"calc.go","old_string":"func Add(a, b int) int { return a - b","new_string":"func Add(a, b int) int { return a + b"}`, "updated calc.go", false}
	with := func(w want, output string, failed bool) want {
		w.output, w.failed = output, failed
		return w
	}
	tests := []struct {
		name  string
		wants []want
		final string
	}{
		{"fixed", []want{run, find, read, edit, with(run, calcPasses, false)}, "Fixed: Add used - instead of + in calc.go. The tests pass now."},
		{"still failing", []want{run, find, read, edit, run}, "but the tests still fail"},
		{"numbered source", []want{run, find, with(read, "L1: package calc\nL2: func Add(a, b int) int { return a - b }\n", false), edit, with(run, calcPasses, false)}, "Fixed"},
		{"numbered source with zeros", []want{run, find, with(read, "00001| package calc\n00002| func Add(a, b int) int { return a - b }\n", false), edit, with(run, calcPasses, false)}, "Fixed"},
		{"nothing to fix", []want{with(run, calcPasses, false)}, "All tests pass; there is nothing to fix."},
		{"run denied", []want{with(run, "denied by remote controller", true)}, "That did not go through:\n```\ndenied by remote controller\n```"},
		{"edit denied", []want{run, find, read, with(edit, "no changes, please", true)}, "That did not go through:\n```\nno changes, please\n```"},
		{"second run denied", []want{run, find, read, edit, with(run, "enough", true)}, "That did not go through:\n```\nenough\n```"},
		{"does not compile", []want{with(run, "./calc.go:3:9: undefined: x\nFAIL\tcalc [build failed]", true)}, "not in a way that my rules know"},
		{"no source", []want{run, with(find, "other.go\n", false)}, "I did not find calc.go"},
		{"no operator", []want{run, find, with(read, "package calc\n\nfunc Add(a, b int) int {\n\treturn sum(a, b)\n}\n", false)}, "I see no wrong operator in Add of calc.go"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			texts := converse(t, "Fix the failing test", longNames, test.wants)
			if final := texts[len(texts)-1]; !strings.Contains(final, test.final) {
				t.Errorf("final text %q\nlacks %q", final, test.final)
			}
		})
	}
}

func TestCorrect(t *testing.T) {
	tests := []struct {
		output, source string
		what           string // "": no correction
	}{
		{"x_test.go:3: Mul(4, 5) = 9, want 20", "func Mul(x, y int) int {\n\treturn x + y\n}", "Mul used + instead of *"},
		{"x_test.go:3: Mul(4,5): want 20, got 9", "func (c Calc) Mul(x int, y int) int {\n\tz := 1\n\treturn x + y\n}", "Mul used + instead of *"},
		{"x_test.go:3: Sub(1, 3) = 4; want -2", "func Sub(a, b int) int { return a + b }", "Sub used + instead of -"},
		{"x_test.go:3: Div(6, 0) = 6, want 7", "func Div(a, b int) int { return a + b }", ""},
		{"x_test.go:3: Twice(2, 2) = 4, want 8", "func Twice(a, b int) int { return a + a }", ""},
		{"x_test.go:3: F(1, 1) = 0, want 2", "func G(a, b int) int { return a - b }", ""},
		{"x_test.go:3: F(1, 1) = 0, want 2", "func F(a, b int) int { return 0 }\n\nfunc G(a, b int) int { return a - b }", ""},
	}
	for _, test := range tests {
		f, ok := failureOf(test.output)
		if !ok || f.source != "x.go" {
			t.Errorf("%q: %+v, %v", test.output, f, ok)
			continue
		}
		old, fresh, what := f.correct(test.source)
		if what != test.what || (old == fresh) != (what == "") {
			t.Errorf("%q: %q for %q: %s, want %s", test.output, fresh, old, what, test.what)
		}
	}
}
