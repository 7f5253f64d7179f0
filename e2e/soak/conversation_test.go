//go:build linux

package soak

import (
	"context"
	"fmt"
	"time"

	"parley.dev/parley/client"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/record"
)

// shortRound is how many turns of a conversation of TestClients there are until the model reports a full context. Answers of longPace
// are so long that a compaction then has something to sum up, also where one of the turns was interrupted.
const shortRound = 3

// longPace is how the model speaks in TestClients: an answer has 3,600 bytes, and compactions leave 6,553 word for word.
var longPace = pace{pieces: 20, every: 75 * time.Millisecond, length: 180}

// A conversation is a session of one client.
type conversation struct {
	id       string
	ofAgent  bool   // of a back end, which has the conversation
	phase    int    // turns by which its rounds begin earlier: not all conversations are summed up at once
	accepted int    // prompts
	summed   int    // how often it was summed up, of the records that verify has read
	head     uint64 // the last record that was followed
}

// text returns the next prompt.
func (s *conversation) text() string {
	text := fmt.Sprintf("Go on with %d", s.accepted)
	switch turn := (s.accepted + s.phase) % shortRound; {
	case turn == 1:
		text += ", " + look
	case turn == shortRound-1 && s.accepted >= shortRound-1:
		text += ", " + enough
	}
	return text
}

// verify reads all records: their numbers have no gaps, each accepted prompt is in the history once, in a turn of its own or as a steer
// of the running one, each turn ended once, nothing waits, and the conversation was summed up.
func (s *conversation) verify(ctx context.Context, c *client.Client) error {
	var j journal
	for next := uint64(1); ; {
		page, more, err := c.Session(s.id).Records(ctx, next, 1000)
		if err != nil {
			return fmt.Errorf("read the records of session %s: %w", s.id, err)
		}
		for _, rec := range page {
			if rec.Seq != next {
				return fmt.Errorf("session %s: record %d comes where %d should", s.id, rec.Seq, next)
			}
			next++
			if err := j.take(rec); err != nil {
				return fmt.Errorf("session %s, record %d: %w", s.id, rec.Seq, err)
			}
		}
		if more && len(page) > 0 {
			continue
		}
		s.summed = j.summed
		if j.turn != "" || j.waiting != 0 || j.queued != 0 || len(j.prompts) != s.accepted || j.ended+j.steered != s.accepted || next <= s.head {
			return fmt.Errorf("session %s: %d prompts were accepted, %d are in the history, %d of them as steers, %d turns have ended, turn %q runs, %d prompts and %d approvals wait, %d records of at least %d", s.id, s.accepted, len(j.prompts), j.steered, j.ended, j.turn, j.queued, j.waiting, next-1, s.head)
		}
		if least := s.accepted/(2*shortRound) - 1; s.summed < least && !s.ofAgent { // a turn that fills the context may be interrupted
			return fmt.Errorf("session %s: a conversation of %d turns was summed up %d times, want %d at least", s.id, s.accepted, s.summed, least)
		}
		return nil
	}
}

// A journal is what the records of a session add up to.
type journal struct {
	turn    string          // that runs
	prompt  string          // that began it
	ended   int             // turns
	queued  int             // prompts
	waiting int             // approvals
	summed  int             // conversations
	steered int             // prompts without a turn of their own: Codex delivers what is sent while a turn runs to that turn
	prompts map[string]bool // in the history
}

func (j *journal) take(rec record.Record) error {
	switch rec.Kind {
	case record.KindTurnStarted:
		var started record.TurnStarted
		if err := rec.Decode(&started); err != nil {
			return err
		}
		if j.turn != "" || j.prompts[started.Prompt] {
			return fmt.Errorf("turn %s begins for prompt %s while %q runs", rec.Turn, started.Prompt, j.turn)
		}
		j.turn, j.prompt = rec.Turn, started.Prompt
	case record.KindUserMessage:
		var message record.UserMessage
		if err := rec.Decode(&message); err != nil || message.Via == "engine" {
			return err
		}
		return j.deliver(message)
	case record.KindQueueChanged:
		var queue record.QueueChanged
		if err := rec.Decode(&queue); err != nil {
			return err
		}
		j.queued = len(queue.Steering) + len(queue.FollowUps)
	case record.KindTurnEnded:
		if rec.Turn != j.turn {
			return fmt.Errorf("turn %s ends while %q runs", rec.Turn, j.turn)
		}
		j.turn = ""
		j.ended++
	case record.KindCompacted:
		j.summed++
	case record.KindNotice:
		var notice record.Notice
		if err := rec.Decode(&notice); err != nil {
			return err
		}
		if notice.Code == engine.NoticeCompactionFailed {
			return fmt.Errorf("a compaction failed: %s", notice.Text)
		}
	case record.KindApprovalAsked:
		j.waiting++
	case record.KindApprovalAnswered:
		j.waiting--
	}
	return nil
}

// deliver adds a prompt to the history.
func (j *journal) deliver(message record.UserMessage) error {
	if j.turn == "" || j.prompts[message.ID] {
		return fmt.Errorf("prompt %s comes again, or without a turn", message.ID)
	}
	if j.prompts == nil {
		j.prompts = map[string]bool{}
	}
	j.prompts[message.ID] = true
	if message.ID != j.prompt {
		j.steered++
	}
	return nil
}
