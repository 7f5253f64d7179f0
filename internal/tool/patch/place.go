package patch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"parley.dev/parley/internal/tool/textedit"
)

// A patched is a file's lines while hunks are applied to it.
type patched struct {
	lines   []string // without line ends
	crlf    bool     // lines end in CRLF
	open    bool     // the last line has no end
	folds   [len(foldings)]*folded
	gone    map[int]bool     // lines that go, by number from 0
	comes   map[int][]string // lines that come before the line of that number
	changed int              // lines below this number are done with
}

// foldings are the ways to compare lines, the strictest first.
var foldings = [...]func(string) string{
	func(line string) string { return line },
	func(line string) string { return strings.TrimRightFunc(line, unicode.IsSpace) },
	strings.TrimSpace,
	textedit.Plain,
}

// indented is the first of foldings that leaves out indentation.
const indented = 2

// A folded is all lines in one text, each with a newline before it, and one after the last.
type folded struct {
	text   string
	starts []int // where in text the newline before each line is, and the last newline
}

func newPatched(text string) *patched {
	f := &patched{crlf: textedit.AllCRLF(text), gone: map[int]bool{}, comes: map[int][]string{}}
	if text == "" {
		return f
	}
	f.lines = strings.Split(text, "\n")
	if last := len(f.lines) - 1; f.lines[last] == "" {
		f.lines = f.lines[:last]
	} else {
		f.open = true
	}
	if f.crlf {
		for i, line := range f.lines {
			if i < len(f.lines)-1 || !f.open {
				f.lines[i] = strings.TrimSuffix(line, "\r")
			}
		}
	}
	return f
}

// Apply returns text with all hunks applied. An error names the hunk.
func Apply(text string, hunks []Hunk) (string, error) {
	f := newPatched(text)
	for i := range hunks {
		if err := f.apply(&hunks[i]); err != nil {
			return "", fmt.Errorf("hunk %d (line %d of the patch): %w", hunks[i].number, hunks[i].at, err)
		}
	}
	return f.String(), nil
}

func (f *patched) apply(h *Hunk) error {
	at, fold, err := f.place(h)
	if err != nil {
		return err
	}
	if fold >= indented {
		h = h.indentedAs(f.lines[at : at+len(h.old())])
	}
	for _, line := range h.lines {
		switch line.mark {
		case ' ':
			at++
			continue
		case '-':
			f.gone[at] = true
			at++
		case '+':
			f.comes[at] = append(f.comes[at], line.text)
		}
		f.changed = at
	}
	return nil
}

// indentedAs returns the hunk with the indentation of the file in the lines that come, where there has the
// old lines as they are in the file. If one indentation of the hunk is several in the file, it stays as it is.
func (h *Hunk) indentedAs(there []string) *Hunk {
	old := h.old()
	indents := map[string]string{}
	for i, line := range old {
		if strings.TrimSpace(line) == "" {
			continue
		}
		from, to := textedit.Indent(line), textedit.Indent(there[i])
		if known, ok := indents[from]; ok && known != to {
			return h
		}
		indents[from] = to
	}
	own := *h
	own.lines = slices.Clone(h.lines)
	for i, line := range own.lines {
		if line.mark == '+' {
			own.lines[i].text = textedit.AsInFile(old, there, line.text)
		}
	}
	return &own
}

// String returns the text with what was applied so far.
func (f *patched) String() string {
	end := "\n"
	if f.crlf {
		end = "\r\n"
	}
	var lines []string
	for i := range len(f.lines) + 1 {
		lines = append(lines, f.comes[i]...)
		if i < len(f.lines) && !f.gone[i] {
			lines = append(lines, f.lines[i])
		}
	}
	text := strings.Join(lines, end)
	if len(lines) > 0 && !f.open {
		text += end
	}
	return text
}

// place returns the number of the line where a hunk begins, and by which of foldings it does: the only one that
// fits, below what earlier hunks have changed. Of lines after a head, the first that fit are meant.
func (f *patched) place(h *Hunk) (at, fold int, err error) {
	old := h.old()
	if len(old) == 0 && (h.atEnd || len(h.heads) == 0) {
		return len(f.lines), 0, nil
	}
	from := []int{f.changed}
	if len(h.heads) > 0 {
		if from, err = f.below(h.heads); err != nil {
			return 0, 0, err
		}
	}
	for i := range from {
		if len(old) == 0 && len(h.heads) > 0 {
			from[i]++ // after the head itself
		}
		from[i] = max(from[i], f.changed)
	}
	if len(old) == 0 {
		at, err = f.only(slices.Compact(from))
		return at, 0, err
	}
	for fold := range foldings {
		places := f.places(fold, old, from, len(h.heads) == 0)
		if h.atEnd {
			places = f.places(fold, old, []int{max(f.changed, len(f.lines)-len(old))}, true)
		}
		if len(places) > 0 {
			at, err = f.only(places)
			return at, fold, err
		}
	}
	return 0, 0, f.missing(h, old)
}

