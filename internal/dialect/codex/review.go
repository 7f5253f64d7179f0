package codex

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/review"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains reviews: turns with a system prompt of their own that may only look.

func reviewMethods() []handler {
	return []handler{
		on("review/start", (*conn).reviewStart, func(p *reviewStart) error {
			if _, err := p.target().Prompt(); err != nil {
				return invalid("target: " + err.Error())
			}
			return nil
		}),
	}
}

// A reviewStart is ReviewStartParams with the second delivery, which the schema no longer lists and clients send.
type reviewStart struct {
	Delivery string       `json:"delivery,omitzero" enum:"inline,detached"`
	Target   ReviewTarget `json:"target"`
	ThreadID string       `json:"threadId"`
}

func (p *reviewStart) target() review.Target {
	switch t := p.Target.Value.(type) {
	case BaseBranchReviewTarget:
		return review.Target{Kind: review.BaseBranch, Branch: t.Branch}
	case CommitReviewTarget:
		return review.Target{Kind: review.Commit, Commit: t.SHA, Title: t.Title}
	case CustomReviewTarget:
		return review.Target{Kind: review.Custom, Text: t.Instructions}
	}
	return review.Target{Kind: review.Uncommitted}
}

// reviewStart begins a review, in the thread or in a copy of it, and answers at once (review/start).
func (c *conn) reviewStart(ctx context.Context, id jsonrpc.ID, p *reviewStart) {
	t, err := c.loaded(ctx, p.ThreadID)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	detached := p.Delivery == "detached"
	if detached {
		if t, err = c.copyOf(ctx, t.id, 0, false, extra{Ephemeral: t.ephemeral}); err != nil {
			c.fail(id, p.ThreadID, err)
			return
		}
	}
	t.pump.Around(func() (lines [][]byte) {
		var turn string
		shown := c.shownOpen(t.session) // before the turn
		if turn, err = c.review(ctx, t, p.target()); err != nil {
			return [][]byte{c.failLine(id, t.id, err)}
		}
		lines = append(lines, resultLine(id, ReviewStartResponse{ReviewThreadID: t.id, Turn: Turn{
			ID: turn, RootTurnID: nullString(turn), Items: []ThreadItem{}, ItemsView: TurnItemsViewNotLoaded, Status: TurnStatusInProgress,
		}}))
		if detached {
			lines = append(lines, c.announce("thread/started", ThreadStartedNotification{shown})...)
		}
		return lines
	})
	if detached && err != nil {
		c.discard(ctx, t)
	}
}

// review begins the turn.
func (c *conn) review(ctx context.Context, t *thread, target review.Target) (string, error) {
	text, err := target.Prompt()
	if err != nil {
		return "", err
	}
	st := t.session.State()
	alone := engine.RefuseSecond
	prompt := engine.Prompt{
		ID: event.PromptID(ownPrompt + c.cfg.NewID()), Blocks: []model.Block{model.TextBlock(text)},
		Sent: marshal([]reviewSent{{Review: target.Summary()}}), Turn: event.TurnID(c.cfg.NewID()), Tuning: tuningOf(st.Settings), IfBusy: &alone,
	}
	prompt.Tuning.System = review.Instructions + "\nWorkspace: " + st.Dir() + "\n"
	prompt.Tuning.ReadOnly, prompt.Tuning.NoSteering = true, true
	accepted, err := t.client.Submit(ctx, prompt)
	return string(accepted.Turn), err
}

// A reviewSent is event.UserMessage.Sent of the prompt of a review.
type reviewSent struct {
	Review string `json:"parleyReview"` // what is reviewed
}

// reviewOf returns what a prompt wants to have reviewed; "": it is another prompt.
func reviewOf(sent jsontext.Value) string {
	var all []reviewSent
	if json.Unmarshal(sent, &all) != nil || len(all) != 1 {
		return ""
	}
	return all[0].Review
}

// beginReview shows a turn as a review.
func (v *view) beginReview(id, summary string) {
	v.turn.review = &reviewing{}
	v.showWhole(id, EnteredReviewModeThreadItem{ID: id, Review: summary})
}

// A reviewing turn shows what the model writes between its calls, and at its end the result in place of the last answer.
type reviewing struct{ answer string }

// endReviewAnswer shows the texts of a finished answer with calls. Without calls they are the result.
func (v *view) endReviewAnswer(e event.AssistantMessage) {
	message := model.Message{Blocks: e.Blocks}
	if len(message.Calls()) == 0 {
		v.turn.review.answer = message.Text()
		return
	}
	if text := message.Text(); text != "" {
		it := &item{id: string(e.ID) + ".text"}
		v.start(it, emptyMessage(it.id))
		v.endPart(it, text, false)
	}
}

// endReview shows the result of a review, to which some clients look in one item and some in the other.
func (v *view) endReview(reason event.TurnReason) {
	text := "The review did not come to an end."
	if reason == event.TurnCompleted {
		text = review.Parse(v.turn.review.answer).Text()
	}
	id := "review-" + v.turn.id
	v.showWhole(id, ExitedReviewModeThreadItem{ID: id, Review: text})
	v.showWhole(id+".text", AgentMessageThreadItem{ID: id + ".text", Text: text})
}
