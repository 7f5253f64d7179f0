package acp

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/acp/v2"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// edition2 is the draft of version 2: a prompt is answered when it is accepted, and the end of its turn is a state of the
// session. edition2_update.go has what updates become.
type edition2 struct{}

// methods2 returns what a client of version 2 can send.
var methods2 = lazy.Value[methodTable]{New: func() methodTable {
	return tableOf([]method{
		request("initialize", (*conn).initialize2),
		request("auth/login", (*conn).authenticate),
		request("auth/logout", (*conn).logout),
		request("session/new", func(c *conn, ctx context.Context, id jsonrpc.ID, p *v2.NewSessionParams) {
			c.newSession(ctx, id, &NewSessionParams{p.Cwd, servers2(p.MCPServers), p.AdditionalDirectories})
		}, func(p *v2.NewSessionParams) error {
			return checkPlace(p.Cwd, p.AdditionalDirectories, servers2(p.MCPServers))
		}),
		request("session/resume", (*conn).resumeSession2, func(p *v2.ResumeSessionParams) error {
			return checkPlace(p.Cwd, p.AdditionalDirectories, servers2(p.MCPServers))
		}),
		request("session/list", (*conn).listSessions, checkListSessions),
		request("session/close", (*conn).closeSession),
		request("session/delete", (*conn).deleteSession),
		request("session/set_config_option", (*conn).setConfigOption2),
		request("session/prompt", (*conn).prompt, checkPrompt),
		note("session/cancel", (*conn).cancel),
		request("_session/steering", (*conn).steer, checkSteer),
		note("$/cancel_request", (*conn).cancelRequest, checkCancelRequest),
	})
}}

func (edition2) methods() methodTable { return methods2.Get() }

func (edition2) batches() bool { return true }

// choose makes the connection speak the version that an initialize asks for. It speaks one version.
func (c *conn) choose(f jsonrpc.Frame) {
	if c.initialized || !c.cfg.Flags.V2 {
		return
	}
	wanted, ok := decodeResult[struct {
		ProtocolVersion jsontext.Value `json:"protocolVersion"`
	}](f.Params)
	if p := (InitializeParams{ProtocolVersion: wanted.ProtocolVersion}); ok && checkInitialize(&p) == nil && p.version() >= v2.ProtocolVersion {
		c.edition = edition2{}
	}
}

// initialize2 opens a connection of version 2. Files and terminals of the client are not used: the version has no methods for
// them. All clients understand notices and compactions.
func (c *conn) initialize2(_ context.Context, id jsonrpc.ID, p *v2.InitializeParams) {
	caps := ClientCapabilities{Session: ClientSessionCapabilities{Notices: &Marker{}, Compaction: &Marker{}}}
	caps.Auth.Terminal = p.Capabilities.Auth.Terminal != nil
	caps.Elicitation = ElicitationCapabilities{(*Marker)(p.Capabilities.Elicitation.Form), (*Marker)(p.Capabilities.Elicitation.URL)}
	c.opened(caps, p.Info.Name)
	result := v2.InitializeResult{
		ProtocolVersion: v2.ProtocolVersion,
		Info:            v2.Implementation{Name: "parley", Title: "Parley", Version: c.cfg.Version},
		Meta:            marshal(AgentMeta{Steering: SteeringSupport{true}, Parley: ParleySupport{1}}),
	}
	there := &v2.Marker{}
	result.Capabilities.Session.Prompt = v2.PromptCapabilities{Image: there, EmbeddedContext: there}
	result.Capabilities.Session.MCP = v2.MCPCapabilities{Stdio: there, HTTP: there}
	for _, m := range c.authMethods() {
		kind := "agent"
		if m.Type != "" {
			kind = m.Type
		}
		result.AuthMethods = append(result.AuthMethods, v2.AuthMethod{Type: kind, MethodID: m.ID, Name: m.Name, Description: m.Description, Args: m.Args})
	}
	c.reply(id, result)
}

// resumeSession2 opens a session, and sends its past if that is wanted (session/resume).
func (c *conn) resumeSession2(ctx context.Context, id jsonrpc.ID, p *v2.ResumeSessionParams) {
	c.reopen(ctx, reopening{id, event.SessionID(p.SessionID), p.Cwd, p.AdditionalDirectories, servers2(p.MCPServers), p.ReplayFrom != nil, c.caps})
}

