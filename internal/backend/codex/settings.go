package codex

import (
	"cmp"
	"context"
	"slices"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/model"
)

// Offers implements backend.Agent.
func (a *agent) Offers(ctx context.Context) (backend.Offers, error) {
	if err := a.listModels(ctx); err != nil {
		return backend.Offers{}, err
	}
	return backend.Offers{Models: a.models, Model: a.modelInUse()}, nil
}

// listModels reads the models of the agent, once.
func (a *agent) listModels(ctx context.Context) error {
	var p modelsParams
	for a.models == nil || p.Cursor != "" {
		var page modelsResult
		if err := a.conn.Call(ctx, "model/list", p, &page); err != nil {
			return a.refused("model/list", err)
		}
		for _, m := range page.Data {
			if m.Hidden {
				continue
			}
			offer := backend.Model{ID: m.Model, Name: m.DisplayName, Description: m.Description, Images: slices.Contains(m.InputModalities, "image")}
			for _, e := range m.SupportedReasoningEfforts {
				if level, known := levelOf(e.ReasoningEffort); known {
					offer.Thinking = append(offer.Thinking, level)
				}
			}
			a.models = append(a.models, offer)
		}
		if p.Cursor = page.NextCursor; p.Cursor == "" {
			break
		}
	}
	return nil
}

// levels are the levels of reasoning, the lowest first.
var levels = []model.Thinking{model.Off, model.Minimal, model.Low, model.Medium, model.High, model.XHigh}

// levelOf returns the level that the agent calls an effort.
func levelOf(effort string) (level model.Thinking, known bool) {
	if effort == "none" {
		return model.Off, true
	}
	level = model.Thinking(effort)
	return level, level != model.Off && slices.Contains(levels, level)
}

// effortOf returns the effort for a level: the nearest below it that a model has, or the lowest; "": that of the agent.
func effortOf(level model.Thinking, has []model.Thinking) string {
	if level == "" {
		return ""
	}
	if len(has) > 0 && !slices.Contains(has, level) {
		rank := func(l model.Thinking) int { return slices.Index(levels, l) }
		byRank := func(x, y model.Thinking) int { return cmp.Compare(rank(x), rank(y)) }
		nearest := slices.MinFunc(has, byRank)
		for _, l := range has {
			if rank(l) < rank(level) && rank(l) > rank(nearest) {
				nearest = l
			}
		}
		level = nearest
	}
	if level == model.Off {
		return "none"
	}
	return string(level)
}

// Change implements backend.Agent: what changes is sent with each turn.
func (a *agent) Change(ctx context.Context, to backend.Settings) error { return a.set(ctx, to) }

// set prepares what the next turns are sent with.
func (a *agent) set(ctx context.Context, to backend.Settings) error {
	var has []model.Thinking
	if name := cmp.Or(to.Model, a.model); to.Thinking != "" || name != a.model {
		if err := a.listModels(ctx); err != nil {
			return err
		}
		i := slices.IndexFunc(a.models, func(m backend.Model) bool { return m.ID == name })
		switch {
		case i >= 0:
			has = a.models[i].Thinking
		case name != a.model:
			return a.process.Failure(backend.CodeRefused, "it has no model "+name)
		}
	}
	a.settings = to
	a.next = turnParams{
		ThreadID: a.id, ApprovalPolicy: a.approvalPolicy(to.Asking), SandboxPolicy: a.sandboxPolicy(to.Sandbox),
		Model: cmp.Or(to.Model, a.model), Effort: cmp.Or(effortOf(to.Thinking, has), a.effort),
	}
	return nil
}

// modelInUse returns the model of the next turns.
func (a *agent) modelInUse() string { return cmp.Or(a.settings.Model, a.model) }

// approvalPolicy returns when the agent asks: before each command and change, or never; "": as its own configuration says.
func (a *agent) approvalPolicy(asking approval.Asking) string {
	switch {
	case asking == approval.AskNever:
		return "never"
	case a.backend.o.OwnRules:
		return ""
	}
	return "untrusted"
}

// sandboxPolicy returns what the sandbox of the agent allows. One whose process is confined cannot confine commands itself.
func (a *agent) sandboxPolicy(s approval.Sandbox) *sandboxPolicy {
	switch {
	case a.confined || s.Kind == approval.SandboxExternal:
		access := "restricted"
		if s.Networked() {
			access = "enabled"
		}
		return &sandboxPolicy{Type: "externalSandbox", NetworkAccess: access}
	case s.Kind == approval.SandboxNone:
		return &sandboxPolicy{Type: "dangerFullAccess"}
	case s.Kind == approval.SandboxWorkspace:
		return &sandboxPolicy{
			Type: "workspaceWrite", WritableRoots: slices.Concat(a.roots, s.Roots), NetworkAccess: s.Network,
			ExcludeTmpdirEnvVar: s.NoTempDir, ExcludeSlashTmp: s.NoSlashTmp,
		}
	}
	return &sandboxPolicy{Type: "readOnly", NetworkAccess: false}
}
