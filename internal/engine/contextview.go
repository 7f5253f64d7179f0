package engine

import (
	"slices"
	"strings"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
	"parley.dev/parley/internal/skill"
)

// A ContextView shows what the next request to the model holds besides the history.
type ContextView struct{ s *Session }

// Context returns a view of what the next request to the model holds.
func (s *Session) Context() ContextView { return ContextView{s} }

// Model returns the model that the next step calls. A *model.Error if there is none.
func (v ContextView) Model() (model.Info, error) {
	m, err := v.s.host.cfg.Models.Resolve(v.s.State().Settings.Model)
	return m.Info, err
}

// SystemPrompt returns the system prompt without the project's context files.
func (v ContextView) SystemPrompt() string {
	info, _ := v.Model() // without a model there is none to name
	return v.s.systemPrompt(info, "").base
}

// Tools returns the tools offered now, sorted by name.
func (v ContextView) Tools() []ToolInfo {
	s := v.s
	s.mu.Lock()
	offered, env := s.offeredTo(s.nextFamily()), s.work.env
	s.mu.Unlock()
	var infos []ToolInfo
	for _, b := range offered {
		infos = append(infos, ToolInfo{b.Name, b.described(env), b.offeredSchema(env), b.Tool, b.Group})
	}
	slices.SortFunc(infos, func(a, b ToolInfo) int { return strings.Compare(a.Name, b.Name) })
	return infos
}

// ToolGroups returns the optional groups and the names of their tools.
func (v ContextView) ToolGroups() map[string][]string {
	s := v.s
	s.mu.Lock()
	defer s.mu.Unlock()
	groups := map[string][]string{}
	for _, b := range s.tools.bound {
		if b.Group != "" && b.works(s.work.env) {
			groups[b.Group] = append(groups[b.Group], b.Name)
		}
	}
	return groups
}

// Skills returns the skills that there are now, sorted by name; also those that only the user can have loaded.
func (v ContextView) Skills() []skill.Skill {
	s := v.s
	s.mu.Lock()
	env := s.work.env
	s.mu.Unlock()
	if env == nil || env.Skills == nil {
		return nil
	}
	return env.Skills()
}

// A ContextReport is the sizes of the parts of the next request, in tokens.
type ContextReport struct {
	Window        int // of the model; 0 if there is no model
	MaxTokens     int // of the answer
	Used          int // measured by the provider where it could be, else the sum of the rest
	SystemPrompt  int // the rest are estimates
	ProjectMemory int
	Tools         int
	Messages      int
	MessageCount  int
}

// Report returns the sizes of what the next request holds now.
func (v ContextView) Report() ContextReport {
	s := v.s
	info, _ := v.Model() // no model: no window
	prompt := s.systemPrompt(info, "")
	s.mu.Lock()
	defer s.mu.Unlock()
	r := ContextReport{
		Window: info.ContextWindow, MaxTokens: s.maxTokens(info),
		SystemPrompt:  len(prompt.base) / session.BytesPerToken,
		ProjectMemory: len(prompt.memory) / session.BytesPerToken,
		Tools:         toolBytes(s.specs(info)) / session.BytesPerToken,
		Messages:      s.fold.Bytes / session.BytesPerToken,
		MessageCount:  len(s.fold.Entries),
	}
	r.Used = r.SystemPrompt + r.ProjectMemory + r.Tools + r.Messages
	if s.fold.Measured > 0 {
		r.Used = s.contextTokens()
	}
	return r
}
