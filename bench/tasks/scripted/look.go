package scripted

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"parley.dev/parley/bench/tasks/chat"
)

// This file implements how models find things out.

// look reads a file until the line that it wants was seen.
func (s *session) look(name string, want *regexp.Regexp) {
	const pages = 30
	r := s.read(name, 0)
	if r.Failed || want.MatchString(withoutNumbers(r.Text)) {
		return
	}
	if s.looks {
		s.lookNear(name, want)
		return
	}
	for range pages {
		next := goOn.FindStringSubmatch(r.Text)
		if next == nil {
			return // it takes this for the end of the file
		}
		from, _ := strconv.Atoi(next[1])
		if r = s.read(name, from); r.Failed || want.MatchString(withoutNumbers(r.Text)) {
			return
		}
	}
}

// lookNear searches for the line, and reads what is around it.
func (s *session) lookNear(name string, want *regexp.Regexp) {
	found := s.search(want, s.pathOf(name))
	if line := matchedLine.FindStringSubmatch(found.Text); line != nil {
		at, _ := strconv.Atoi(line[1])
		s.read(name, max(1, at-5))
	}
}

// read reads a file from a line on. If it does not exist under that name, the model looks for the one
// that was meant.
func (s *session) read(name string, from int) chat.Result {
	r := s.do("look", func() chat.Call { return s.forms.read(s, s.pathOf(name), from) })
	if !r.Failed || !missing(r.Text) {
		return r
	}
	other := suggestion(r.Text, s.pathOf(name))
	if other == "" {
		found := s.do("find", func() chat.Call { return s.forms.find(s, path.Base(name)) })
		other = suggestion(found.Text, s.pathOf(name))
	}
	if other == "" && s.looks { // a part of the name may be right
		stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
		found := s.do("find", func() chat.Call { return s.forms.find(s, stem[:min(beginning, len(stem))]+"*") })
		other = suggestion(found.Text, s.pathOf(name))
	}
	if other == "" {
		return r
	}
	s.paths[name] = other
	return s.do("look", func() chat.Call { return s.forms.read(s, other, from) })
}

// readAll reads files, all in one answer if the model can.
func (s *session) readAll(names []string) {
	if !s.looks {
		for _, name := range names {
			s.read(name, 0)
		}
		return
	}
	var calls []chat.Call
	for _, name := range names {
		calls = append(calls, s.forms.read(s, s.pathOf(name), 0))
	}
	s.call(calls...)
}

func (s *session) search(want *regexp.Regexp, where string) chat.Result {
	pattern := strings.TrimPrefix(want.String(), "(?m)")
	return s.do("search", func() chat.Call { return s.forms.search(s, pattern, where) })
}

// pathOf returns the name of a file as the model knows it by now.
func (s *session) pathOf(name string) string {
	if other, ok := s.paths[name]; ok {
		return other
	}
	return name
}

// missing reports whether a result says that a file does not exist.
func missing(text string) bool {
	return strings.Contains(text, "not exist") || strings.Contains(text, "No such file")
}
