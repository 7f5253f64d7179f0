package engine

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// This file contains what the agent of a session is opened with.

// openingOf returns what the agent of a session is opened with, but for the agent's session.
func (s *Session) openingOf(use *agentUse) (backend.Opening, error) {
	dir := use.env.Workspace.Dir()
	confine, err := use.env.PolicyIn(dir, s.sandbox(use.env))
	if err != nil {
		return backend.Opening{}, err
	}
	s.mu.Lock()
	settings, roots, own, limits := s.fold.State.Settings, s.work.roots, s.tools.servers, s.agentLimits()
	s.mu.Unlock()
	if s.host.cfg.Servers != nil {
		own = s.host.cfg.Servers(own, dir)
	}
	limits.Model, limits.Thinking, limits.Options = agentModel(use.model, use.backend), use.thinking, agentOptions(settings)
	return backend.Opening{
		Dir: dir, Roots: slices.Clone(roots), Confine: confine, Servers: agentServers(own), Instructions: s.agentInstructions(settings), Settings: limits,
		Variables: s.opts.Variables,
	}, nil
}

// agentLimits returns what holds for calls of an agent that confines its commands itself. The caller holds the session's lock.
func (s *Session) agentLimits() backend.Settings {
	if !s.confines() {
		return backend.Settings{Sandbox: approval.Sandbox{Kind: approval.SandboxNone}} // each call is decided about
	}
	settings := s.fold.State.Settings
	return backend.Settings{Sandbox: s.withRoots(settings.Sandbox), Asking: settings.Asking}
}

// agentInstructions returns what the dialect and its client have added to the system prompt. The rest of our own prompt is about our own
// tools and our own files with instructions: an agent has its own.
func (s *Session) agentInstructions(settings event.Settings) string {
	var parts []string
	for _, text := range []string{s.opts.Instructions, settings.SystemPrompt, settings.Instructions} {
		if text = strings.TrimSpace(text); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// agentOptions returns the options of the agent, by their ids, which follow backend.OptionPrefix in the names of settings. A value that is neither a text nor a list that begins with one is none.
func agentOptions(settings event.Settings) map[string]string {
	var options map[string]string
	for name, value := range settings.Options {
		id, ok := strings.CutPrefix(name, backend.OptionPrefix)
		text, known := optionValue(value)
		if !ok || !known {
			continue
		}
		if options == nil {
			options = map[string]string{}
		}
		options[id] = text
	}
	return options
}

func optionValue(value jsontext.Value) (text string, ok bool) {
	if value.Kind() == '"' {
		return text, json.Unmarshal(value, &text) == nil
	}
	var list []string
	if json.Unmarshal(value, &list) != nil || len(list) == 0 {
		return "", false
	}
	return list[0], true
}

// agentServers returns tool servers as the agent gets them. Those that cannot be used are left out, and those of which the user has
// allowed some of the tools only: an agent would use all of them.
func agentServers(servers []tool.Server) []backend.Server {
	var all []backend.Server
	for _, s := range servers {
		if s.Problem != "" || len(s.Tools)+len(s.DisabledTools) > 0 {
			continue
		}
		all = append(all, backend.Server{Name: s.Name, Command: s.Command, Args: s.Args, Env: s.Env, URL: s.URL, Headers: s.Headers, SSE: s.SSE})
	}
	return all
}

// sameProcess reports whether an agent that was opened with a needs no other process to be one that is opened with b.
func sameProcess(a, b backend.Opening) bool {
	return a.Dir == b.Dir && slices.Equal(a.Roots, b.Roots) && a.Confine.Equal(b.Confine) && a.Instructions == b.Instructions &&
		maps.Equal(a.Variables, b.Variables) && reflect.DeepEqual(a.Servers, b.Servers)
}

func sameAgentSettings(a, b backend.Settings) bool {
	return a.Model == b.Model && a.Thinking == b.Thinking && a.Asking == b.Asking && a.Sandbox.Equal(b.Sandbox) && maps.Equal(a.Options, b.Options)
}

// agentModel returns a model as the agent of a back end names it; "": its default.
func agentModel(name, of string) string {
	id, ok := strings.CutPrefix(name, of+"/")
	if !ok || id == backend.DefaultModel {
		return ""
	}
	return id
}
