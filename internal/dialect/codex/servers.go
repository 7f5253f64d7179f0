package codex

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains tool servers.

func serverMethods() []handler {
	return []handler{
		on("mcpServerStatus/list", (*conn).serverStatusList),
		on("config/mcpServer/reload", func(c *conn, _ context.Context, id jsonrpc.ID, _ *struct{}) {
			c.reply(id, McpServerRefreshResponse{}) // each thread connects to what is configured
		}),
		on("mcpServer/tool/call", (*conn).serverToolCall),
		on("mcpServer/resource/read", func(c *conn, _ context.Context, id jsonrpc.ID, p *McpResourceReadParams) {
			c.fail(id, p.ThreadID, refused("resources of tool servers are read by models only"))
		}),
		on("mcpServer/oauth/login", func(c *conn, _ context.Context, id jsonrpc.ID, p *McpServerOauthLoginParams) {
			c.fail(id, p.ThreadID, refused("a sign-in to tool server "+abridged(p.Name)+" is not offered here: run `parley mcp login`"))
		}),
	}
}

// A ServerPool starts tool servers outside of sessions.
type ServerPool interface {
	// Tools returns what a server has. ErrSignIn: it wants the user to sign in first.
	Tools(ctx context.Context, s engine.Server, dir string) (ServerReport, error)
	// Call calls a tool, for the user.
	Call(ctx context.Context, s engine.Server, dir, tool string, input jsontext.Value) (ServerReply, error)
}

// ErrSignIn reports that a tool server wants the user to sign in.
var ErrSignIn = errors.New("the user has to sign in")

// A ServerReport is what a tool server reports about itself.
type ServerReport struct {
	Name, Version string // its own
	Tools         []engine.ToolInfo
}

// A ServerReply is the result of a call.
type ServerReply struct {
	Content jsontext.Value // the result object of the protocol; nil: there is none
	Text    string         // what models see of it
	IsError bool
}

// serverWait is how long a request waits for tool servers.
const serverWait = 20 * time.Second

const serversMost = 100 // on a page

// serverStatusList starts the tool servers of a folder, and lists what they have (mcpServerStatus/list). Other requests are handled
// meanwhile.
func (c *conn) serverStatusList(_ context.Context, id jsonrpc.ID, p *ListMcpServerStatusParams) {
	servers, dir, err := c.serversFor(p.ThreadID)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	servers = slices.DeleteFunc(servers, func(s engine.Server) bool { return p.ServerName != "" && s.Name != p.ServerName })
	page, err := pageOf(servers, p.Cursor, p.Limit, SortDirectionAsc, SortDirectionAsc, serversMost)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	c.answering.Go(func() {
		ctx, cancel := context.WithTimeout(c.life, serverWait)
		defer cancel()
		answer := ListMcpServerStatusResponse{Data: make([]McpServerStatus, len(page.data)), NextCursor: page.next}
		asking := dialect.NewGroup(c.out)
		for i, s := range page.data {
			asking.Go(func() { answer.Data[i] = c.statusOfServer(ctx, s, dir) })
		}
		asking.Wait()
		c.reply(id, answer)
	})
}

// serversFor returns the tool servers of a thread, or those that a new one would have, and its folder.
func (c *conn) serversFor(threadID string) ([]engine.Server, string, error) {
	dir := c.cfg.Flags.Cwd
	var own []engine.Server
	if threadID != "" {
		t := c.subscribed(threadID)
		if t == nil {
			return nil, "", noThread(threadID)
		}
		dir, own = t.session.State().Dir(), t.servers
	}
	var servers []engine.Server
	if c.cfg.Servers != nil {
		servers = c.cfg.Servers(dir)
	}
	servers = slices.DeleteFunc(servers, func(s engine.Server) bool {
		return slices.ContainsFunc(own, func(o engine.Server) bool { return o.Name == s.Name })
	})
	return append(servers, own...), dir, nil
}

