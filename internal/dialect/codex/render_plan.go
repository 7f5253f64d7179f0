package codex

import (
	"fmt"
	"strings"

	"parley.dev/parley/internal/event"
)

// This file shows the texts of answers in the mode plan: the plans in them are items of their own.

// A proposal is a text of the answer under way in the mode plan.
type proposal struct {
	id   string
	text []byte // as it came
	cut  planCutter
	said *item // what is no plan; nil: nothing yet
	plan *item // the plan under way; nil: none
	made int   // plans that are complete
}

// growProposal shows a piece of a text.
func (v *view) growProposal(message event.MessageID, block int, text string) {
	p := v.turn.proposals[block]
	if p == nil {
		p = v.nextProposal(message)
		if v.turn.proposals == nil {
			v.turn.proposals = map[int]*proposal{}
		}
		v.turn.proposals[block] = p
	}
	p.text = append(p.text, text...)
	v.showPieces(p, p.cut.next(text))
}

func (v *view) nextProposal(message event.MessageID) *proposal {
	p := &proposal{id: fmt.Sprintf("%s.t%d", message, len(v.turn.proposed)+1)}
	v.turn.proposed = append(v.turn.proposed, p)
	return p
}

func (v *view) showPieces(p *proposal, pieces []planPiece) {
	for _, piece := range pieces {
		switch {
		case piece.plan && piece.text != "":
			if p.plan == nil {
				p.plan = &item{id: fmt.Sprintf("%s.plan%d", p.id, p.made+1)}
				v.start(p.plan, PlanThreadItem{ID: p.plan.id})
			}
			p.plan.text = append(p.plan.text, piece.text...)
			v.notify("item/plan/delta", PlanDeltaNotification{ThreadID: v.thread, TurnID: v.turn.id, ItemID: p.plan.id, Delta: piece.text})
		case piece.end && p.plan != nil:
			v.complete(p.plan, PlanThreadItem{ID: p.plan.id, Text: string(p.plan.text)})
			p.plan, p.made = nil, p.made+1
		case !piece.plan:
			if p.said == nil {
				p.said = &item{id: p.id}
				v.start(p.said, emptyMessage(p.id))
			}
			v.say(p.said, piece.text)
		}
	}
}

// endProposal completes the items of a text, given all of it. A client that joined in the middle of the text gets the items whole.
func (v *view) endProposal(p *proposal, text string) {
	rest, ok := strings.CutPrefix(text, string(p.text))
	if !ok {
		p.restart()
		rest = text
	}
	v.showPieces(p, p.cut.next(rest))
	v.showPieces(p, p.cut.end())
	if p.said != nil {
		v.complete(p.said, AgentMessageThreadItem{ID: p.said.id, Text: string(p.said.text)})
	}
}

// restart makes a text begin anew: its items stay, what was shown of them does not count.
func (p *proposal) restart() {
	p.cut = planCutter{}
	for _, it := range []*item{p.said, p.plan} {
		if it != nil {
			it.text = nil
		}
	}
}

// endProposals completes the texts that no finished answer has.
func (v *view) endProposals() {
	for _, p := range v.turn.proposed {
		v.endProposal(p, string(p.text))
	}
	v.turn.proposed, v.turn.proposals = nil, nil
}
