package tool

import (
	"errors"
	"fmt"
	"strings"

	"parley.dev/parley/internal/tool/workspace"
)

// A patchSection is what a patch says about one file.
type patchSection struct {
	kind   patchKind
	path   string
	moveTo string      // of an update: the new name; "": it stays
	text   string      // of an added file
	hunks  []patchHunk // of an update
}

// removes reports whether the file is gone afterwards, at least under its old name.
func (s patchSection) removes() bool { return s.kind == patchDelete || s.moveTo != "" }

type patchKind uint8

const (
	patchAdd patchKind = iota
	patchDelete
	patchUpdate
)

// A patchHunk is one place of a file to change.
type patchHunk struct {
	number int         // among those of the file, from 1
	at     int         // its first line in the patch, from 1
	heads  []string    // lines of the file above it, the outermost first
	lines  []patchLine // of the file, in order
	atEnd  bool        // its last line is the file's
}

// A patchLine is a line that stays (' '), goes ('-') or comes ('+').
type patchLine struct {
	mark byte
	text string
}

// The lines that give a patch its form.
const (
	patchBegin   = "*** Begin Patch"
	patchFinish  = "*** End Patch"
	patchMove    = "*** Move to: "
	patchFileEnd = "*** End of File"
)

var patchKinds = map[string]patchKind{
	"*** Add File: ": patchAdd, "*** Delete File: ": patchDelete, "*** Update File: ": patchUpdate,
}

// parsePatch reads a patch. An error is a sentence for the model with the line in question.
func parsePatch(text string) ([]patchSection, error) {
	text = unwrapPatch(strings.ReplaceAll(text, "\r\n", "\n"))
	p := patchParser{lines: strings.Split(strings.TrimRight(text, " \t\n"), "\n")}
	for p.at < len(p.lines) && strings.TrimSpace(p.lines[p.at]) == "" {
		p.at++
	}
	last := len(p.lines) - 1
	switch {
	case p.at > last || strings.TrimSpace(p.lines[p.at]) != patchBegin:
		return nil, fmt.Errorf("the patch has to begin with the line %q", patchBegin)
	}
	if strings.TrimSpace(p.lines[last]) == patchFinish { // some models forget it
		p.lines = p.lines[:last]
	}
	p.at++
	var sections []patchSection
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

// A patchParser reads lines up to, but without, the patch's last.
type patchParser struct {
	lines []string
	at    int // the next line
}

// fail blames the line at.
func (p *patchParser) fail(at int, format string, args ...any) error {
	return fmt.Errorf("line %d of the patch: %s", at+1, fmt.Sprintf(format, args...))
}

// directive reports whether the next line is one of the patch's form, and not of a file.
func (p *patchParser) directive() bool { return strings.HasPrefix(p.lines[p.at], "***") }

func (p *patchParser) section() (patchSection, error) {
	head := p.lines[p.at]
	for prefix, kind := range patchKinds {
		name, ok := strings.CutPrefix(head, prefix)
		if !ok {
			continue
		}
		s := patchSection{kind: kind, path: strings.TrimSpace(name)}
		if s.path == "" {
			return s, p.fail(p.at, "it names no file")
		}
		p.at++
		switch kind {
		case patchAdd:
			return s, p.added(&s)
		case patchUpdate:
			return s, p.update(&s)
		}
		return s, nil
	}
	return patchSection{}, p.fail(p.at, "%.80q is none of *** Add File: PATH, *** Delete File: PATH and *** Update File: PATH", head)
}

// added reads the lines of a new file.
func (p *patchParser) added(s *patchSection) error {
	var text strings.Builder
	for ; p.at < len(p.lines) && !p.directive(); p.at++ {
		line, ok := strings.CutPrefix(p.lines[p.at], "+")
		if !ok && line != "" {
			return p.fail(p.at, "in %s, a new file, every line begins with +", workspace.DisplayName(s.path))
		}
		if ok {
			text.WriteString(line + "\n")
		}
	}
	s.text = text.String()
	return nil
}

// update reads the hunks of a file.
func (p *patchParser) update(s *patchSection) error {
	begin := p.at - 1
	if p.at < len(p.lines) {
		if name, ok := strings.CutPrefix(p.lines[p.at], patchMove); ok {
			s.moveTo = strings.TrimSpace(name)
			if s.moveTo == "" {
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
		h, err := p.hunk(s.path)
		if err != nil {
			return err
		}
		h.number = len(s.hunks) + 1
		s.hunks = append(s.hunks, h)
	}
	if len(s.hunks) == 0 && s.moveTo == "" {
		return p.fail(begin, "the update of %s has no hunks", workspace.DisplayName(s.path))
	}
	return nil
}

// hunk reads the heads of a hunk and its lines. A line without anything is an empty one
// that stays, unless it is the last: it only sets the next part apart then.
func (p *patchParser) hunk(file string) (patchHunk, error) {
	h := patchHunk{at: p.at + 1}
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
		case strings.TrimSpace(line) == patchFileEnd:
			h.atEnd, spare = true, 0
			p.at++
		case line == "":
			h.lines = append(h.lines, patchLine{mark: ' '})
			spare++
			continue
		case strings.ContainsRune(" +-", rune(line[0])):
			h.lines = append(h.lines, patchLine{line[0], line[1:]})
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
func (h *patchHunk) old() []string {
	var old []string
	for _, line := range h.lines {
		if line.mark != '+' {
			old = append(old, line.text)
		}
	}
	return old
}
