package session

import "parley.dev/parley/internal/event"

// An Accepted reports how a prompt was accepted.
type Accepted struct {
	Turn event.TurnID // the turn that it is part of; "": it waits for one, or was removed from the queue
	Via  event.Via    // how it was accepted
}

// waits notes prompts that wait in a queue.
func (f *Fold) waits(queue []event.Queued, as Accepted) {
	for _, q := range queue {
		if _, known := f.Prompts[q.ID]; !known {
			f.Prompts[q.ID] = as
		}
	}
}

// queued reports whether prompts wait.
func (f *Fold) queued() bool { return len(f.State.Steering)+len(f.State.FollowUps) > 0 }

// delivers notes that a prompt is part of a turn.
func (f *Fold) delivers(id event.PromptID, as Accepted) {
	if before, known := f.Prompts[id]; known {
		as.Via = before.Via
	}
	f.Prompts[id] = as
}

// clientOf returns the client that a record names; zero: it names none.
func clientOf(e event.Event) event.Client {
	switch e := e.(type) {
	case event.UserMessage:
		return e.Client
	case event.ApprovalAnswered:
		return e.Client
	case event.QuestionAnswered:
		return e.Client
	case event.SessionChanged:
		return e.Client
	case event.CommandStarted:
		return e.Client
	case event.TurnEnded:
		return e.Client
	case event.FilesRestored:
		return e.Client
	}
	return event.Client{}
}
