package link

import (
	"context"
	"path"
	"slices"
	"time"

	"parley.dev/parley/record"
)

// Models are the models that can be called.
type Models struct {
	Models  []Model `json:"models"`
	Default string  `json:"default"` // the name of the model of sessions that set none
}

// Demo reports whether no provider is configured: the offline demo answers.
func (m Models) Demo() bool { return m.Default == "offline/demo" }

// A Model is a model that can be called.
type Model struct {
	Name      string   `json:"name"` // as the setting model has it
	Display   string   `json:"display"`
	Provider  string   `json:"provider"`
	Window    int      `json:"window"` // tokens of its context
	Vision    bool     `json:"vision"`
	Reasoning bool     `json:"reasoning"`
	Thinking  []string `json:"thinking"` // the values of the setting thinking
}

// Models returns the models that can be called. With discover it asks the endpoints, too, which may take some seconds.
func (l *Link) Models(ctx context.Context, discover bool) (m Models, err error) {
	err = l.call(ctx, "models/list", params{"discover": discover}, &m)
	return m, err
}

// The values of the settings mode, sandbox.kind, and thinking of a model that does not name its own.
var (
	Levels    = []string{"off", "minimal", "low", "medium", "high", "xhigh"}
	Modes     = []string{"read-only", "plan", "workspace-write", "prompt", "danger-full-access"}
	Sandboxes = []string{"read-only", "workspace-write", "external", "full-access"}
)

// A Tool is one that the models of a session are offered.
type Tool struct {
	Name        string `json:"name"`
	Tool        string `json:"tool"` // our name of it
	Description string `json:"description"`
	Group       string `json:"group"`
	Enabled     bool   `json:"enabled"`
}

// Tools returns the tools of a session.
func (l *Link) Tools(ctx context.Context, session string) ([]Tool, error) {
	var result struct {
		Tools []Tool `json:"tools"`
	}
	err := l.call(ctx, "tools/list", of(session), &result)
	return result.Tools, err
}

// A Server is a tool server of a session.
type Server struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Error  string `json:"error"`
	Tools  int    `json:"tools"`
}

// Servers returns the tool servers of a session.
func (l *Link) Servers(ctx context.Context, session string) ([]Server, error) {
	var result struct {
		Servers []Server `json:"servers"`
	}
	err := l.call(ctx, "servers/list", of(session), &result)
	return result.Servers, err
}

// A Context is what the next request to the model fills, in tokens.
type Context struct {
	Window int `json:"window"` // 0: not known
	Used   int `json:"used"`
}

// Context returns what the next request to the model fills.
func (l *Link) Context(ctx context.Context, session string) (c Context, err error) {
	err = l.call(ctx, "session/context", of(session), &c)
	return c, err
}

// A Usage is what a session has used so far.
type Usage struct {
	Usage  record.Usage `json:"usage"`
	Cost   float64      `json:"cost"`   // US dollars
	Budget *Budget      `json:"budget"` // of all sessions of the process; nil: there is none
}

// A Budget is what all sessions of a process may use together.
type Budget struct {
	Limits Amounts `json:"limits"` // those that are set
	Used   Amounts `json:"used"`
	Status string  `json:"status"` // of the limit that is nearest
}

// Amounts are the limits of a budget, or what was used of it.
type Amounts struct {
	WallTime     record.Duration `json:"wall_time"`
	InputTokens  int             `json:"input_tokens"`
	OutputTokens int             `json:"output_tokens"`
	TotalTokens  int             `json:"total_tokens"`
	Cost         float64         `json:"cost"` // US dollars
	ToolCalls    int             `json:"tool_calls"`
	Subagents    int             `json:"subagents"`
}

// Left returns which part of the limit that is nearest is left, from 0 to 1.
func (b Budget) Left() float64 {
	left := 1.0
	for _, amount := range [][2]float64{
		{float64(b.Used.WallTime), float64(b.Limits.WallTime)},
		{float64(b.Used.InputTokens), float64(b.Limits.InputTokens)},
		{float64(b.Used.OutputTokens), float64(b.Limits.OutputTokens)},
		{float64(b.Used.TotalTokens), float64(b.Limits.TotalTokens)},
		{b.Used.Cost, b.Limits.Cost},
		{float64(b.Used.ToolCalls), float64(b.Limits.ToolCalls)},
		{float64(b.Used.Subagents), float64(b.Limits.Subagents)},
	} {
		if used, limit := amount[0], amount[1]; limit > 0 {
			left = min(left, max(0, 1-used/limit))
		}
	}
	return left
}

