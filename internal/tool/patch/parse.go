package patch

import (
	"errors"
	"fmt"
	"strings"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/tool/workspace"
)

// A Section is the part of a patch about one file.
type Section struct {
	Kind   Kind
	Path   string
	MoveTo string // of an update: the new name; "": it stays
	Text   string // of an added file
	Hunks  []Hunk // of an update
}

// Removes reports whether the file is gone afterwards, at least under its old name.
func (s Section) Removes() bool { return s.Kind == Delete || s.MoveTo != "" }

// A Kind is what a Section does with its file.
type Kind uint8

// The kinds.
const (
	Add Kind = iota
	Delete
	Update
)

// A Hunk is one place of a file to change.
type Hunk struct {
	number int        // among those of the file, from 1
	at     int        // its first line in the patch, from 1
	heads  []string   // lines of the file above it, the outermost first
	lines  []hunkLine // of the file, in order
	atEnd  bool       // its last line is the file's
}

// A hunkLine is a line that stays (' '), goes ('-') or comes ('+').
type hunkLine struct {
	mark byte
	text string
}

// The lines that give a patch its form.
const (
	begin   = "*** Begin Patch"
	finish  = "*** End Patch"
	moved   = "*** Move to: "
	fileEnd = "*** End of File"
)

var kinds = lazy.Value[map[string]Kind]{New: func() map[string]Kind {
	return map[string]Kind{
		"*** Add File: ": Add, "*** Delete File: ": Delete, "*** Update File: ": Update,
	}
}}

// Parse reads a patch. An error is a sentence for the model with the line in question.
func Parse(text string) ([]Section, error) {
	text = unwrap(strings.ReplaceAll(text, "\r\n", "\n"))
	p := parser{lines: strings.Split(strings.TrimRight(text, " \t\n"), "\n")}
	for p.at < len(p.lines) && strings.TrimSpace(p.lines[p.at]) == "" {
		p.at++
	}
	last := len(p.lines) - 1
	switch {
	case p.at > last || strings.TrimSpace(p.lines[p.at]) != begin:
		return nil, fmt.Errorf("the patch has to begin with the line %q", begin)
	}
	if strings.TrimSpace(p.lines[last]) == finish { // some models forget it
		p.lines = p.lines[:last]
	}
	p.at++
	var sections []Section
	for p.at < len(p.lines) {
		if strings.TrimSpace(p.lines[p.at]) == "" {
			p.at++
			continue
		}
		section, err := p.section()
		if err != nil {
			return nil, err
		}
		sections = append(sections, section)
	}
	if len(sections) == 0 {
		return nil, errors.New("the patch changes no file")
	}
	return sections, nil
}

// A parser reads lines up to, but without, the patch's last.
type parser struct {
	lines []string
	at    int // the next line
}

// fail blames the line at.
func (p *parser) fail(at int, format string, args ...any) error {
	return fmt.Errorf("line %d of the patch: %s", at+1, fmt.Sprintf(format, args...))
}

// directive reports whether the next line is one of the patch's form, and not of a file.
func (p *parser) directive() bool { return strings.HasPrefix(p.lines[p.at], "***") }

func (p *parser) section() (Section, error) {
	head := p.lines[p.at]
	for prefix, kind := range kinds.Get() {
		name, ok := strings.CutPrefix(head, prefix)
		if !ok {
			continue
		}
		s := Section{Kind: kind, Path: strings.TrimSpace(name)}
		if s.Path == "" {
			return s, p.fail(p.at, "it names no file")
		}
		p.at++
		switch kind {
		case Add:
			return s, p.added(&s)
		case Update:
			return s, p.update(&s)
		}
		return s, nil
	}
	return Section{}, p.fail(p.at, "%.80q is none of *** Add File: PATH, *** Delete File: PATH and *** Update File: PATH", head)
}

// added reads the lines of a new file.
func (p *parser) added(s *Section) error {
	var text strings.Builder
	for ; p.at < len(p.lines) && !p.directive(); p.at++ {
		line, ok := strings.CutPrefix(p.lines[p.at], "+")
		if !ok && line != "" {
			return p.fail(p.at, "in %s, a new file, every line begins with +", workspace.DisplayName(s.Path))
		}
		if ok {
			text.WriteString(line + "\n")
		}
	}
	s.Text = text.String()
	return nil
}

// update reads the hunks of a file.
func (p *parser) update(s *Section) error {
	begin := p.at - 1
	if p.at < len(p.lines) {
		if name, ok := strings.CutPrefix(p.lines[p.at], moved); ok {
			s.MoveTo = strings.TrimSpace(name)
			if s.MoveTo == "" {
				return p.fail(p.at, "it names no file")
			}
			p.at++
		}
	}
	for p.at < len(p.lines) && !p.directive() {
		if p.lines[p.at] == "" {
			p.at++
			continue
		}
		h, err := p.hunk(s.Path)
		if err != nil {
			return err
		}
		h.number = len(s.Hunks) + 1
		s.Hunks = append(s.Hunks, h)
	}
	if len(s.Hunks) == 0 && s.MoveTo == "" {
		return p.fail(begin, "the update of %s has no hunks", workspace.DisplayName(s.Path))
	}
	return nil
}

// hunk reads the heads of a hunk and its lines. A line without anything is an empty one
// that stays, unless it is the last: it only sets the next part apart then.
func (p *parser) hunk(file string) (Hunk, error) {
	h := Hunk{at: p.at + 1}
	for p.at < len(p.lines) && strings.HasPrefix(p.lines[p.at], "@@") {
		if head := hunkHead(p.lines[p.at]); head != "" {
			h.heads = append(h.heads, head)
		}
		p.at++
	}
	spare := 0 // lines without anything at the end
	for ; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		switch {
		case strings.TrimSpace(line) == fileEnd:
			h.atEnd, spare = true, 0
			p.at++
		case line == "":
			h.lines = append(h.lines, hunkLine{mark: ' '})
			spare++
			continue
		case strings.ContainsRune(" +-", rune(line[0])):
			h.lines = append(h.lines, hunkLine{line[0], line[1:]})
			spare = 0
			continue
		case !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, "***"):
			return h, p.fail(p.at, "in a hunk of %s, a line begins with a space, + or -; new hunks begin with @@", workspace.DisplayName(file))
		}
		break
	}
	h.lines = h.lines[:len(h.lines)-spare]
	if len(h.lines) == 0 {
		return h, p.fail(h.at-1, "the hunk of %s has no lines", workspace.DisplayName(file))
	}
	return h, nil
}

// hunkHead returns the line of the file after "@@". What diff programs put there is left out:
// ranges of line numbers between two "@@".
func hunkHead(line string) string {
	head := strings.TrimPrefix(line, "@@")
	ranges, rest, ok := strings.Cut(head, "@@")
	if ok && strings.Trim(ranges, " -+,0123456789") == "" {
		head = rest
	}
	head = strings.TrimPrefix(head, " ")
	if strings.TrimSpace(head) == "" {
		return ""
	}
	return head
}

// old returns the lines that the file has where the hunk belongs.
func (h *Hunk) old() []string {
	var old []string
	for _, line := range h.lines {
		if line.mark != '+' {
			old = append(old, line.text)
		}
	}
	return old
}
