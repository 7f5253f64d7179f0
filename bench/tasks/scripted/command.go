package scripted

import (
	"regexp"
	"strings"

	"parley.dev/parley/bench/tasks/chat"
)

// This file implements how models run commands.

func (s *session) run(command string) chat.Result {
	r := s.do("run", func() chat.Call { return s.forms.run(s, command) })
	if timedOut.MatchString(r.Text) {
		s.patient = true
		r = s.do("run", func() chat.Call { return s.forms.run(s, command) })
	}
	return r
}

// runUntil runs a command, and looks for what it wants to know in the whole of its output.
func (s *session) runUntil(command string, want *regexp.Regexp) {
	r := s.run(command)
	if want == nil || want.MatchString(r.Text) {
		return
	}
	if whole := wholeOutput.FindStringSubmatch(r.Text); whole != nil {
		if want.MatchString(withoutNumbers(s.search(want, whole[1]).Text)) {
			return
		}
	}
	s.run(command + " 2>&1 | grep -nE " + quote(strings.TrimPrefix(want.String(), "(?m)")))
}

// insist runs a command that fails, again and again, as often as models of its kind do, or until it
// reads that this leads nowhere.
func (s *session) insist(command string) {
	c := s.forms.run(s, command)
	for range s.stuck {
		if s.call(c); doNotRepeat.MatchString(s.seen.Last()) {
			return
		}
	}
}

// serve starts a server and runs a command that needs it. A model that has read how the tool works
// does both in one command, others when they have learned it.
func (s *session) serve(command, probe string) {
	const tries = 2
	if s.seen.Offers("background_start") {
		s.call(chat.Call{Name: "background_start", Input: chat.Input{"command": command}})
		s.run(probe)
		return
	}
	for try := 0; !s.reads && try < tries; try++ {
		started := s.run("nohup " + command + " >/dev/null 2>&1 &")
		if keptOpen.MatchString(started.Text) {
			break
		}
		if r := s.run(probe); !r.Failed {
			return
		}
	}
	s.run(command + " >/dev/null 2>&1 & " + probe)
}

// quote returns a word as the shell takes it.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
