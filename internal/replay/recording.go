package replay

import (
	"fmt"
	"iter"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/cassette"
)

// A Recording is the part of a session that can be run again: its first turns, up to one that depends on more than prompts and answers.
type Recording struct {
	Workspace string
	Profile   string // the protocol whose options the session has; "": not known
	Settings  event.Settings
	Turns     []Turn
	Answers   []cassette.Entry // of these turns
	All       int              // turns of the session
	Left      string           // why the turns after these are left out; "": none is
}

// Read reads a session.
func Read(records iter.Seq2[event.Record, error]) (*Recording, error) {
	r := &reader{recording: &Recording{}}
	for rec, err := range records {
		if err != nil {
			return nil, err
		}
		r.apply(rec)
	}
	if r.open {
		r.stop("it has not ended")
	}
	return r.recording, nil
}

// A reader is the state of Read.
type reader struct {
	recording *Recording
	open      bool // a turn is
	turn      turn
	answers   []cassette.Entry // of the turn
}

func (r *reader) apply(rec event.Record) {
	if _, begins := rec.Event.(event.TurnStarted); begins {
		r.recording.All++
	}
	if r.recording.Left != "" {
		return
	}
	switch e := rec.Event.(type) {
	case event.SessionCreated:
		r.recording.Workspace, r.recording.Profile, r.recording.Settings = e.Workspace, e.Profile, e.Settings
		switch {
		case e.Parent != "":
			r.stop("the session is a fork, which begins with the turns of another one")
		case e.Settings.Backend != "":
			r.stop(otherwise.Get()[event.KindBackendOpened])
		}
	case event.TurnStarted:
		r.open, r.turn, r.answers = true, turn{}, nil
	case event.UserMessage:
		r.prompt(e)
	case event.AssistantMessage:
		r.answer(e)
	case event.ToolIntended:
		r.turn.begin(e)
	case event.ToolEnded:
		r.turn.end(e)
	case event.TurnEnded:
		r.end(e)
	default:
		if why := otherwise.Get()[rec.Event.Kind()]; why != "" {
			r.stop(why)
		}
	}
}

// otherwise is what has an effect on later turns that prompts and answers do not have.
var otherwise = lazy.Value[map[event.Kind]string]{New: func() map[event.Kind]string {
	return map[event.Kind]string{
		event.KindBackendOpened:   "another agent runs its turns",
		event.KindSubagentStarted: "it has a subagent",
		event.KindCompacted:       "the history was summarised",
		event.KindBranched:        "the history was taken back",
		event.KindFilesRestored:   "files were restored",
		event.KindCommandRan:      "the user has run a command",
	}
}}

// stop leaves out the turn that is read, and those after it.
func (r *reader) stop(why string) {
	r.recording.Left, r.open = fmt.Sprintf("turn %d and those after it are left out: %s", len(r.recording.Turns)+1, why), false
}

func (r *reader) prompt(e event.UserMessage) {
	if e.Via == event.ByEngine {
		return
	}
	if e.Via == event.BySteer || r.turn.Prompt != "" {
		r.stop("the user has steered it")
		return
	}
	var texts []string
	for _, b := range e.Blocks {
		if b.Kind != model.KindText {
			r.stop("the prompt has an image")
			return
		}
		texts = append(texts, b.Text)
	}
	r.turn.Prompt = strings.Join(texts, "\n")
}

func (r *reader) answer(e event.AssistantMessage) {
	if e.Partial || e.Void {
		r.stop("an answer is not whole")
		return
	}
	before := len(r.recording.Answers) + len(r.answers)
	r.answers = append(r.answers, cassette.EntryOf(e.Provider+"/"+e.Model, before, r.turn.Prompt, e.Blocks, cassette.End{Stop: e.Stop, Usage: e.Usage, Cost: e.Cost, Model: e.Model}))
}

func (r *reader) end(e event.TurnEnded) {
	if e.Reason != event.TurnCompleted {
		r.stop("it was " + string(e.Reason))
		return
	}
	r.open = false
	r.recording.Turns = append(r.recording.Turns, r.turn.Turn)
	r.recording.Answers = append(r.recording.Answers, r.answers...)
}