// setConfigOption2 changes an option of a session (session/set_config_option).
func (c *conn) setConfigOption2(ctx context.Context, id jsonrpc.ID, p *v2.SetConfigOptionParams) {
	kind := p.Type
	if kind == "id" {
		kind = ""
	}
	c.setConfigOption(ctx, id, &SetConfigOptionParams{p.SessionID, p.ConfigID, kind, p.Value.Clone()})
}

// servers2 returns tool servers as version 1 has them; nil: none are given.
func servers2(given []v2.MCPServer) []MCPServer {
	var servers []MCPServer
	for _, g := range given {
		s := MCPServer{Type: g.Type, Name: g.Name, Command: g.Command, Args: append([]string{}, g.Args...), URL: g.URL, Env: values2(g.Env), Headers: values2(g.Headers)}
		servers = append(servers, s)
	}
	return servers
}

func values2(given []v2.NameAndValue) []NameAndValue {
	values := []NameAndValue{}
	for _, v := range given {
		values = append(values, NameAndValue(v))
	}
	return values
}

func (edition2) result(result any) any {
	switch r := result.(type) {
	case NewSessionResult:
		return v2.OpenedSession{SessionID: r.SessionID, ConfigOptions: options2(r.ConfigOptions)}
	case OpenedSession:
		return v2.OpenedSession{ConfigOptions: options2(r.ConfigOptions)}
	case SetConfigOptionResult:
		return v2.SetConfigOptionResult{ConfigOptions: options2(r.ConfigOptions)}
	}
	return result
}

// permission implements edition. What is to be known besides the call is the description.
func (edition2) permission(p PermissionParams) any {
	params := v2.PermissionParams{
		SessionID: p.SessionID, Title: p.ToolCall.Title, Subject: v2.Subject{Type: "tool_call", ToolCall: toolCall2(p.ToolCall)},
	}
	params.Subject.ToolCall.SessionUpdate = ""
	var details []string
	for _, content := range p.ToolCall.Content {
		if c, ok := content.(ContentOfTool); ok && c.Content.Text != nil {
			details = append(details, *c.Content.Text)
		}
	}
	params.Description = strings.Join(details, "\n")
	for _, o := range p.Options {
		params.Options = append(params.Options, v2.PermissionOption{OptionID: o.OptionID, Name: o.Name, Kind: string(o.Kind)})
	}
	return params
}

// accepted implements edition: the answer, and the prompt as a message.
func (edition2) accepted(s *session, id jsonrpc.ID, p acceptedPrompt) [][]byte {
	return [][]byte{
		frames.AppendResult(nil, id, marshal(v2.PromptResult{MessageID: string(p.id)})),
		notification("session/update", SessionUpdate{s.id, userMessage2(p.id, p.content)}),
	}
}

// livePrompt implements edition.
func (edition2) livePrompt(p livePrompt) []any { return []any{userMessage2(p.id, p.content)} }

// userMessage2 returns a prompt as a message.
func userMessage2(id event.PromptID, content []ContentBlock) v2.Message {
	message := v2.Message{SessionUpdate: "user_message", MessageID: string(id)}
	for _, block := range content {
		message.Content = append(message.Content, marshal(block))
	}
	return message
}

// answersPrompt implements edition.
func (edition2) answersPrompt() bool { return false }

// ended implements edition: the session is idle, and why.
func (edition2) ended(s *session, _ jsonrpc.ID, result PromptResult, err *jsonrpc.Error) []byte {
	update := v2.StateUpdate{SessionUpdate: "state_update", State: "idle", StopReason: string(result.StopReason)}
	if err != nil {
		update.StopReason, update.Error = "error", &v2.Error{Code: err.Code, Message: err.Message, Data: err.Data}
	}
	return notification("session/update", SessionUpdate{s.id, update})
}

// state implements edition.
func (edition2) state(e event.Event) any {
	state := "running"
	switch e.(type) {
	case event.TurnStarted, event.ApprovalAnswered, event.QuestionAnswered:
	case event.ApprovalAsked, event.QuestionAsked:
		state = "requires_action"
	default:
		return nil
	}
	return v2.StateUpdate{SessionUpdate: "state_update", State: state}
}
