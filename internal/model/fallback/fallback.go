// Package fallback sends a request a second time without what the endpoint refused.
//
// A rule recognises a refusal and changes the request. What was learned holds for the rest of the
// process, for the same model: later requests are changed before they are sent. It is for what the
// profile of an endpoint cannot know, as the rights of an organisation, or a deployment's settings.
package fallback

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"

	"parley.dev/parley/internal/model"
)

// maxTries is how often a request is sent, changed each time.
const maxTries = 4

// A Change returns a request without what was refused. It does not change req; it returns req
// itself if there is nothing to change.
type Change func(req *model.Request) *model.Request

// A Rule is a refusal, and what the next request lacks.
type Rule struct {
	Name string
	// Says are texts of which the refusal, its code or its message, contains one, in lower case;
	// Also are texts of which it contains one, too. No text: any refusal.
	Says, Also []string
	// Change makes the change, of the request that was refused; nil: this refusal is not the rule's.
	Change func(refused *model.Request, err *model.Error) Change
	// Notice returns what users read of the change; nil: they do not.
	Notice func(refused, changed *model.Request, err *model.Error) string
}

func (r *Rule) matches(text string) bool {
	return containsAny(text, r.Says) && containsAny(text, r.Also)
}

func containsAny(text string, parts []string) bool {
	return len(parts) == 0 || slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// A Memory holds what an endpoint refused. The zero value is ready.
type Memory struct {
	mu      sync.Mutex
	changes map[string][]Change // by model
}

// maxLearned bounds the changes that are kept for a model.
const maxLearned = 50

// Stream calls send with req as the endpoint takes it, and again after a refusal that a rule knows.
// Nothing of an answer was shown then: a refusal is the first that a stream yields.
func (m *Memory) Stream(ctx context.Context, req *model.Request, send func(context.Context, *model.Request) iter.Seq2[model.Delta, error]) iter.Seq2[model.Delta, error] {
	if req.Exact {
		return send(ctx, req)
	}
	return func(yield func(model.Delta, error) bool) {
		for try := 1; ; try++ {
			changed := m.apply(req)
			again := false
			first := true
			for d, err := range send(ctx, changed) {
				if err != nil && first && try < maxTries {
					var notice string
					if notice, again = m.learn(changed, err); again {
						if notice != "" && !yield(model.Delta{Kind: model.NoticeDelta, Text: notice}, nil) {
							return
						}
						break
					}
				}
				first = false
				if !yield(d, err) {
					return
				}
			}
			if !again {
				return
			}
		}
	}
}

// apply returns req with the changes that were learned for its model.
func (m *Memory) apply(req *model.Request) *model.Request {
	m.mu.Lock()
	changes := slices.Clone(m.changes[req.Model])
	m.mu.Unlock()
	for _, change := range changes {
		req = change(req)
	}
	return req
}

// learn keeps the change that a refusal of req leads to, and reports whether there is one that makes
// a difference. notice is for users; "": there is none.
func (m *Memory) learn(req *model.Request, err error) (notice string, learns bool) {
	refusal, ok := errors.AsType[*model.Error](err)
	if !ok || refusal.Status/100 != 4 || refusal.Temporary() {
		return "", false
	}
	text := strings.ToLower(refusal.Code + " " + refusal.Message)
	for i := range rules {
		if !rules[i].matches(text) {
			continue
		}
		change := rules[i].Change(req, refusal)
		if change == nil {
			continue
		}
		changed := change(req)
		if changed == req {
			continue
		}
		m.mu.Lock()
		if m.changes == nil {
			m.changes = map[string][]Change{}
		}
		known := append(m.changes[req.Model], change)
		m.changes[req.Model] = known[max(0, len(known)-maxLearned):]
		m.mu.Unlock()
		if rules[i].Notice != nil {
			notice = rules[i].Notice(req, changed, refusal)
		}
		return notice, true
	}
	return "", false
}
