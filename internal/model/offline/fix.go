package offline

import (
	"path"
	"strings"

	"parley.dev/parley/internal/model"
)

// testCommand runs every test of a Go module.
const testCommand = "go test ./..."

// fixTest runs the tests, finds and reads the source of the failing one, corrects an
// obviously wrong operator and runs the tests again: one round each.
func (t turn) fixTest([]string) reply {
	if len(t.rounds) == 0 {
		return t.do(t.tools.run(testCommand), "I run the tests to see what fails.")
	}
	output := t.rounds[0].result
	switch {
	case !testsRan(output):
		return reportFailure(output)
	case !strings.Contains(output.Text, "FAIL"):
		return say("All tests pass; there is nothing to fix.")
	}
	f, ok := readFailure(output.Text)
	if !ok {
		return say("The tests fail, but not in a way that my rules know:\n%s", quoted(lines(output.Text)))
	}
	if len(t.rounds) == 1 {
		return t.do(t.tools.find(f.source, "."), "%s gives a wrong result, so I look for %s.", f.function, f.source)
	}
	return t.fixSource(f)
}

// fixSource continues after the failure is known.
func (t turn) fixSource(f failure) reply {
	found := t.rounds[1].result
	file := pick(files(found.Text), f.source)
	switch {
	case found.IsError:
		return reportFailure(found)
	case file == "":
		return say("I did not find %s, so I changed nothing.", f.source)
	case len(t.rounds) == 2:
		return t.do(t.tools.read(file), "I read %s.", file)
	}
	read := t.rounds[2].result
	if read.IsError {
		return reportFailure(read)
	}
	source := plain(read.Text)
	c, ok := f.correct(source)
	if !ok {
		return say("I read %s, but see no wrong operator in %s, so I changed nothing.", file, f.function)
	}
	if len(t.rounds) == 3 {
		return t.do(t.tools.edit(file, source, c.old, c.fresh, false), "%s uses %s where the test wants %s; I correct it.", f.function, c.from, c.to)
	}
	if edited := t.rounds[3].result; edited.IsError {
		return reportFailure(edited)
	}
	if len(t.rounds) == 4 {
		return t.do(t.tools.run(testCommand), "I run the tests again.")
	}
	return reportFix(f, c, file, t.rounds[4].result)
}

func reportFix(f failure, c correction, file string, again model.Result) reply {
	switch {
	case !testsRan(again):
		return reportFailure(again)
	case strings.Contains(again.Text, "FAIL"):
		return say("I changed %s to %s in %s of %s, but the tests still fail:\n%s", c.from, c.to, f.function, file, quoted(lines(again.Text)))
	}
	return say("Fixed: %s in %s used %s instead of %s. The tests pass now.", f.function, file, c.from, c.to)
}

// testsRan reports whether r is the output of go test, and not the refusal to run it.
func testsRan(r model.Result) bool {
	return !r.IsError || strings.Contains(r.Text, "FAIL")
}

// pick returns the first of paths that is named name; "" if none is.
func pick(paths []string, name string) string {
	for _, p := range paths {
		if p = strings.TrimSpace(p); path.Base(p) == name {
			return p
		}
	}
	return ""
}
