package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file contains the tools and their inputs and results.

type startInput struct {
	Prompt   string `json:"prompt"`
	Cwd      string `json:"cwd,omitempty"`
	Model    string `json:"model,omitempty"`
	Mode     string `json:"permission_mode,omitempty"`
	Sandbox  string `json:"sandbox,omitempty"`
	MaxSteps int    `json:"max_steps,omitempty"`
}

type replyInput struct {
	Session string `json:"session_id"`
	Prompt  string `json:"prompt"`
}

// An answer is the structured content of a result.
type answer struct {
	Session string `json:"session_id"`
	Content string `json:"content"`
	Reason  string `json:"stop_reason"`
	failed  bool
}

var answerSchema = jsontext.Value(`{
	"type": "object",
	"properties": {
		"session_id": {"type": "string", "description": "The session, for parley-reply"},
		"content": {"type": "string", "description": "The last answer"},
		"stop_reason": {"type": "string", "description": "completed, or why the turn ended before: interrupted, step_limit, max_tokens, budget, refused, failed"}
	},
	"required": ["session_id", "content", "stop_reason"],
	"additionalProperties": false
}`)

// startTool describes the tool that starts a session.
func startTool(cfg Config) *sdk.Tool {
	modes, _ := json.Marshal(allowedModes(cfg.Mode))        // it cannot fail
	sandboxes, _ := json.Marshal(allowedKinds(cfg.Sandbox)) // it cannot fail
	return &sdk.Tool{
		Name: "parley", Title: "Parley",
		Description: "Starts a session of Parley, a coding agent, with a task, and waits for its end. It works in a folder by itself: it reads and changes files and runs commands. " +
			"State the whole task, with its context. Returns the last answer and the session's id for parley-reply.",
		InputSchema: jsontext.Value(fmt.Sprintf(`{
	"type": "object",
	"properties": {
		"prompt": {"type": "string", "minLength": 1, "description": "The task"},
		"cwd": {"type": "string", "description": "The folder to work in, absolute or relative to that of the server; default: that of the server"},
		"model": {"type": "string", "description": "provider/model-id; default: the configured one"},
		"permission_mode": {"type": "string", "enum": %s, "description": "What runs without the user's approval; default: %s"},
		"sandbox": {"type": "string", "enum": %s, "description": "In place of permission_mode: every call runs, and commands are confined to this"},
		"max_steps": {"type": "integer", "minimum": 1, "description": "Maximum number of rounds of tool calls"}
	},
	"required": ["prompt"],
	"additionalProperties": false
}`, modes, cfg.Mode, sandboxes)),
		OutputSchema: answerSchema,
	}
}

var replyTool = &sdk.Tool{
	Name: "parley-reply", Title: "Parley: reply",
	Description: "Continues a session of Parley with another prompt, and waits for its end.",
	InputSchema: jsontext.Value(`{
	"type": "object",
	"properties": {
		"session_id": {"type": "string", "minLength": 1, "description": "As returned by parley"},
		"prompt": {"type": "string", "minLength": 1, "description": "What to do next"}
	},
	"required": ["session_id", "prompt"],
	"additionalProperties": false
}`),
	OutputSchema: answerSchema,
}

// allowedModes returns the modes that are not wider than the widest. In mode prompt nothing runs
// without an approval.
func allowedModes(widest approval.Mode) []approval.Mode {
	end := slices.Index(approval.Modes, widest) + 1
	modes := slices.Clone(approval.Modes[:end])
	if !slices.Contains(modes, approval.Prompt) {
		modes = append(modes, approval.Prompt)
	}
	return modes
}

// kinds are the sandboxes, the narrowest first.
var kinds = []approval.SandboxKind{approval.SandboxReadOnly, approval.SandboxWorkspace, approval.SandboxNone}

func allowedKinds(widest approval.SandboxKind) []approval.SandboxKind {
	return kinds[:slices.Index(kinds, widest)+1]
}