// places returns where old stands, in order: first after each line of from, which is in order
// too, or with all wherever it does after the first of them.
func (f *patched) places(fold int, old []string, from []int, all bool) []int {
	var places []int
	for _, at := range from {
		if n := len(places); n > 0 && places[n-1] >= at {
			continue // it is the first after this line as well
		}
		for len(places) < textedit.MaxPlaces {
			found := f.find(fold, old, at)
			if found < 0 {
				return places
			}
			places = append(places, found)
			if !all {
				break
			}
			at = found + 1
		}
	}
	return places
}

// below returns the lines with the last of heads, each after the heads before it, and at or
// after what was changed if there is one.
func (f *patched) below(heads []string) ([]int, error) {
	at := f.headed(heads[0], []int{0}, true)
	if i := slices.IndexFunc(at, func(line int) bool { return line >= f.changed }); i > 0 {
		at = at[i:]
	}
	for _, head := range heads[1:] {
		if len(at) == 0 {
			break
		}
		for i := range at {
			at[i]++
		}
		at = f.headed(head, at, false)
	}
	if len(at) == 0 {
		return nil, fmt.Errorf("the file has no such line as behind its @@: %.200q", strings.Join(heads, " @@ "))
	}
	return at, nil
}

func (f *patched) headed(head string, from []int, all bool) []int {
	for fold := range foldings {
		if at := f.places(fold, []string{head}, from, all); len(at) > 0 {
			return at
		}
	}
	return nil
}

// only returns the one place that there is.
func (f *patched) only(places []int) (int, error) {
	if len(places) == 1 {
		return places[0], nil
	}
	const named = 10
	var lines []string
	for _, at := range places[:min(len(places), named)] {
		lines = append(lines, fmt.Sprint(at+1))
	}
	if len(places) > named {
		lines = append(lines, "…")
	}
	return 0, fmt.Errorf("it fits at %d places (lines %s); give more of the lines around it, or a line above it after @@",
		len(places), strings.Join(lines, ", "))
}

// find returns the first line at or after from where want stands; -1: none.
func (f *patched) find(fold int, want []string, from int) int {
	all := f.folded(fold)
	if from > len(f.lines) {
		return -1
	}
	var needle strings.Builder
	for _, line := range want {
		needle.WriteString("\n" + foldings[fold](line))
	}
	needle.WriteByte('\n')
	at := strings.Index(all.text[all.starts[from]:], needle.String())
	if at < 0 {
		return -1
	}
	line, _ := slices.BinarySearch(all.starts, all.starts[from]+at)
	return line
}

func (f *patched) folded(fold int) *folded {
	if f.folds[fold] == nil {
		var text strings.Builder
		all := &folded{}
		for _, line := range f.lines {
			all.starts = append(all.starts, text.Len())
			text.WriteString("\n" + foldings[fold](line))
		}
		all.starts = append(all.starts, text.Len())
		text.WriteByte('\n')
		all.text = text.String()
		f.folds[fold] = all
	}
	return f.folds[fold]
}

// missing returns the error of a hunk that fits nowhere: where it fits best.
func (f *patched) missing(h *Hunk, old []string) error {
	loosest := len(foldings) - 1
	before := f.find(loosest, old, 0)
	switch {
	case before >= 0 && before < f.changed:
		return fmt.Errorf("its lines are at line %d, before a change of an earlier hunk: put hunks in the order of the file", before+1)
	case h.atEnd && before >= 0:
		return fmt.Errorf("its lines are at line %d, but not at the end of the file", before+1)
	case before >= 0:
		return fmt.Errorf("its lines are at line %d, but not after the line of its @@", before+1)
	case len(f.lines) == 0:
		return errors.New("the file is empty")
	}
	// As many of the lines as stand together somewhere, and the first that does not fit.
	fits, at := 0, -1
	for low, high := 1, len(old)-1; low <= high; {
		middle := (low + high) / 2
		if found := f.find(loosest, old[:middle], 0); found >= 0 {
			fits, at, low = middle, found, middle+1
		} else {
			high = middle - 1
		}
	}
	if fits == 0 {
		return fmt.Errorf("the file has no such line as its first: %.200q; read the file and copy the lines exactly", old[0])
	}
	have := "the end of the file"
	if at+fits < len(f.lines) {
		have = fmt.Sprintf("%.200q", f.lines[at+fits])
	}
	return fmt.Errorf("its first %s at line %d, but then it has %.200q where the file has %s; read the file and copy the lines exactly",
		foundLines(fits), at+1, old[fits], have)
}

func foundLines(lines int) string {
	if lines == 1 {
		return "line is"
	}
	return fmt.Sprintf("%d lines are", lines)
}
