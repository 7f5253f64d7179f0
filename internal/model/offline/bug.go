package offline

import (
	"strconv"
	"strings"
)

// A failure is what a failed Go test says: that a call gave the wrong number.
type failure struct {
	source   string // the file the test file is named for: calc.go for calc_test.go
	function string
	args     []int // nil: the test does not say
	want     int
	wants    bool // want is known
}

var (
	testFile  = once(`(\w+)_test\.go:\d+:`)
	wrongCall = once(`_test\.go:\d+:.*?\b([A-Za-z_]\w*)\(\s*(-?\d+(?:\s*,\s*-?\d+)*)\s*\)`)
	wanted    = once(`(?i)_test\.go:\d+:.*?\b(?:want|wanted|expected)\b\D*?(-?\d+)`)
	failed    = once(`--- FAIL: Test(\w+)`)
)

// readFailure finds the first failed test in the output of go test.
func readFailure(output string) (failure, bool) {
	file := testFile().FindStringSubmatch(output)
	if file == nil {
		return failure{}, false
	}
	f := failure{source: file[1] + ".go"}
	if m := wrongCall().FindStringSubmatch(output); m != nil {
		f.function = m[1]
		for _, arg := range strings.Split(m[2], ",") {
			n, err := strconv.Atoi(strings.TrimSpace(arg))
			if err != nil {
				return failure{}, false
			}
			f.args = append(f.args, n)
		}
	} else if m := failed().FindStringSubmatch(output); m != nil {
		f.function, _, _ = strings.Cut(m[1], "_")
	}
	if m := wanted().FindStringSubmatch(output); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			f.want, f.wants = n, true
		}
	}
	return f, f.function != ""
}

// A correction replaces one operator of a source file.
type correction struct {
	old, fresh string // texts of the source; old stands there once
	from, to   string // the operators
}

var (
	funcHead   = once(`(?m)^func (?:\([^)]*\) )?(\w+)\(([^)]*)\)`)
	returnExpr = once(`return (\w+) ([-+*/]) (\w+)`)
)

// correct finds an operator in the function of f that makes the wanted result. ok is
// false if the function does not simply return an operation on two of its parameters.
func (f failure) correct(source string) (c correction, ok bool) {
	for _, at := range funcHead().FindAllStringSubmatchIndex(source, -1) {
		if source[at[2]:at[3]] != f.function {
			continue
		}
		body := source[at[1]:]
		if end := strings.Index(body, "\nfunc "); end >= 0 {
			body = body[:end]
		}
		expr := returnExpr().FindStringSubmatchIndex(body)
		if expr == nil {
			return correction{}, false
		}
		part := func(i int) string { return body[expr[2*i]:expr[2*i+1]] }
		to, ok := f.operator(paramNames(source[at[4]:at[5]]), part(1), part(2), part(3))
		if !ok {
			return correction{}, false
		}
		old := source[at[0]:at[1]] + body[:expr[1]]
		fresh := source[at[0]:at[1]] + body[:expr[4]] + to + body[expr[5]:expr[1]]
		return correction{old: old, fresh: fresh, from: part(2), to: to}, strings.Count(source, old) == 1
	}
	return correction{}, false
}

// opposites is tried when the test does not say enough to compute.
var opposites = map[string]string{"+": "-", "-": "+", "*": "/", "/": "*"}

func (f failure) operator(params []string, left, now, right string) (string, bool) {
	values := map[string]int{}
	for i, name := range params {
		if i < len(f.args) {
			values[name] = f.args[i]
		}
	}
	a, okA := values[left]
	b, okB := values[right]
	if !okA || !okB || !f.wants {
		return opposites[now], true
	}
	for _, op := range []string{"+", "-", "*", "/"} {
		if op != now && apply(op, a, b) == f.want && (op != "/" || b != 0) {
			return op, true
		}
	}
	return "", false
}

func apply(op string, a, b int) int {
	switch {
	case op == "+":
		return a + b
	case op == "-":
		return a - b
	case op == "*":
		return a * b
	case b != 0:
		return a / b
	}
	return 0
}

// paramNames returns the names in a Go parameter list.
func paramNames(list string) []string {
	var names []string
	for _, p := range strings.Split(list, ",") {
		if fields := strings.Fields(p); len(fields) > 0 {
			names = append(names, fields[0])
		}
	}
	return names
}
