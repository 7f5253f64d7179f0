package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file collects what stays of summarised messages besides the summary: the user's own words
// and the state that the engine knows.

// promptTokens is how many tokens of prompts stay word for word; at most a sixth of the window.
const promptTokens = 20_000

// maxCarriedFiles is how many files a Carryover names.
const maxCarriedFiles = 50

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
	return tokens * bytesPerToken
}

// carryover returns what stays of the messages in old, of which prompts take at most room bytes. In
// place of those that m refused are notes.
// It runs under the session's lock.
func (s *Session) carryover(old []entry, room int, m Model) event.Carryover {
	var c event.Carryover
	var prompts []string
	for _, e := range old {
		switch {
		case e.compacted != nil:
			before := e.compacted.Carryover
			prompts, c.Omitted = append(prompts, before.Prompts...), before.Omitted
			c.Read, c.Skills = slices.Clone(before.Read), slices.Clone(before.Skills)
		case e.prompt && s.fold.refusedTexts[modelText{modelKey(m.Info), textRef{message: e.seq}}]:
			prompts = append(prompts, promptRefused)
		case e.prompt:
			prompts = append(prompts, promptText(e.msg))
		}
		for _, call := range e.msg.Calls() {
			if r, ok := s.fold.results[event.CallID(call.ID)]; ok && !r.IsError {
				s.carryCall(&c, call)
			}
		}
	}
	var omitted int
	c.Prompts, omitted = fitPrompts(prompts, room)
	c.Omitted += omitted
	c.Changed = lastOf(s.fold.changed, maxCarriedFiles)
	c.Read = lastOf(slices.DeleteFunc(c.Read, func(path string) bool { return slices.Contains(s.fold.changed, path) }), maxCarriedFiles)
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
		path := strings.TrimPrefix(in.Path, s.fold.state.Dir()+"/")
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
			fmt.Fprintf(&b, "- %s\n", cutMiddle(line, planRoom, "left out"))
		}
	}
	section("Plan", planLines(s.fold.state.Plan), planRoom)
	section("Files changed, the last first", reversed(c.Changed), changedRoom)
	section("Files read, the last first", reversed(c.Read), readRoom)
	section("Skills loaded", c.Skills, skillsRoom)
	if s.background != nil {
		section("Background commands", s.background.Running(), backgroundRoom)
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

// promptText returns the text of a prompt, with a note in place of its images.
func promptText(m model.Message) string {
	text, images := m.Text(), 0
	for _, b := range m.Blocks {
		if b.Kind == model.KindImage {
			images++
		}
	}
	if images > 0 {
		text = strings.TrimSpace(fmt.Sprintf("%s\n(%d images, not shown again)", text, images))
	}
	return text
}

// fitPrompts returns prompts that have at most about room bytes together: the first, and the last
// of the others that fit. Those that do not fit alone lose their middle. Omitted counts the
// others, all of which come after the first.
func fitPrompts(prompts []string, room int) (fitting []string, omitted int) {
	if len(prompts) == 0 {
		return nil, 0
	}
	total := 0
	for _, p := range prompts {
		total += len(p)
	}
	if total <= room {
		return prompts, 0
	}
	first := prompts[0]
	if len(prompts) > 1 {
		first = cutMiddle(first, room/2, promptCut)
	} else {
		first = cutMiddle(first, room, promptCut)
	}
	room -= len(first)
	at := len(prompts)
	var last []string
	for at > 1 {
		p := prompts[at-1]
		if len(p) > room {
			if room < minExcerpt {
				break
			}
			p = cutMiddle(p, room, promptCut)
		}
		at--
		room -= len(p)
		last = append(last, p)
	}
	slices.Reverse(last)
	return append([]string{first}, last...), at - 1
}

// promptCut is why a prompt has lost its middle.
const promptCut = "of this message left out when the conversation was summarised"

// compactedText returns the message that models read in place of the messages that were summarised.
func compactedText(e event.Compacted) string {
	var b strings.Builder
	b.WriteString(summaryIntro + strings.TrimSpace(e.Summary))
	if prompts := promptsText(e.Carryover); prompts != "" {
		b.WriteString("\n\n# What the user wrote, word for word\n\n" + prompts)
	}
	if e.Carryover.State != "" {
		b.WriteString("\n\n# State when the summary was written\n\n" + e.Carryover.State)
	}
	return b.String()
}

// promptsText returns the prompts of a Carryover as models read them.
func promptsText(c event.Carryover) string {
	var b strings.Builder
	for i, p := range c.Prompts {
		fmt.Fprintf(&b, "<user_message>\n%s\n</user_message>\n", p)
		if i == 0 && c.Omitted > 0 {
			fmt.Fprintf(&b, "(%d more messages of the user left out)\n", c.Omitted)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
