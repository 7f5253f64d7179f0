package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// This file collects what stays of summarised messages besides the summary: the user's own words
// and the state that the engine knows.

// promptTokens is how many tokens of prompts stay word for word; at most a sixth of the window.
const promptTokens = 20_000

// The most bytes of the parts of Carryover.State.
const (
	planRoom       = 600
	changedRoom    = 300
	readRoom       = 200
	skillsRoom     = 100
	backgroundRoom = 200
)

// promptBytes returns how many bytes of prompts stay word for word in a window of so many tokens,
// where a compaction begins beyond limit tokens; limit 0: none begins by itself.
func promptBytes(window, limit int) int {
	tokens := min(promptTokens, window/6)
	if limit > 0 {
		tokens = min(tokens, limit/4)
	}
	return tokens * session.BytesPerToken
}

// carryover returns what stays of the messages in old, of which prompts take at most room bytes. In
// place of those that m refused are notes.
// It runs under the session's lock.
func (s *Session) carryover(old []session.Entry, room int, m Model) event.Carryover {
	var c event.Carryover
	var prompts []string
	for _, e := range old {
		switch {
		case e.Compacted != nil:
			before := e.Compacted.Carryover
			prompts, c.Omitted = append(prompts, before.Prompts...), before.Omitted
			c.Read, c.Skills = slices.Clone(before.Read), slices.Clone(before.Skills)
		case e.Prompt && s.fold.TextRefused(session.ModelKey(m.Info), session.TextRef{Message: e.Seq}):
			prompts = append(prompts, session.PromptRefused)
		case e.Prompt:
			prompts = append(prompts, session.PromptText(e.Message))
		}
		for _, call := range e.Message.Calls() {
			if r, ok := s.fold.Results[event.CallID(call.ID)]; ok && !r.IsError {
				s.carryCall(&c, call)
			}
		}
	}
	var omitted int
	c.Prompts, omitted = session.FitPrompts(prompts, room)
	c.Omitted += omitted
	c.Changed = lastOf(s.fold.ChangedFiles, session.MaxCarriedFiles)
	c.Read = lastOf(slices.DeleteFunc(c.Read, func(path string) bool { return slices.Contains(s.fold.ChangedFiles, path) }), session.MaxCarriedFiles)
	c.State = s.carriedState(c)
	return c
}

// carryCall adds the file that a call has read, or the skill that it has loaded.
func (s *Session) carryCall(c *event.Carryover, call model.Call) {
	for _, b := range s.tools.bound {
		if b.Name != call.Name || b.Tool != readTool && b.Tool != skillTool {
			continue
		}
		own, err := b.own(call.Input)
		var in struct {
			Path string `json:"path"`
			Name string `json:"name"`
		}
		if err != nil || json.Unmarshal(own, &in) != nil {
			return
		}
		if b.Tool == skillTool {
			c.Skills = append(without(c.Skills, in.Name), in.Name)
			return
		}
		path := strings.TrimPrefix(in.Path, s.fold.State.Dir()+"/")
		c.Read = append(without(c.Read, path), path)
	}
}

// carriedState describes the plan and what else the session works with.
func (s *Session) carriedState(c event.Carryover) string {
	var b strings.Builder
	section := func(title string, lines []string, room int) {
		if len(lines) == 0 {
			return
		}
		fmt.Fprintf(&b, "%s:\n", title)
		for i, line := range lines {
			if room -= len(line) + 3; room < 0 && i > 0 {
				fmt.Fprintf(&b, "- and %d more\n", len(lines)-i)
				break
			}
			fmt.Fprintf(&b, "- %s\n", session.CutMiddle(line, planRoom, "left out"))
		}
	}
	section("Plan", planLines(s.fold.State.Plan), planRoom)
	section("Files changed, the last first", reversed(c.Changed), changedRoom)
	section("Files read, the last first", reversed(c.Read), readRoom)
	section("Skills loaded", c.Skills, skillsRoom)
	if s.work.background != nil {
		section("Background commands", s.work.background.Running(), backgroundRoom)
	}
	return strings.TrimRight(b.String(), "\n")
}

// planLines returns the items of a plan, those that are not done first.
func planLines(plan []event.PlanItem) []string {
	var open, done []string
	for _, item := range plan {
		line := fmt.Sprintf("[%s] %s", item.Status, item.Text)
		if item.Status == event.Completed {
			done = append(done, line)
		} else {
			open = append(open, line)
		}
	}
	return append(open, done...)
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

func lastOf(list []string, n int) []string {
	return slices.Clone(list[max(0, len(list)-n):])
}

func without[T comparable](list []T, item T) []T {
	return slices.DeleteFunc(list, func(x T) bool { return x == item })
}
