package scaiflux

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/engine"
)

// This file contains the commands that change nothing.

type commandList struct {
	Commands []shownCommand `json:"commands"`
}

type shownCommand struct {
	Name    string `json:"name"`
	Args    string `json:"args"`
	Summary string `json:"summary"`
}

func (c *conn) help(string) outcome {
	var list commandList
	var text strings.Builder
	for _, cmd := range commands() {
		list.Commands = append(list.Commands, shownCommand{cmd.name, cmd.args, cmd.summary})
		fmt.Fprintf(&text, "/%-24s %s\n", strings.TrimSpace(cmd.name+" "+cmd.args), cmd.summary)
	}
	return outcome{text: strings.TrimSuffix(text.String(), "\n"), data: list}
}

// Manifest is the tools and slash commands, for other programs.
type Manifest struct {
	Tools    []shownToolInfo `json:"tools"`
	Commands []shownCommand  `json:"commands"`
}

// Manifests returns every tool, of gadgets too, and every slash command.
func Manifests() Manifest {
	var m Manifest
	for _, t := range shownTools.Get() {
		m.Tools = append(m.Tools, shownToolInfo{t.Name, t.Description, t.Mode, t.Schema})
	}
	for _, cmd := range commands() {
		m.Commands = append(m.Commands, shownCommand{cmd.name, cmd.args, cmd.summary})
	}
	return m
}

type statusData struct {
	SessionID     string   `json:"session_id"`
	Workspace     string   `json:"workspace"`
	Model         string   `json:"model"`
	Mode          string   `json:"mode"`
	Turns         int      `json:"turns"`
	TurnActive    bool     `json:"turn_active"`
	InputTokens   int      `json:"input_tokens"`
	OutputTokens  int      `json:"output_tokens"`
	ContextPct    int      `json:"context_pct"`
	ContextWindow int      `json:"context_window"`
	MaxTokens     int      `json:"max_tokens"`
	MaxIterations int      `json:"max_iterations"`
	Gadgets       []string `json:"gadgets"`
}

func (c *conn) status(string) outcome {
	st, m := c.session.State(), c.modelInfo()
	pct, _ := c.contextPercent()
	d := statusData{
		SessionID: string(st.ID), Workspace: st.Dir(), Model: m.name, Mode: c.shownMode(),
		Turns: st.Turns, TurnActive: st.Turn != "", InputTokens: st.Usage.Context(), OutputTokens: st.Usage.Output,
		ContextPct: pct, ContextWindow: m.window, MaxTokens: m.maxTokens, MaxIterations: c.cfg.Flags.MaxIterations,
		Gadgets: gadgets(st.Settings.ToolGroups),
	}
	text := fmt.Sprintf("session %s\nworkspace %s\nmodel %s\nmode %s\nturns %d\ntokens in %s, out %s\ncontext %d%% of %s",
		d.SessionID, d.Workspace, d.Model, d.Mode, d.Turns, thousands(d.InputTokens), thousands(d.OutputTokens), pct, thousands(m.window))
	return outcome{text: text, data: d}
}

type contextData struct {
	ContextWindow int              `json:"context_window"`
	UsedTokens    int              `json:"used_tokens"`
	FreeTokens    int              `json:"free_tokens"`
	ContextPct    int              `json:"context_pct"`
	MaxTokens     int              `json:"max_tokens"`
	MessageCount  int              `json:"message_count"`
	Breakdown     contextBreakdown `json:"breakdown"`
}

type contextBreakdown struct {
	SystemPrompt  int `json:"system_prompt"`
	ProjectMemory int `json:"project_memory"`
	Tools         int `json:"tools"`
	Messages      int `json:"messages"`
}

func (c *conn) context(string) outcome {
	r, m := c.session.Context().Report(), c.modelInfo()
	pct := percent(r.Used, m.window)
	return outcome{
		text: fmt.Sprintf("context %s / %s tokens (%d%%)", thousands(r.Used), thousands(m.window), pct),
		data: contextData{
			m.window, r.Used, max(0, m.window-r.Used), pct, m.maxTokens, r.MessageCount,
			contextBreakdown{r.SystemPrompt, r.ProjectMemory, r.Tools, r.Messages},
		},
	}
}

type costData struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
	Turns        int `json:"turns"`
}

func (c *conn) cost(string) outcome {
	st := c.session.State()
	text := fmt.Sprintf("%s tokens in, %s out, %s", thousands(st.Usage.Context()), thousands(st.Usage.Output), count(st.Turns, "turn"))
	if st.Cost > 0 {
		text += fmt.Sprintf(", $%.4f", st.Cost)
	}
	return outcome{text: text, data: costData{st.Usage.Context(), st.Usage.Output, st.Turns}}
}