// Usage returns what a session has used so far.
func (l *Link) Usage(ctx context.Context, session string) (u Usage, err error) {
	err = l.call(ctx, "session/usage", of(session), &u)
	return u, err
}

// Files returns the files of a folder whose paths have the characters of a query in that order, the best first. Ignored files
// are left out.
func (l *Link) Files(ctx context.Context, workspace, query string, limit int) ([]string, error) {
	var result struct {
		Paths []string `json:"paths"`
	}
	err := l.call(ctx, "workspace/find", params{"workspace": workspace, "query": query, "limit": limit}, &result)
	return result.Paths, err
}

// Skills returns the names of the skills in a workspace. The protocol has no list of the others, which prompts can name, too.
func (l *Link) Skills(ctx context.Context, workspace string) ([]string, error) {
	paths, err := l.Files(ctx, workspace, "SKILL.md", 1000)
	var names []string
	for _, p := range paths {
		if path.Base(p) == "SKILL.md" {
			names = append(names, path.Base(path.Dir(p)))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// A Grant is an approval that is stored for later calls.
type Grant struct {
	ID     string    `json:"id"`
	Target Target    `json:"target"`
	Level  string    `json:"level"` // read, write or execute
	Scope  string    `json:"scope"` // session or always
	Given  time.Time `json:"given"`
}

// A Target is what a Grant covers. Its kind says which members are set.
type Target struct {
	Kind      string `json:"type"`
	Path      string `json:"path,omitzero"`
	Recursive bool   `json:"recursive,omitzero"`
	Pattern   string `json:"pattern,omitzero"`
	Server    string `json:"server,omitzero"`
	Tool      string `json:"tool,omitzero"`
	Command   string `json:"command,omitzero"`
	Dir       string `json:"dir,omitzero"`
	URL       string `json:"url,omitzero"`
	Summary   string `json:"summary,omitzero"`
}

// String returns the target in a line for the user.
func (t Target) String() string {
	switch {
	case t.Command != "":
		return t.Command + " (in " + t.Dir + ")"
	case t.Path != "" && t.Recursive:
		return t.Path + " and all below"
	case t.Path != "":
		return t.Path
	case t.URL != "":
		return t.URL
	case t.Pattern != "":
		return t.Pattern
	case t.Summary != "":
		return t.Summary
	}
	return t.Server + "." + t.Tool
}

// Covered returns what the grant of a request would cover, which is what Allow stores with InWorkspace. None: no grant can
// cover the request. The host has the last word: it refuses what it cannot grant, such as to read a protected file.
func Covered(r record.Request) []Target {
	var targets []Target
	if r.Command != "" {
		if !path.IsAbs(r.Dir) {
			return nil
		}
		targets = append(targets, Target{Kind: "line", Command: r.Command, Dir: r.Dir})
	}
	if r.Server != "" {
		if r.Tool == "" || r.Summary == "" {
			return nil
		}
		targets = append(targets, Target{Kind: "call", Server: r.Server, Tool: r.Tool, Summary: r.Summary})
	}
	if r.URL != "" {
		targets = append(targets, Target{Kind: "url", URL: r.URL})
	}
	for _, p := range r.Paths {
		if p.Write && path.IsAbs(p.Path) {
			targets = append(targets, Target{Kind: "file", Path: path.Clean(p.Path)})
		}
	}
	return targets
}

// Grants returns the grants of a session and of its workspace.
func (l *Link) Grants(ctx context.Context, session string) ([]Grant, error) {
	var result struct {
		Grants []Grant `json:"grants"`
	}
	err := l.call(ctx, "grants/list", of(session), &result)
	return result.Grants, err
}

// Revoke revokes grants of a session or its workspace.
func (l *Link) Revoke(ctx context.Context, session string, ids ...string) error {
	p := of(session)
	p["ids"] = ids
	return l.call(ctx, "grants/revoke", p, nil)
}