// statusOfServer starts a server and returns how it is.
func (c *conn) statusOfServer(ctx context.Context, s engine.Server, dir string) McpServerStatus {
	status := McpServerStatus{Name: s.Name, AuthStatus: McpAuthStatusUnsupported, Tools: map[string]Tool{}}
	if _, bearer := s.Headers["Authorization"]; bearer {
		status.AuthStatus = McpAuthStatusBearerToken
	}
	if c.cfg.Pool == nil {
		status.RuntimeStatus = McpServerConnectionStatusNotStarted
		return status
	}
	report, err := c.cfg.Pool.Tools(ctx, s, dir)
	switch {
	case errors.Is(err, ErrSignIn):
		status.AuthStatus, status.RuntimeStatus = McpAuthStatusNotLoggedIn, McpServerConnectionStatusAuthenticationRequired
		status.ToolsError = nullString(err.Error())
	case err != nil:
		status.RuntimeStatus, status.ToolsError = McpServerConnectionStatusFailed, nullString(err.Error())
	default:
		status.RuntimeStatus = McpServerConnectionStatusConnected
		status.ServerInfo = &McpServerInfo{Name: report.Name, Version: report.Version}
	}
	for _, t := range report.Tools {
		status.Tools[t.Name] = Tool{Name: t.Name, Description: t.Description, InputSchema: t.Schema}
	}
	return status
}

// serverToolCall calls a tool of a server, for the user (mcpServer/tool/call).
func (c *conn) serverToolCall(_ context.Context, id jsonrpc.ID, p *McpServerToolCallParams) {
	servers, dir, err := c.serversFor(p.ThreadID)
	at := slices.IndexFunc(servers, func(s engine.Server) bool { return s.Name == p.Server })
	if err == nil && (at < 0 || c.cfg.Pool == nil) {
		err = refused("there is no tool server " + abridged(p.Server))
	}
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	input := jsontext.Value("{}")
	if p.Arguments != nil {
		input = p.Arguments.Clone()
	}
	c.answering.Go(func() {
		reply, err := c.cfg.Pool.Call(c.life, servers[at], dir, p.Tool, input)
		if err != nil {
			c.fail(id, p.ThreadID, refused(err.Error()))
			return
		}
		c.reply(id, reply.response())
	})
}

// response returns what the client gets of a result.
func (r ServerReply) response() McpServerToolCallResponse {
	answer := McpServerToolCallResponse{Content: []jsontext.Value{}}
	_ = json.Unmarshal(r.Content, &answer) // a call without a result has a text
	if r.Content == nil && r.Text != "" {
		answer.Content = []jsontext.Value{marshal(map[string]string{"type": "text", "text": r.Text})}
	}
	answer.IsError = &r.IsError
	return answer
}

// A serverConfig is a tool server in the configuration of a request.
type serverConfig struct {
	Command      string            `json:"command,omitzero"`
	Args         []string          `json:"args,omitzero"`
	Env          map[string]string `json:"env,omitzero"`
	Cwd          string            `json:"cwd,omitzero"`
	URL          string            `json:"url,omitzero"`
	HTTPHeaders  map[string]string `json:"http_headers,omitzero"`
	StartTimeout float64           `json:"startup_timeout_sec,omitzero"`
	CallTimeout  float64           `json:"tool_timeout_sec,omitzero"`
	EnabledTools []string          `json:"enabled_tools,omitzero"`
}

// serversOf returns the tool servers in the configuration of a request, sorted by name.
func serversOf(config map[string]jsontext.Value) ([]engine.Server, error) {
	given, err := treeOfKeys(config)
	if err != nil {
		return nil, configError(appserver.Below("config", err))
	}
	all, _ := given["mcp_servers"].(tree)
	var servers []engine.Server
	for _, name := range slices.Sorted(maps.Keys(all)) {
		node, _ := all[name].(tree)
		var s serverConfig
		if err := decodeTree(node, &s); err != nil {
			return nil, configError(appserver.Below("config.mcp_servers."+name, err))
		}
		if (s.Command == "") == (s.URL == "") {
			return nil, invalid("config.mcp_servers." + name + " needs a command or a url")
		}
		seconds := func(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
		servers = append(servers, engine.Server{
			Name: name, Command: s.Command, Args: s.Args, Env: s.Env, Dir: s.Cwd, URL: s.URL, Headers: s.HTTPHeaders, Tools: s.EnabledTools,
			StartLimit: seconds(s.StartTimeout), CallLimit: seconds(s.CallTimeout),
		})
	}
	return servers, nil
}

// use gives a thread tool servers of its own.
func (t *thread) use(servers []engine.Server) {
	if len(servers) > 0 {
		t.servers = servers
		t.session.Servers().Use(servers)
	}
}
