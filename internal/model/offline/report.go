package offline

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"parley.dev/parley/internal/model"
)

// shownLines is how many lines of a result a report quotes.
const shownLines = 10

// reportFailure tells of a call that was denied or failed, in the words of the result.
func reportFailure(r model.Result) reply {
	reason := strings.TrimSpace(r.Text)
	if reason == "" {
		reason = "no reason was given"
	}
	return say("That did not go through: %s", head(reason))
}

func reportFiles(r model.Result) reply {
	found := files(r.Text)
	switch {
	case r.IsError:
		return reportFailure(r)
	case len(found) == 0:
		return say("No file matches.")
	}
	return say("I found %s:\n%s", count(len(found), "file"), quoted(found))
}

func reportKinds(r model.Result) reply {
	if r.IsError {
		return reportFailure(r)
	}
	found := files(r.Text)
	if len(found) == 0 {
		return say("The workspace holds no files.")
	}
	kinds := map[string]int{}
	for _, f := range found {
		kinds[path.Ext(f)]++
	}
	var parts []string
	for _, ext := range slices.Sorted(maps.Keys(kinds)) {
		name := ext
		if ext == "" {
			name = "without extension"
		}
		parts = append(parts, fmt.Sprintf("%d %s", kinds[ext], name))
	}
	return say("The workspace holds %s (%s):\n%s", count(len(found), "file"), strings.Join(parts, ", "), quoted(found))
}

func reportMatches(text string, r model.Result) reply {
	found := lines(r.Text)
	switch {
	case noMatch(r, found):
		return say("I found no %q.", text)
	case r.IsError:
		return reportFailure(r)
	}
	return say("The search for %q gave %s:\n%s", text, count(len(found), "line"), quoted(found))
}

// noMatch tells a search that found nothing, also by grep's exit code, from one that failed.
func noMatch(r model.Result, lines []string) bool {
	switch len(lines) {
	case 0:
		return !r.IsError
	case 1:
		return nothingFound().MatchString(lines[0]) || r.IsError && exitCode(r) == "1"
	}
	return false
}

func reportFile(file string, r model.Result) reply {
	if r.IsError {
		return reportFailure(r)
	}
	text := strings.TrimRight(plain(r.Text), "\n")
	if text == "" || emptyFile().MatchString(text) {
		return say("%s is empty.", file)
	}
	content := strings.Split(text, "\n")
	return say("%s has %s:\n%s", file, count(len(content), "line"), quoted(content))
}

// declaration is a line that declares a function or a type, in most languages.
var declaration = once(`(?m)^\s*(?:export\s+)?(?:pub\s+)?(?:func|def|fn|function|class|type|struct)\s+(?:\([^)]*\)\s*)?(\w+)`)

func reportOutline(file string, r model.Result) reply {
	if r.IsError {
		return reportFailure(r)
	}
	text := plain(r.Text)
	var names []string
	for _, m := range declaration().FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	declares := "I see no declarations in it."
	if len(names) > 0 {
		declares = fmt.Sprintf("It declares %s.", strings.Join(names, ", "))
	}
	return say("%s has %s and %d bytes. %s", file, count(len(lines(text)), "line that is not blank", "lines that are not blank"), len(text), declares)
}

func reportRun(command string, r model.Result) reply {
	out := slices.DeleteFunc(lines(r.Text), func(l string) bool { return strings.HasPrefix(l, "[exit code ") })
	how := "succeeded"
	switch code := exitCode(r); {
	case code != "":
		how = "ended with exit code " + code
	case r.IsError:
		return reportFailure(r)
	}
	if len(out) == 0 {
		return say("`%s` %s and printed nothing.", command, how)
	}
	return say("`%s` %s and printed %s:\n%s", command, how, count(len(out), "line"), quoted(out))
}

func reportChange(file string, r model.Result) reply {
	if r.IsError {
		return reportFailure(r)
	}
	return say("%s is changed: %s", file, head(r.Text))
}

var (
	exitCodes    = once(`(?im)^\W{0,3}(?:(?:process|command)\s+)?exit(?:ed with)?[_ ]?(?:code|status)\W{1,3}(\d+)`) // at the start of a line: a denial may name another program's
	emptyFile    = once(`(?i)^\W*(?:the )?(?:file is )?empty\W*$`)                                                  // in a tool's words
	nothingFound = once(`(?i)^\W*(?:no (?:matches|match|files?|results?)\b|nothing found)`)
)

// exitCode returns the exit code that a failed shell run names; "" if it names none.
func exitCode(r model.Result) string {
	if !r.IsError {
		return ""
	}
	if all := exitCodes().FindAllStringSubmatch(r.Text, -1); len(all) > 0 {
		return all[len(all)-1][1]
	}
	return ""
}
