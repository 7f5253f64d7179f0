package textedit

import (
	"errors"
	"fmt"
	"strings"
)

// An Edit puts New in the place of Old: at exactly one place, or at all.
type Edit struct {
	Old        string `json:"old"`
	New        string `json:"new"`
	ReplaceAll bool   `json:"replace_all"`
}

// Apply makes all edits in text, one after the other, and counts the places replaced.
// A text whose lines all end in CRLF keeps them, whatever line ends an edit is written with.
// Notes say where an edit was made that does not fit exactly.
func Apply(text string, edits []Edit) (replaced string, made int, notes []string, err error) {
	for i, edit := range edits {
		if AllCRLF(text) {
			edit.Old, edit.New = toCRLF(edit.Old), toCRLF(edit.New)
		}
		next, n, note, err := edit.apply(text)
		if err != nil {
			return "", 0, nil, fmt.Errorf("%s%w", Label(i, len(edits)), err)
		}
		if note != "" {
			notes = append(notes, Label(i, len(edits))+note)
		}
		text, made = next, made+n
	}
	return text, made, notes, nil
}

// Label returns which of several edits is meant.
func Label(i, count int) string {
	if count == 1 {
		return ""
	}
	return fmt.Sprintf("edit %d of %d: ", i+1, count)
}

func (r Edit) apply(text string) (replaced string, made int, note string, err error) {
	switch {
	case r.Old == r.New:
		return "", 0, "", errors.New("old and new differ only in line ends, and the file ends its lines with CRLF")
	case r.Old == "" && text == "":
		return r.New, 1, "", nil
	case r.Old == "":
		return "", 0, "", errors.New("old is empty, which only fits a new or empty file")
	}
	places := occurrences(text, r.Old)
	switch {
	case len(places) == 0:
		if m, ok := r.loosely(text); ok {
			return text[:m.start] + m.text + text[m.end:], 1, m.note, nil
		}
		return "", 0, "", notFound(text, r.Old)
	case r.ReplaceAll:
		return strings.ReplaceAll(text, r.Old, r.New), strings.Count(text, r.Old), "", nil
	case len(places) > 1:
		return "", 0, "", ambiguous(text, r.Old, places)
	}
	return text[:places[0]] + r.New + text[places[0]+len(r.Old):], 1, "", nil
}

// MaxPlaces is how many places of an ambiguous text are looked up.
const MaxPlaces = 1000

// occurrences returns where old begins in text; places may overlap.
func occurrences(text, old string) []int {
	var places []int
	for from := 0; len(places) < MaxPlaces; {
		i := strings.Index(text[from:], old)
		if i < 0 {
			break
		}
		places = append(places, from+i)
		from += i + 1
	}
	return places
}

// ambiguous returns the error that old was found at several places. It names the lines of the first ten,
// and shows the first places with the lines before them.
func ambiguous(text, old string, places []int) error {
	const named = 10
	var lines strings.Builder
	for i, place := range places[:min(len(places), named)] {
		if i > 0 {
			lines.WriteString(", ")
		}
		fmt.Fprint(&lines, lineAt(text, place))
	}
	if len(places) > named {
		lines.WriteString(" …")
	}
	return fmt.Errorf("found %d matches of the text to replace (lines %s); give more of the text around the one that is meant, or replace all%s",
		len(places), &lines, surrounded(text, old, places))
}

// What an error shows of the places of an ambiguous text.
const (
	shownPlaces = 4
	linesBefore = 2
)

// surrounded returns the lines of the first places, each with those before it; "" if they are too long for
// an error.
func surrounded(text, old string, places []int) string {
	var b strings.Builder
	all := strings.SplitAfter(text, "\n")
	for _, place := range places[:min(len(places), shownPlaces)] {
		at := lineAt(text, place)
		first, last := max(1, at-linesBefore), lineAt(text, place+len(strings.TrimSuffix(old, "\n")))
		fmt.Fprintf(&b, "\n%s:\n%s", LineRange(first, last), strings.TrimSuffix(strings.Join(all[first-1:last], ""), "\n"))
	}
	if b.Len() > maxHint {
		return ""
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// lineAt returns the number of the line that the byte at place belongs to, from 1.
func lineAt(text string, place int) int { return strings.Count(text[:place], "\n") + 1 }

func AllCRLF(text string) bool {
	n := strings.Count(text, "\n")
	return n > 0 && n == strings.Count(text, "\r\n")
}

func toCRLF(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}