type diffData struct {
	Files []changedFile `json:"files"`
}

type changedFile struct {
	Path   string `json:"path"`
	Status string `json:"status"` // git's two letters, without blanks
}

func (c *conn) diff(string) (wait func() outcome) {
	return func() outcome {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		found, err := c.session.Files().Uncommitted(ctx)
		if err != nil {
			return cannot("no_diff", err.Error())
		}
		return outcome{text: found.Patch, data: diffData{parseStatus(found.Status)}}
	}
}

// parseStatus reads git status --porcelain=v1 -z.
func parseStatus(out string) []changedFile {
	files := []changedFile{}
	fields := strings.Split(out, "\x00")
	for i := 0; i < len(fields); i++ {
		if len(fields[i]) < 4 {
			continue
		}
		status, path := fields[i][:2], fields[i][3:]
		if status[0] == 'R' || status[0] == 'C' {
			i++ // the name it had before
		}
		files = append(files, changedFile{path, strings.TrimSpace(status)})
	}
	return files
}

type configData struct {
	Path          string   `json:"path"`
	Model         string   `json:"model"`
	MaxTokens     int      `json:"max_tokens"`
	MaxIterations int      `json:"max_iterations"`
	Mode          string   `json:"mode"`
	Gadgets       []string `json:"gadgets"`
	Deny          []string `json:"deny"` // advice: every decision is the controller's
}

func (c *conn) config(string) outcome {
	st, m := c.session.State(), c.modelInfo()
	_, deny, _ := c.project.denyRules()
	d := configData{
		Path: configName, Model: m.name, MaxTokens: m.maxTokens, MaxIterations: c.cfg.Flags.MaxIterations,
		Mode: c.shownMode(), Gadgets: gadgets(st.Settings.ToolGroups), Deny: append([]string{}, deny...),
	}
	return outcome{text: fmt.Sprintf("model %s\nmax_tokens %d\nmax_iterations %d\nmode %s\ngadgets %s", d.Model, d.MaxTokens, d.MaxIterations, d.Mode, strings.Join(d.Gadgets, ", ")), data: d}
}

type memoryData struct {
	Files []string `json:"files"`
}

func (c *conn) memory(string) outcome {
	files := engine.MemoryFiles(c.session.State().Dir(), Options(c.cfg.Flags).ContextFiles)
	if len(files) == 0 {
		return outcome{text: "no project instructions", data: memoryData{[]string{}}}
	}
	return outcome{text: strings.Join(files, "\n"), data: memoryData{files}}
}

// serverList is the tool servers of the session.
type serverList struct {
	Servers []shownServer `json:"servers"`
}

type shownServer struct {
	Name   string   `json:"name"`
	Status string   `json:"status"` // not started, starting, ready or failed
	Error  string   `json:"error,omitzero"`
	Tools  []string `json:"tools"`
}

type emptyAgents struct {
	Agents []string `json:"agents"`
}

type emptyPlugins struct {
	Plugins []string `json:"plugins"`
}

func (c *conn) mcp(string) outcome {
	servers := c.session.Servers().List()
	if len(servers) == 0 {
		return outcome{text: "no MCP servers", data: serverList{[]shownServer{}}}
	}
	var list serverList
	var text strings.Builder
	for _, s := range servers {
		shown := shownServer{s.Name, cmp.Or(string(s.Status), "not started"), s.Error, slices.Concat([]string{}, s.Tools)}
		list.Servers = append(list.Servers, shown)
		fmt.Fprintf(&text, "%s: %s, %s\n", s.Name, shown.Status, cmp.Or(s.Error, count(len(s.Tools), "tool")))
		for _, name := range s.Tools {
			fmt.Fprintf(&text, "  %s\n", name)
		}
	}
	return outcome{text: strings.TrimSuffix(text.String(), "\n"), data: list}
}

func (c *conn) agents(string) outcome {
	return outcome{text: "no agents", data: emptyAgents{[]string{}}}
}

func (c *conn) plugins(string) outcome {
	return outcome{text: "no plugins", data: emptyPlugins{[]string{}}}
}

type versionData struct {
	Version  string `json:"version"`
	Protocol int    `json:"protocol"`
}

func (c *conn) version(string) outcome {
	return outcome{
		text: fmt.Sprintf("ScaiFlux %s (protocol %d)", c.cfg.Version, Protocol),
		data: versionData{c.cfg.Version, Protocol},
	}
}

// count returns n things, "1 turn" or "2 turns".
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// thousands writes n with a comma between groups of three digits.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
