package session

import (
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/internal/model"
)

// PromptText returns the text of a prompt, with a note in place of its images.
func PromptText(m model.Message) string {
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

// FitPrompts returns prompts that have at most about room bytes together: the first, and the last
// of the others that fit. Those that do not fit alone lose their middle. Omitted counts the
// others, all of which come after the first.
func FitPrompts(prompts []string, room int) (fitting []string, omitted int) {
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
		first = CutMiddle(first, room/2, promptCut)
	} else {
		first = CutMiddle(first, room, promptCut)
	}
	room -= len(first)
	at := len(prompts)
	var last []string
	for at > 1 {
		p := prompts[at-1]
		if len(p) > room {
			if room < MinExcerpt {
				break
			}
			p = CutMiddle(p, room, promptCut)
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

// MaxCarriedFiles is how many files a Carryover names.
const MaxCarriedFiles = 50
