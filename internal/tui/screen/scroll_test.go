package screen

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/record"
)

// TestScroll: a page that was scrolled up stays where it is while the model writes.
func TestScroll(t *testing.T) {
	s := newStage(t, 80, 24)
	s.begin("count")
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "paragraph %d\n\n", i)
	}
	s.answer("t-1", text.String())
	s.shows("paragraph 59")
	s.press("pgup")
	s.lacks("paragraph 59")
	page := s.text()
	s.turn("t-2", "go on")
	s.record("t-2", record.TextDelta{Message: "m-2", Text: "more text"})
	if now := s.text(); part(now) != part(page) {
		t.Errorf("the page has moved:\n%s\nwas\n%s", now, page)
	}
	s.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	if part(s.text()) == part(page) {
		t.Error("the wheel has not moved the page")
	}
	s.press("ctrl+end")
	s.shows("more text")
	s.record("t-2", record.TextDelta{Message: "m-2", Text: " and more"})
	s.shows("more text and more")
	s.press("pgup")
	s.write("x")
	s.press("enter")
	s.shows("more text")
}

// part returns the lines of the conversation in a frame.
func part(frame string) string {
	lines := strings.Split(frame, "\n")
	return strings.Join(lines[:18], "\n")
}

// TestCoalescing: between two frames records are collected, and a key shows them at once.
func TestCoalescing(t *testing.T) {
	s := newStage(t, 80, 24)
	s.begin("count")
	delta := func(text string) {
		s.send(Records{"s-1", []record.Record{{Kind: record.KindTextDelta, Turn: "t-1", Data: []byte(`{"message":"m","text":"` + text + `"}`)}}})
	}
	s.pass(interval)
	delta("one ")
	s.shows("one")
	delta("two ")
	s.lacks("two")
	s.pass(interval)
	s.shows("one two")
	delta("three ")
	delta("four ")
	s.lacks("three")
	s.write("k")
	s.shows("one two three four", "› k")
}