// start handles the tool parley.
func (s *server) start(ctx context.Context, req *sdk.CallToolRequest, in startInput) (answer, error) {
	if in.Mode != "" && in.Sandbox != "" {
		return answer{}, errors.New("permission_mode and sandbox exclude each other")
	}
	dir := s.cfg.Dir
	if in.Cwd != "" {
		dir = in.Cwd
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(s.cfg.Dir, dir)
		}
	}
	o := s.options(req.Session, in.Sandbox != "")
	o.StepLimit = in.MaxSteps
	settings := event.Settings{Model: cmp.Or(in.Model, s.cfg.Model), Mode: cmp.Or(in.Mode, string(s.cfg.Mode))}
	if in.Sandbox != "" {
		settings.Sandbox, settings.Asking = approval.Sandbox{Kind: approval.SandboxKind(in.Sandbox)}, asking(req.Session)
	}
	session, err := s.cfg.Host.Create(ctx, engine.NewSession{Workspace: dir, Settings: settings}, o)
	if err != nil {
		return answer{}, err
	}
	s.take(session.ID()) // no other call knows it yet
	defer s.release(session.ID())
	return s.run(ctx, req, session, in.Prompt)
}

// reply handles the tool parley-reply.
func (s *server) reply(ctx context.Context, req *sdk.CallToolRequest, in replyInput) (answer, error) {
	id := event.SessionID(in.Session)
	if !s.take(id) {
		return answer{}, fmt.Errorf("the session %s is working: wait for the result of the other call", id)
	}
	defer s.release(id)
	session, err := s.cfg.Host.Open(ctx, id, s.options(req.Session, false))
	if err == nil && session.State().Settings.Sandbox.Kind != "" {
		if err = session.Close(ctx); err == nil { // how calls are decided is an option
			session, err = s.cfg.Host.Open(ctx, id, s.options(req.Session, true))
		}
	}
	if errors.Is(err, engine.ErrNoSession) {
		return answer{}, fmt.Errorf("there is no session %q", in.Session)
	}
	if err != nil {
		return answer{}, err
	}
	if err := session.Join(engine.ClientInfo{}).Change(func(set *event.Settings) { s.narrow(set, req.Session) }); err != nil {
		_ = session.Close(ctx) // the first error reports why
		return answer{}, err
	}
	return s.run(ctx, req, session, in.Prompt)
}

// narrow makes the settings of a session that was started elsewhere no wider than this server allows.
func (s *server) narrow(set *event.Settings, client *sdk.ServerSession) {
	if set.Sandbox.Kind == "" {
		if !slices.Contains(allowedModes(s.cfg.Mode), approval.Mode(set.Mode)) {
			set.Mode = string(s.cfg.Mode)
		}
		return
	}
	set.Asking = asking(client)
	if !slices.Contains(allowedKinds(s.cfg.Sandbox), set.Sandbox.Kind) {
		set.Sandbox = approval.Sandbox{Kind: s.cfg.Sandbox}
	}
}

// options returns the options of a session. Where the client's user cannot be asked, models are not
// offered the tool that asks.
func (s *server) options(client *sdk.ServerSession, confined bool) engine.Options {
	o := s.cfg.Options
	if confined {
		o.Approvals, o.Calls = engine.ApproveBySandbox{}, engine.ParallelReads
	}
	if !canAsk(client) {
		o.Texts = map[engine.Text]string{engine.TextClientGone: "this call needs an approval, and the client cannot request one: it does not support elicitation. Start parley mcp serve with a --permission-mode that covers such calls"}
		o.Toolset = slices.DeleteFunc(slices.Clone(o.Toolset), func(b engine.Binding) bool { return b.Tool == "ask" })
	}
	return o
}

// asking returns whether the user is asked about what a sandbox refuses.
func asking(client *sdk.ServerSession) approval.Asking {
	if canAsk(client) {
		return approval.AskOnRequest
	}
	return approval.AskNever
}
