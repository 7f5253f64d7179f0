package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// begin shakes hands, begins or resumes a session, and sets what it works with.
func (a *agent) begin(ctx context.Context, o backend.Opening) error {
	if err := a.initialize(ctx); err != nil {
		return err
	}
	a.session = a.sessionParams(o)
	method := "session/new"
	if o.Session != "" {
		switch {
		case a.can.SessionCapabilities.Resume != nil:
			method = "session/resume"
		case a.can.LoadSession:
			method = "session/load" // what it replays is dropped: no turn runs
		default:
			return backend.ErrGone
		}
		a.id.Store(&o.Session) // what is reported from here on concerns it
		a.session.SessionID, a.prompts, a.spent.unknown = o.Session, -1, true
	}
	if err := a.openSession(ctx, method); err != nil {
		if failed, ok := errors.AsType[*jsonrpc.Error](err); ok && o.Session != "" && failed.Code != codeAuthRequired {
			return backend.ErrGone
		}
		return a.refused(method, err)
	}
	if a.ID() == "" {
		return a.process.Failure(backend.CodeProtocol, "its answer to session/new has no sessionId")
	}
	if err := a.setAskingMode(ctx); err != nil {
		return err
	}
	return a.Change(ctx, o.Settings)
}

// openSession sends the request that begins the session, and takes its answer in the order of the updates around it.
func (a *agent) openSession(ctx context.Context, method string) error {
	frames, leave := a.conn.Enter()
	defer leave() // what follows the answer is observed after it
	id, err := a.conn.Send(method, a.session)
	if err != nil {
		return err
	}
	for {
		select {
		case f := <-frames:
			switch {
			case f.Request():
				refuse(a.conn, f)
			case f.Method != "":
				a.observe(f)
			case f.Err != nil:
				return f.Err
			case f.ID == id:
				return a.opened(method, f)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// opened takes the answer to the request that begins the session.
func (a *agent) opened(method string, f rpc.Frame) error {
	var result sessionResult
	if err := a.conn.Decode(method, f.Result, &result); err != nil {
		return err
	}
	if a.ID() == "" {
		a.id.Store(&result.SessionID)
		a.session.SessionID = result.SessionID
	}
	a.settings.begin(result)
	return nil
}

// initialize shakes hands.
func (a *agent) initialize(ctx context.Context) error {
	p := initializeParams{ProtocolVersion: version, ClientInfo: program{"parley", "Parley", a.backend.o.Version}}
	p.ClientCapabilities.Meta.TerminalOutput = true
	var hello initializeResult
	if err := a.conn.Call(ctx, "initialize", p, &hello); err != nil {
		return a.refused("initialize", err)
	}
	if hello.ProtocolVersion != version {
		return a.process.Failure(backend.CodeProtocol, fmt.Sprintf("it speaks version %d of the Agent Client Protocol; this program speaks %d", hello.ProtocolVersion, version))
	}
	a.can, a.signIn = hello.AgentCapabilities, hello.AuthMethods
	var meta agentMeta
	_ = json.Unmarshal(hello.Meta, &meta) // anything may be in it
	a.info = backend.Info{
		Program: hello.AgentInfo.Name, Version: hello.AgentInfo.Version, Images: a.can.PromptCapabilities.Image,
		Resumes: a.can.LoadSession || a.can.SessionCapabilities.Resume != nil,
		Steers:  meta.Steering.Supported, Forks: a.can.SessionCapabilities.Fork != nil,
	}
	return nil
}

// sessionParams returns what a session begins with. What the agent cannot be given is noted, or goes with the first prompt.
func (a *agent) sessionParams(o backend.Opening) sessionParams {
	p := sessionParams{Cwd: o.Dir, MCPServers: a.servers(o.Servers)}
	if a.can.SessionCapabilities.AdditionalDirectories != nil {
		p.AdditionalDirectories = o.Roots
	}
	switch {
	case o.Instructions == "":
	case a.can.SessionCapabilities.SystemPrompt != nil:
		p.SystemPrompt = &systemPrompt{"append", []content{{Type: "text", Text: o.Instructions}}}
	case strings.Contains(a.info.Program, "claude"):
		p.Meta = &sessionMeta{}
		p.Meta.SystemPrompt.Append = o.Instructions
	case o.Session == "":
		a.instructions = o.Instructions
	}
	return p
}

// noticeServer is the code of the Note that the agent cannot use a tool server.
const noticeServer = "backend_server"

// servers returns tool servers as the agent takes them.
func (a *agent) servers(all []backend.Server) []mcpServer {
	servers := []mcpServer{}
	for _, s := range all {
		kind := "http"
		switch {
		case s.Command != "":
			args, env := append([]string{}, s.Args...), pairs(s.Env)
			servers = append(servers, mcpServer{Name: s.Name, Command: s.Command, Args: &args, Env: &env})
			continue
		case s.SSE:
			kind = "sse"
		}
		if kind == "http" && !a.can.MCPCapabilities.HTTP || kind == "sse" && !a.can.MCPCapabilities.SSE {
			a.notes = append(a.notes, backend.Note{
				Level: event.Warning, Code: noticeServer, Text: fmt.Sprintf("%s cannot use the tool server %s: it takes no servers of type %s.", a.backend.o.Name, s.Name, kind),
			})
			continue
		}
		headers := pairs(s.Headers)
		servers = append(servers, mcpServer{Type: kind, Name: s.Name, URL: s.URL, Headers: &headers})
	}
	return servers
}

// pairs returns a map in the order of its names.
func pairs(m map[string]string) []nameValue {
	all := []nameValue{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		all = append(all, nameValue{name, m[name]})
	}
	return all
}

// refused returns the error of a request that the agent has refused.
func (a *agent) refused(method string, err error) error {
	failed, ok := errors.AsType[*jsonrpc.Error](err)
	switch {
	case !ok:
		return err
	case failed.Code == codeAuthRequired:
		return a.process.Failure(backend.CodeRefused, "it is not signed in: "+a.signInText()+", then try again ("+failed.Message+")")
	}
	return a.process.Failure(backend.CodeRefused, method+" is refused: "+failed.Message)
}

// signInText returns how to sign in with the agent.
func (a *agent) signInText() string {
	var ways []string
	for _, m := range a.signIn {
		ways = append(ways, cmp.Or(m.Description, m.Name, m.ID))
	}
	if len(ways) == 0 {
		return "sign in with the agent itself"
	}
	return "sign in with the agent itself (" + strings.Join(ways, "; ") + ")"
}
