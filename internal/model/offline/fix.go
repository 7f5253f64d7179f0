package offline

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// testCommand runs every test of a Go module.
const testCommand = "go test ./..."

// fixTest runs the tests, finds and reads the source of the failing one, corrects an
// obviously wrong operator and runs the tests again: one call each.
func (t turn) fixTest([]string) reply {
	if len(t.results) == 0 {
		return t.do(t.tools.run(testCommand), "I run the tests to see what fails.")
	}
	last := t.results[len(t.results)-1]
	fails := strings.Contains(last.Text, "FAIL")
	f, known := failureOf(t.results[0].Text)
	switch {
	case last.IsError && !fails: // only the tests may fail
		return report(last)
	case len(t.results) == 1 && !fails:
		return say("All tests pass; there is nothing to fix.")
	case !known:
		return say("The tests fail, but not in a way that my rules know:\n%s", quoted(lines(last.Text)))
	case len(t.results) == 1:
		return t.do(t.tools.find(f.source, "."), "%s gives a wrong result, so I look for %s.", f.function, f.source)
	}
	found := lines(t.results[1].Text)
	at := slices.IndexFunc(found, func(file string) bool { return path.Base(file) == f.source })
	switch {
	case at < 0:
		return say("I did not find %s, so I changed nothing.", f.source)
	case len(t.results) == 2:
		return t.do(t.tools.read(found[at]), "I read %s.", found[at])
	}
	source := plain(t.results[2].Text)
	old, fresh, what := f.correct(source)
	switch {
	case old == "":
		return say("I see no wrong operator in %s of %s, so I changed nothing.", f.function, f.source)
	case len(t.results) == 3:
		return t.do(t.tools.edit(found[at], source, old, fresh), "%s in %s; I correct it.", what, f.source)
	case len(t.results) == 4:
		return t.do(t.tools.run(testCommand), "I run the tests again.")
	case fails:
		return say("I corrected that %s, but the tests still fail:\n%s", what, quoted(lines(last.Text)))
	}
	return say("Fixed: %s in %s. The tests pass now.", what, f.source)
}

// A failure is what a failed Go test says: that a function of two numbers gave a wrong one.
type failure struct {
	source     string // the file the test file is named for: calc.go for calc_test.go
	function   string
	a, b, want int
}

var wrongCall = lazy.Regexp{Expr: `(\w+)_test\.go:\d+:.*?\b([A-Za-z_]\w*)\((-?\d+), ?(-?\d+)\).*?\bwant\D*?(-?\d+)`}

// failureOf finds the first failed test in the output of go test.
func failureOf(output string) (f failure, found bool) {
	m := wrongCall.Get().FindStringSubmatch(output)
	if m == nil {
		return failure{}, false
	}
	f = failure{source: m[1] + ".go", function: m[2]}
	_, err := fmt.Sscan(strings.Join(m[3:], " "), &f.a, &f.b, &f.want)
	return f, err == nil
}

// correct returns the part of source that has a wrong operator, the part as it should be, and what was wrong;
// "" if the function of f does not simply return an operation on its two parameters.
func (f failure) correct(source string) (old, fresh, what string) {
	m := regexp.MustCompile(`(func (?:\([^)]*\) )?` + f.function + `\((\w+)[^,)]*, ?(\w+)[^)]*\)[^{]*\{[^{}]*?return (\w+) )([-+*])( (\w+))`).FindStringSubmatch(source)
	if m == nil || m[2] != m[4] || m[3] != m[7] || strings.Count(source, m[0]) != 1 {
		return "", "", ""
	}
	for i, result := range []int{f.a + f.b, f.a - f.b, f.a * f.b} {
		if op := "+-*"[i : i+1]; op != m[5] && result == f.want {
			return m[0], m[1] + op + m[6], fmt.Sprintf("%s used %s instead of %s", f.function, m[5], op)
		}
	}
	return "", "", ""
}
