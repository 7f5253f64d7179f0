package replay

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"znkr.io/diff/textdiff"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
)

// A Report is what differs between a session and its run with the same answers.
type Report struct {
	Same  bool         `json:"same"`
	Turns []TurnReport `json:"turns"`
	Left  string       `json:"left,omitzero"` // why turns are left out
}

// A TurnReport is the part of a Report about a turn.
type TurnReport struct {
	Prompt string       `json:"prompt"`
	Ended  string       `json:"ended,omitzero"` // why the turn was not completed this time
	Calls  []CallReport `json:"calls"`
}

// A CallReport is the part of a Report about a call. A call that was made the last time and is not made now has no outcome.
type CallReport struct {
	Name    string         `json:"name"`
	Input   jsontext.Value `json:"input"`
	Same    bool           `json:"same"`
	Was     event.Outcome  `json:"was"`
	Outcome event.Outcome  `json:"outcome,omitzero"`
	Diff    string         `json:"diff,omitzero"` // of the output, unified
}

// Compare compares the turns of a recording with those of the run in another folder.
func Compare(was *Recording, now []Turn, folder string) Report {
	report := Report{Same: true, Left: was.Left}
	for i, before := range was.Turns {
		turn := TurnReport{Prompt: before.Prompt, Calls: []CallReport{}}
		var after Turn
		if i < len(now) {
			after = now[i]
			turn.Ended = after.Ended
		} else {
			turn.Ended = "the turn did not run"
		}
		for j, c := range before.Calls {
			r := CallReport{Name: c.Name, Input: c.Input, Was: c.Outcome}
			if j < len(after.Calls) {
				r.Outcome = after.Calls[j].Outcome
				r.Diff = difference(plain(c.Output, was.Workspace), plain(after.Calls[j].Output, folder))
			}
			r.Same = r.Outcome == r.Was && r.Diff == ""
			report.Same = report.Same && r.Same
			turn.Calls = append(turn.Calls, r)
		}
		report.Same = report.Same && turn.Ended == ""
		report.Turns = append(report.Turns, turn)
	}
	return report
}

// duration matches what differs each time: how long something took.
var duration = lazy.Regexp{Expr: `\b\d+(\.\d+)?(ns|µs|us|ms|s)\b`}

// plain returns an output without the name of the folder it was made in, and without durations.
func plain(output, folder string) string {
	return duration.Get().ReplaceAllString(strings.ReplaceAll(output, folder, "WORKSPACE"), "TIME")
}

// difference returns a unified diff of two texts; "" if they are the same.
func difference(a, b string) string {
	if a == b {
		return ""
	}
	return textdiff.Unified(a, b)
}
