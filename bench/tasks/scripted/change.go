package scripted

import (
	"regexp"
	"slices"
	"strings"

	"parley.dev/parley/bench/tasks/chat"
	"parley.dev/parley/bench/tasks/task"
)

// This file implements how models change files.

// tries is how often a model tries a change.
const tries = 5

// change makes changes to files.
func (s *session) change(files []task.FileChange) {
	if s.looks {
		for _, f := range files {
			if !f.Add && !f.Delete && !s.seesText(f.Change.Old) {
				s.read(f.Path, 0)
			}
		}
	}
	if s.patches && s.patch(files) {
		return
	}
	for _, f := range files {
		switch {
		case f.Delete:
			s.run("rm " + f.Path)
		case f.Add:
			s.write(f.Path, f.Text)
		default:
			s.edit(f.Path, f.Change)
		}
	}
}

// edit replaces a text. If that fails, the model takes the text from the error, if it is there, or else
// from the file.
func (s *session) edit(name string, c task.Change) {
	old, new := c.Old, c.New
	if s.guesses {
		old, new = c.Guessed()
	}
	for range tries {
		r := s.do("change", func() chat.Call { return s.forms.edit(s, s.pathOf(name), old, new, false) })
		if !r.Failed {
			return
		}
		if old = s.correct(name, old, c, r); old == c.Old {
			new = c.New
		}
	}
}

// correct returns the text to replace after a change failed.
func (s *session) correct(name, old string, c task.Change, r chat.Result) string {
	switch {
	case missing(r.Text):
		s.read(name, 0) // it finds the right name
	case old == c.Old || !strings.Contains(withoutNumbers(r.Text), c.Old):
		s.read(name, 0)
	}
	if s.seesText(c.Old) {
		return c.Old
	}
	return old
}

// seesText reports whether the conversation has a text of a file.
func (s *session) seesText(text string) bool {
	return strings.Contains(withoutNumbers(s.seen.Text()), text)
}

// rewrite makes a change by writing the whole file, as the model has read it or takes it to be.
func (s *session) rewrite(f task.FileChange) {
	if s.patches {
		f.Change.Guess = ""
		s.change([]task.FileChange{f})
		return
	}
	text, known := s.lastRead()
	switch {
	case known:
	case s.guesses && f.Change.Guess != "":
		text = f.Change.Guess
	default:
		text = content(s.read(f.Path, 0).Text)
	}
	for range tries {
		whole := strings.Replace(text, f.Change.Old, f.Change.New, 1)
		r := s.do("write", func() chat.Call { return s.forms.write(s, s.pathOf(f.Path), whole) })
		if !r.Failed || !readFirst.MatchString(r.Text) {
			return
		}
		text = content(s.read(f.Path, 0).Text)
	}
}

// lastRead returns a file as the model has read it in its last step.
func (s *session) lastRead() (text string, known bool) {
	last := s.seen.Last()
	return content(strings.TrimSuffix(last, "\n")), lineNumbers.MatchString(last)
}

// write writes a file, in parts if the model learns that it has to.
func (s *session) write(name, text string) {
	for try := range max(tries, s.stuck) {
		r := s.do("write", func() chat.Call { return s.forms.write(s, s.pathOf(name), text) })
		switch {
		case len(text) > s.task.Output: // the answer was cut
			if try+1 >= s.stuck || inParts.MatchString(s.seen.Last()) || doNotRepeat.MatchString(s.seen.Last()) {
				s.writeParts(name, text)
				return
			}
		case !r.Failed:
			return
		case readFirst.MatchString(r.Text):
			s.read(name, 0)
		}
	}
}

// writeParts writes the beginning of a file, and appends the rest piece by piece.
func (s *session) writeParts(name, text string) {
	lines := strings.SplitAfter(text, "\n")
	for first := true; len(lines) > 0; first = false {
		var part string
		for len(lines) > 0 && (part == "" || len(part)+len(lines[0]) < s.task.Output/2) {
			part += lines[0]
			lines = lines[1:]
		}
		if first {
			s.do("write", func() chat.Call { return s.forms.write(s, s.pathOf(name), part) })
		} else if part != "" {
			s.run("cat >> " + name + " <<'EOF'\n" + part + "EOF")
		}
	}
}

// rename replaces a word wherever it is.
func (s *session) rename(old, new string) {
	found := s.search(regexp.MustCompile(old), ".")
	var paths []string
	for line := range strings.Lines(found.Text) {
		name, _, ok := strings.Cut(strings.TrimSpace(line), ":")
		if name = strings.TrimPrefix(name, "./"); ok && !slices.Contains(paths, name) && !strings.Contains(name, " ") {
			paths = append(paths, name)
		}
	}
	if s.patches {
		s.patchWords(found.Text, paths, old, new)
		return
	}
	if !s.looks {
		for _, name := range paths {
			s.do("change", func() chat.Call { return s.forms.edit(s, name, old, new, true) })
		}
		return
	}
	s.readAll(paths)
	var calls []chat.Call
	for _, name := range paths {
		calls = append(calls, s.forms.edit(s, name, old, new, true))
	}
	s.call(calls...)
}
