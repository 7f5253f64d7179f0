package dialect

import (
	"strings"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// UnsavedCause returns why a session cannot be saved, to follow a protocol's own words for that: ": no space left on device". "": err
// does not say so.
func UnsavedCause(err error) string {
	_, cause, _ := strings.Cut(err.Error(), engine.ErrUnsaved.Error())
	return cause
}

// An unsavedTurn is what a client has received of a turn whose records could not be saved: its end, without a number. The records with
// numbers, which follow when they are saved, are hidden from it.
type unsavedTurn struct {
	open    event.TurnID // the turn that the client has received the begin of, and not the end
	ended   event.TurnID // the turn of which it has received the end; "": none
	notices int          // of the failure that it has received, and that follow with numbers
}

// hides reports whether the client is not to receive the next record.
func (u *unsavedTurn) hides(rec event.Record) bool {
	switch e := rec.Event.(type) {
	case event.Notice:
		if e.Code != engine.NoticeUnsaved {
			break
		}
		if rec.Seq == 0 {
			u.notices++
			return false
		}
		if u.notices > 0 {
			u.notices--
			return true
		}
	case event.TurnStarted:
		if rec.Turn != u.ended {
			u.open, u.ended = rec.Turn, ""
		}
	case event.TurnEnded:
		if rec.Seq == 0 && e.Failure != nil && e.Failure.Kind == engine.FailUnsaved {
			shown := u.open == rec.Turn
			u.open, u.ended = "", rec.Turn
			return !shown
		}
		u.open = ""
	}
	return u.ended != "" && rec.Turn == u.ended
}
