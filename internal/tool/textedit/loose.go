package textedit

import (
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// A looseMatch is a text that a replacement means although it is written in another way.
type looseMatch struct {
	start, end int    // in the text of the file
	text       string // to put there
	note       string // how the file differs, for the model
}

// loosely finds what r replaces where its old text is not in the file: without the line numbers
// that read shows, without doubled escapes, and lines that differ in trailing blanks, indentation,
// quotes and dashes only. It has to be at exactly one place.
func (r Edit) loosely(text string) (looseMatch, bool) {
	for _, try := range []struct {
		change func(string) (string, bool)
		note   string
	}{
		{withoutNumbers, "the line numbers in old were left out"},
		{unescaped, "the escapes in old and new were written twice, and read once"},
	} {
		old, changed := try.change(r.Old)
		if !changed || old == "" {
			continue
		}
		text := text
		replaced := r.New
		if fixed, ok := try.change(r.New); ok {
			replaced = fixed
		}
		if places := occurrences(text, old); len(places) == 1 {
			return looseMatch{places[0], places[0] + len(old), replaced, try.note}, true
		}
	}
	return r.byLines(text)
}

var numberedLine = lazy.Regexp{Expr: `^ *\d+\t`}

// withoutNumbers returns text without the numbers at the beginning of its lines; false if a
// line has none.
func withoutNumbers(text string) (string, bool) {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if line == "" && i == len(lines)-1 {
			continue
		}
		number := numberedLine.Get().FindString(line)
		if number == "" {
			return text, false
		}
		lines[i] = line[len(number):]
	}
	return strings.Join(lines, ""), true
}

var escapes = lazy.Value[*strings.Replacer]{New: func() *strings.Replacer {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, "'", `\\`, `\`)
}}

func unescaped(text string) (string, bool) {
	plain := escapes.Get().Replace(text)
	return plain, plain != text
}

// byLines finds the one run of whole lines that are those of r.Old but for white space around
// them, quotes and dashes.
func (r Edit) byLines(text string) (looseMatch, bool) {
	old := strings.Split(strings.TrimSuffix(strings.ReplaceAll(r.Old, "\r\n", "\n"), "\n"), "\n")
	want := make([]string, len(old))
	for i, line := range old {
		want[i] = Plain(line)
	}
	if strings.Join(want, "") == "" {
		return looseMatch{}, false
	}
	lines := strings.SplitAfter(text, "\n")
	have := make([]string, len(lines))
	for i, line := range lines {
		have[i] = Plain(line)
	}
	found := -1
	for i := 0; i+len(want) <= len(have); i++ {
		if !slices.Equal(have[i:i+len(want)], want) {
			continue
		}
		if found >= 0 {
			return looseMatch{}, false
		}
		found = i
	}
	if found < 0 {
		return looseMatch{}, false
	}
	there := lines[found : found+len(want)]
	m := looseMatch{start: len(strings.Join(lines[:found], ""))}
	last := there[len(there)-1]
	m.end = m.start + len(strings.Join(there, "")) - len(last) + len(strings.TrimRight(last, "\r\n"))
	if r.New == "" { // the lines go as a whole
		m.end = m.start + len(strings.Join(there, ""))
	} else {
		m.text = AsInFile(old, there, strings.TrimSuffix(strings.ReplaceAll(r.New, "\r\n", "\n"), "\n"))
	}
	m.note = fmt.Sprintf("old differs from %s only in white space, quotes or dashes; those of the file were kept", LineRange(found+1, found+len(want)))
	return m, true
}

// LineRange is "line 3" or "lines 3 to 5".
func LineRange(first, last int) string {
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d to %d", first, last)
}

// AsInFile writes the new text like the file: lines that old has too are those of the file, others
// have the indentation that the file has where old has theirs.
func AsInFile(old, there []string, text string) string {
	end := "\n"
	if strings.HasSuffix(there[0], "\r\n") {
		end = "\r\n"
	}
	same, indents := map[string]string{}, map[string]string{}
	unit := 0 // spaces that old has for one tab of the file
	for i, line := range old {
		own := strings.TrimRight(there[i], "\r\n")
		if _, ok := same[line]; !ok {
			same[line] = own
		}
		from, to := Indent(line), Indent(own)
		if strings.TrimSpace(line) == "" {
			continue
		}
		if _, ok := indents[from]; !ok {
			indents[from] = to
		}
		tabs := strings.Count(to, "\t") - strings.Count(indents[""], "\t")
		if tabs > 0 && len(from) >= tabs && !strings.Contains(from, "\t") {
			unit = len(from) / tabs
		}
	}
	if unit == 0 {
		unit = 4
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if own, ok := same[line]; ok {
			lines[i] = own
			continue
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		from := Indent(line)
		known, ok := longestKnown(indents, from)
		if !ok {
			continue
		}
		rest := from[len(known):]
		if strings.Contains(strings.Join(there, ""), "\n\t") || strings.HasPrefix(there[0], "\t") {
			rest = strings.ReplaceAll(rest, strings.Repeat(" ", unit), "\t")
		}
		lines[i] = indents[known] + rest + line[len(from):]
	}
	return strings.Join(lines, end)
}

// longestKnown returns the longest key of indents that from begins with.
func longestKnown(indents map[string]string, from string) (known string, ok bool) {
	for n := len(from); n >= 0; n-- {
		if _, ok := indents[from[:n]]; ok {
			return from[:n], true
		}
	}
	return "", false
}

// Indent returns the blanks at the beginning of a line.
func Indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

var typography = lazy.Value[*strings.Replacer]{New: func() *strings.Replacer {
	return strings.NewReplacer(
		"‘", "'", "’", "'", "‚", "'", "‛", "'", "“", `"`, "”", `"`, "„", `"`, "‟", `"`,
		"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "―", "-", "−", "-",
		"\u00a0", " ", "\u2002", " ", "\u2003", " ", "\u2009", " ", "\u200a", " ", "\u202f", " ", "\u3000", " ",
	)
}}

// Plain returns a line without white space around it, with plain quotes, dashes and spaces.
func Plain(line string) string { return strings.TrimSpace(typography.Get().Replace(line)) }
