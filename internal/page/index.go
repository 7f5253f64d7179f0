package page

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// An index is what must be known of a session before its first line is written.
type index struct {
	last    uint64 // record
	created event.SessionCreated
	name    string
	models  []string // that were asked, in order
	began   time.Time
	ended   time.Time
	usage   model.Usage
	cost    float64
	turns   int
	calls   int
	changed map[string]bool // files
	labels  map[uint64]string
	prompts []prompt
	tree    tree
	left    map[uint64]int // see tree.left
}

// A prompt is a line of the table of contents.
type prompt struct {
	seq  uint64
	text string
}

func survey(records iter.Seq2[event.Record, error]) (*index, error) {
	ix := &index{changed: map[string]bool{}, labels: map[uint64]string{}}
	for rec, err := range records {
		if err != nil {
			return nil, err
		}
		ix.add(rec)
	}
	path := ix.tree.path()
	ix.left = ix.tree.left(path)
	ix.prompts = slices.DeleteFunc(ix.prompts, func(p prompt) bool { return !path[p.seq] })
	return ix, nil
}

func (ix *index) add(rec event.Record) {
	ix.last = rec.Seq
	if !rec.Time.IsZero() {
		ix.ended = rec.Time
		if ix.began.IsZero() {
			ix.began = rec.Time
		}
	}
	switch e := rec.Event.(type) {
	case event.SessionCreated:
		ix.created, ix.name = e, e.Settings.Name
	case event.SessionChanged:
		ix.name = e.Settings.Name
	case event.TurnStarted:
		ix.turns++
	case event.UserMessage:
		ix.tree.add(rec.Seq)
		if e.Via != event.ByEngine {
			ix.prompts = append(ix.prompts, prompt{rec.Seq, firstWords(e.Blocks)})
		}
	case event.CommandRan:
		ix.tree.add(rec.Seq)
	case event.AssistantMessage:
		ix.tree.add(rec.Seq)
		ix.spend(e.Model, e.Usage, e.Cost)
	case event.Compacted:
		ix.tree.add(rec.Seq)
		ix.spend("", e.Usage, e.Cost)
	case event.ToolEnded:
		ix.calls++
		if e.Outcome == event.Succeeded {
			for _, c := range e.Changes {
				ix.changed[c.Path] = true
			}
		}
	case event.Labelled:
		ix.labels[e.Target] = e.Label
	case event.Branched:
		ix.tree.move(rec.Seq, e.Head)
	}
}

func (ix *index) spend(name string, u model.Usage, cost float64) {
	ix.usage, ix.cost = ix.usage.Add(u), ix.cost+cost
	if name != "" && !slices.Contains(ix.models, name) {
		ix.models = append(ix.models, name)
	}
}

// title is what the page is called when nobody says.
func (ix *index) title() string {
	first := ""
	if len(ix.prompts) > 0 {
		first = ix.prompts[0].text
	}
	return cmp.Or(ix.name, first, string(ix.created.ID), "Session")
}

// firstWords is the beginning of a message in one line.
func firstWords(blocks []model.Block) string {
	const most = 120 // characters
	text := model.Message{Blocks: blocks}.Text()
	if len(text) > 8*most {
		text = strings.ToValidUTF8(text[:8*most], "")
	}
	line := []rune(strings.Join(strings.Fields(text), " "))
	switch {
	case len(line) > most:
		return string(line[:most-1]) + "…"
	case len(line) == 0:
		return "(no text)"
	}
	return string(line)
}
