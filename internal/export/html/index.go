package html

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/text"
)

// An index is the data of a session that the beginning of the page needs.
type index struct {
	last    uint64 // record
	created event.SessionCreated
	name    string
	models  []string // that were called, in order
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

// title returns the title of a page without Options.Title.
func (ix *index) title() string {
	first := ""
	if len(ix.prompts) > 0 {
		first = ix.prompts[0].text
	}
	return cmp.Or(ix.name, first, string(ix.created.ID), "Session")
}

// firstWords returns the beginning of a message in one line.
func firstWords(blocks []model.Block) string {
	const most = 120 // characters
	message := text.Prefix(model.Message{Blocks: blocks}.Text(), 8*most)
	return cmp.Or(text.FitRunes(text.OneLine(message), most, "…"), "(no text)")
}
