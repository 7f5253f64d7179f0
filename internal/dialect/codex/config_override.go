package codex

import (
	"cmp"
	"path/filepath"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file contains what a configuration does to the settings of a thread: that of a request, and that which clients have
// written.

// overrideKeys are the keys of thread/start.config that are used, but for tool servers. Clients send many others.
var overrideKeys = []string{
	"model", "model_provider", "model_reasoning_effort", "model_reasoning_summary", "model_context_window", "web_search", "developer_instructions",
	"sandbox_workspace_write",
}

// applyConfig takes from the configuration of a request what has no member of its own; a member wins.
func (c *conn) applyConfig(o *overrides) error {
	if len(o.config) == 0 {
		return nil
	}
	given, err := treeOfKeys(o.config)
	if err != nil {
		return configError(appserver.Below("config", err))
	}
	used := tree{}
	for _, key := range overrideKeys {
		if node, ok := given[key]; ok {
			used[key] = node
		}
	}
	s, err := used.settings()
	if err != nil {
		return configError(appserver.Below("config", err))
	}
	o.model, o.provider = cmp.Or(o.model, string(s.Model)), cmp.Or(o.provider, string(s.ModelProvider))
	o.effort, o.summary = cmp.Or(o.effort, string(s.ModelReasoningEffort)), cmp.Or(o.summary, s.ModelReasoningSummary)
	o.developer, o.window, o.workspace = cmp.Or(o.developer, string(s.DeveloperInstructions)), s.ModelContextWindow, s.SandboxWorkspaceWrite
	o.search = s.WebSearch
	return nil
}

// widen returns a sandbox of kind workspace-write with the settings of sandbox_workspace_write; others are returned as they are.
func widen(s approval.Sandbox, w *SandboxWorkspaceWrite) (approval.Sandbox, error) {
	if w == nil || s.Kind != approval.SandboxWorkspace {
		return s, nil
	}
	if w.WritableRoots != nil {
		s.Roots = nil
	}
	for _, root := range w.WritableRoots {
		if !filepath.IsAbs(root) {
			return s, invalid("sandbox_workspace_write.writable_roots must be absolute paths")
		}
		dir := filepath.Clean(root)
		if real, err := engine.Workspace(dir); err == nil {
			dir = real
		}
		s.Roots = append(s.Roots, dir)
	}
	for flag, given := range map[*bool]*bool{&s.Network: w.NetworkAccess, &s.NoTempDir: w.ExcludeTmpdirEnvVar, &s.NoSlashTmp: w.ExcludeSlashTmp} {
		if given != nil {
			*flag = *given
		}
	}
	return s, nil
}

// defaults gives the settings of a new thread what it has if its client says nothing: what clients have written, else what the command line and the
// program say.
func (c *conn) defaults(s *event.Settings) {
	w := c.written()
	s.Model = cmp.Or(s.Model, c.defaultModel())
	if w.ModelReasoningEffort != "" {
		s.Thinking = cmp.Or(s.Thinking, thinkingOf(string(w.ModelReasoningEffort)))
	}
	s.Instructions = cmp.Or(s.Instructions, string(w.DeveloperInstructions))
	if s.Asking == "" {
		s.Asking = c.cfg.Flags.Asking
		if w.ApprovalPolicy != nil && w.ApprovalPolicy.Granular == nil {
			s.Asking = askings[w.ApprovalPolicy.Word]
		}
	}
	if s.Sandbox.Kind != "" {
		return
	}
	s.Sandbox = c.cfg.Flags.Sandbox
	if w.SandboxMode != "" {
		s.Sandbox = approval.Sandbox{Kind: sandboxKinds[string(w.SandboxMode)]}
	}
	if wider, err := widen(s.Sandbox, w.SandboxWorkspaceWrite); err == nil {
		s.Sandbox = wider
	}
}

// defaultModel returns the model where none is named.
func (c *conn) defaultModel() string {
	standard := cmp.Or(c.cfg.Flags.Model, c.cfg.Host.DefaultModel())
	w := c.written()
	if model := string(w.Model); model != "" {
		name := cmp.Or(string(w.ModelProvider), c.providerOf(standard)) + "/" + model
		if _, plausible := c.cfg.Host.DescribeModel(name); plausible {
			return name
		}
		return model
	}
	return standard
}
