package cassette

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"parley.dev/parley/internal/model"
)

// Name is the provider's name, as in replay/PATH.
const Name = "replay"

// A Player plays a recording, without the pauses of the model. It is safe for concurrent use.
type Player struct {
	path string

	mu      sync.Mutex
	entries []Entry
	used    []bool
}

// Open reads a recording.
func Open(path string) (*Player, error) {
	entries, err := Load(path)
	if err != nil {
		return nil, err
	}
	return &Player{path: path, entries: entries, used: make([]bool, len(entries))}, nil
}

// Model returns the name of the model that gave the first answer, provider/id.
func (p *Player) Model() string { return p.entries[0].Model }

// Stream implements model.Provider. An answer that was interrupted ends as it did: with ctx.
func (p *Player) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		if err := req.Await(ctx); err != nil {
			yield(model.Delta{}, err)
			return
		}
		e, err := p.take(req)
		if err != nil {
			yield(model.Delta{}, err)
			return
		}
		var answer model.Accumulator
		for _, piece := range e.Pieces {
			if ctx.Err() != nil {
				yield(model.Delta{}, context.Cause(ctx))
				return
			}
			d := piece.delta()
			answer.Add(d)
			if !yield(d, nil) {
				return
			}
		}
		switch {
		case e.Error != nil:
			yield(model.Delta{}, e.Error.failure())
		case e.End != nil:
			yield(model.Delta{Kind: model.Done, Response: &model.Response{
				Message: answer.Message(), Stop: e.End.Stop, Usage: e.End.Usage, Cost: e.End.Cost, Model: e.End.Model, Moderated: e.End.Moderated,
			}}, nil)
		default:
			<-ctx.Done()
			yield(model.Delta{}, context.Cause(ctx))
		}
	}
}

func (e *Error) failure() *model.Error {
	return &model.Error{
		Kind: e.Kind, Provider: Name, Status: e.Status, Code: e.Code, Message: e.Message, Window: e.Window, MaxTokens: e.MaxTokens,
		RetryAfter: time.Duration(e.RetryAfter) * time.Millisecond, Final: e.Final, Moderated: e.Moderated,
	}
}

// take returns the answer to a request: the first at its position that was not given yet, else the last one there; and where the recording
// has none there, because a text of the user differs, the first of those with as many answers before them that was not given yet.
func (p *Player) take(req *model.Request) (Entry, error) {
	position, answers, prompt := positionOf(req)
	p.mu.Lock()
	defer p.mu.Unlock()
	same, similar := -1, -1
	for i, e := range p.entries {
		switch {
		case e.Position == position && (same < 0 || p.used[same]):
			same = i
		case e.Answers == answers && !p.used[i] && similar < 0:
			similar = i
		}
	}
	if same < 0 {
		same = similar
	}
	if same < 0 {
		return Entry{}, &model.Error{Kind: model.NotConfigured, Provider: Name, Final: true, Message: fmt.Sprintf(
			"the recording %s has no answer after %d others for %q: record it again with PARLEY_RECORD", p.path, answers, beginning(prompt))}
	}
	p.used[same] = true
	return p.entries[same], nil
}
