// Package translate rewrites a conversation for the model that is asked next. Its history may be
// from other models, whose reasoning and call ids that one refuses.
//
// What a message becomes depends on the message and the target alone, so that the beginning of
// each request to a model stays the same bytes, which caches demand.
package translate

import (
	"cmp"
	"slices"
	"strings"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// A Target is the model that a request goes to.
type Target struct {
	Provider string // our name of it, as in [model.Message]
	Model    string
	Profile  profile.Profile
}

// steps are what happens to a message, in order. Each returns the blocks of m as t takes them, and
// changes none of them in place.
var steps = []func(m model.Message, t *Target) []model.Block{
	ownThinking,
	fittingIDs,
	fittingNames,
}

// Request returns req with its messages as t takes them. It does not change req.
func Request(req *model.Request, t Target) *model.Request {
	out := *req
	out.Messages = make([]model.Message, len(req.Messages))
	for i, m := range req.Messages {
		for _, step := range steps {
			m.Blocks = step(m, &t)
		}
		out.Messages[i] = m
	}
	return &out
}

// ownThinking leaves out reasoning that is not from t, or that t does not take back.
//
// Reasoning of another model is dropped, not made text: it belongs to turns that are over, whose
// conclusions are in their answers, and a model that reads reasoning as text begins to write it.
func ownThinking(m model.Message, t *Target) []model.Block {
	if t.Profile.Thoughts != profile.NoThoughts && t.wrote(m) || !slices.ContainsFunc(m.Blocks, isThinking) {
		return m.Blocks
	}
	return slices.DeleteFunc(slices.Clone(m.Blocks), isThinking)
}

func isThinking(b model.Block) bool { return b.Kind == model.KindThinking }

// wrote reports whether m is an answer of t. Older journals do not hold the provider.
func (t *Target) wrote(m model.Message) bool {
	return m.Role == model.Assistant && m.Model == t.Model && (m.Provider == t.Provider || m.Provider == "")
}

// fittingIDs gives calls and results ids of the form that t takes.
func fittingIDs(m model.Message, t *Target) []model.Block {
	blocks := m.Blocks
	for i, b := range m.Blocks {
		var fitting model.Block
		switch {
		case b.Kind == model.KindToolCall && !fits(b.Call.ID, t.Profile.CallIDs):
			call := *b.Call
			call.ID = fit(call.ID, t.Profile.CallIDs)
			fitting = model.Block{Kind: b.Kind, Call: &call}
		case b.Kind == model.KindToolResult && !fits(b.Result.CallID, t.Profile.CallIDs):
			result := *b.Result
			result.CallID = fit(result.CallID, t.Profile.CallIDs)
			fitting = model.Block{Kind: b.Kind, Result: &result}
		default:
			continue
		}
		if &blocks[0] == &m.Blocks[0] {
			blocks = slices.Clone(m.Blocks)
		}
		blocks[i] = fitting
	}
	return blocks
}

// maxName is the length of the longest name of a tool that every endpoint takes.
const maxName = 64

// fittingNames gives calls names that endpoints take. Agents of other programs name calls as they like, also with titles.
func fittingNames(m model.Message, _ *Target) []model.Block {
	blocks := m.Blocks
	for i, b := range m.Blocks {
		if b.Kind != model.KindToolCall {
			continue
		}
		name := fitName(b.Call.Name)
		if name == b.Call.Name {
			continue
		}
		call := *b.Call
		call.Name = name
		if &blocks[0] == &m.Blocks[0] {
			blocks = slices.Clone(m.Blocks)
		}
		blocks[i] = model.Block{Kind: b.Kind, Call: &call}
	}
	return blocks
}

// fitName returns a name with letters, digits, underscores and hyphens only.
func fitName(name string) string {
	fitting := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	return cmp.Or(fitting[:min(len(fitting), maxName)], "tool")
}
