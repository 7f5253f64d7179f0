package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// An agent is a session of an agent.
type agent struct {
	backend      *Backend
	conn         *rpc.Conn
	process      *backend.Process
	id           atomic.Pointer[string] // nil: not known yet
	info         backend.Info
	can          agentCapabilities
	signIn       []authMethod
	session      sessionParams // with which the session was begun
	settings     settings
	notes        []backend.Note // for the next turn
	instructions string         // for the next prompt
	prompts      int            // that the session has; -1: not known
	spent        spending
	running      atomic.Bool // a turn runs
	closed       atomic.Bool
}

// ID implements backend.Agent.
func (a *agent) ID() string {
	if id := a.id.Load(); id != nil {
		return *id
	}
	return ""
}

// Info implements backend.Agent. Whether the agent compacts is known once it has reported its commands, soon after the session has begun.
func (a *agent) Info() backend.Info {
	info := a.info
	info.Compacts = a.settings.canCompact()
	return info
}

// Alive implements backend.Agent.
func (a *agent) Alive() bool { return !a.closed.Load() && a.conn.Alive() }

// closeLimit is how long an agent may take to close its session before its process is ended.
const closeLimit = time.Second

// Close implements backend.Agent. An agent whose turn runs is ended at once.
func (a *agent) Close() {
	if !a.closed.Swap(true) && a.conn.Alive() && !a.running.Load() && a.can.SessionCapabilities.Close != nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
		_ = a.conn.Call(ctx, "session/close", sessionID{a.ID()}, nil) // its process ends in any case
		cancel()
	}
	a.process.Close()
	<-a.conn.Ended()
}

// observe takes what the agent reports between turns. While a session is loaded that is the replay, too, which is dropped but for the
// settings and the cost so far.
func (a *agent) observe(f rpc.Frame) {
	u, ok := a.updateOf(f)
	if !ok {
		return
	}
	a.settings.observe(u)
	if u.Kind == "usage_update" {
		a.spent.add(u.Cost)
	}
}

// updateOf returns the update of this session in a frame.
func (a *agent) updateOf(f rpc.Frame) (u update, ok bool) {
	var p updateParams
	if f.Method != "session/update" || json.Unmarshal(f.Params, &p) != nil || a.ID() != "" && p.SessionID != a.ID() {
		return u, false
	}
	return u, json.Unmarshal(p.Update, &u) == nil
}

// Steer implements backend.Agent, by a method that agents have besides the protocol.
func (a *agent) Steer(ctx context.Context, p backend.Prompt) error {
	if !a.info.Steers {
		return backend.ErrUnsupported
	}
	params := steeringParams{SessionID: a.ID(), Prompt: contentsOf(p.Blocks)}
	params.Meta.Steering.IdleBehavior = "promptRequired"
	var result steeringResult
	if err := a.conn.Call(ctx, "_session/steering", params, &result); err != nil {
		return a.refused("_session/steering", err)
	}
	if result.Outcome != "injected" {
		return a.process.Failure(backend.CodeRefused, "no turn takes the prompt: "+result.Outcome)
	}
	return nil
}

// compactCommand is the name of the command that agents have for a summary of their context: the protocol has no message for it.
const compactCommand = "compact"

// Compact implements backend.Agent.
func (a *agent) Compact(ctx context.Context) (summary string, err error) {
	if !a.settings.canCompact() {
		return "", backend.ErrUnsupported
	}
	prompts := a.prompts
	defer func() { a.prompts = prompts }() // a command is none
	for u, err := range a.prompt(ctx, []content{{Type: "text", Text: "/" + compactCommand}}) {
		switch u := u.(type) {
		case backend.Ask:
			u.Answer(backend.Verdict{Reason: "the context is being summarised"})
		case backend.Question:
			u.Answer(nil, errNoAnswer)
		case backend.Compacted:
			if summary = u.Summary; u.Failed {
				return "", a.process.Failure(backend.CodeRefused, cmp.Or(u.Summary, "the context was not summarised"))
			}
		case backend.End:
			if u.Failure != nil {
				return "", u.Failure
			}
		}
		if err != nil {
			return "", err
		}
	}
	return summary, context.Cause(ctx)
}

// errNoAnswer is the answer to a question while the agent compacts.
var errNoAnswer = errors.New("no user is asked")

// Fork implements backend.Agent. The protocol forks sessions at their end only, and its sessions do not report how many prompts they have:
// prompts has to be the number of them, which is known of a session that this agent has begun, or backend.AllPrompts.
func (a *agent) Fork(ctx context.Context, prompts int) (session string, err error) {
	if !a.info.Forks || prompts != backend.AllPrompts && prompts != a.prompts {
		return "", backend.ErrUnsupported
	}
	var result sessionResult
	if err := a.conn.Call(ctx, "session/fork", a.session, &result); err != nil {
		return "", a.refused("session/fork", err)
	}
	if result.SessionID == "" {
		return "", a.process.Failure(backend.CodeProtocol, "its answer to session/fork has no sessionId")
	}
	if a.can.SessionCapabilities.Close != nil {
		if err := a.conn.Call(ctx, "session/close", sessionID{result.SessionID}, nil); err != nil { // another process resumes it
			if _, refused := errors.AsType[*jsonrpc.Error](err); !refused {
				return "", fmt.Errorf("close the copy of the session: %w", err)
			}
		}
	}
	return result.SessionID, nil
}

// spending is the agent's running sum of costs, US dollars. Its methods are safe for concurrent use.
type spending struct {
	mu      sync.Mutex
	sum     float64
	unknown bool // the session is resumed, and has a sum from before that is not reported yet
}

// add takes the sum so far, and returns what has come to it. The first sum of a resumed session is that of before, and what a prompt has
// cost until then is not counted: agents report it with the end of the prompt, and do not report the sum when they resume.
func (s *spending) add(c *cost) (more float64) {
	if c == nil || c.Currency != "USD" {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.unknown {
		more = max(c.Amount-s.sum, 0)
	}
	s.sum, s.unknown = c.Amount, false
	return more
}
