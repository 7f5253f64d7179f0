package native

import (
	"context"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file contains the requests that read what a session is.

// state returns what the session is now (session/state).
func (s *session) state(context.Context, *SessionParams) (State, error) { return s.snapshot(), nil }

// snapshot returns what the session is now.
func (s *session) snapshot() State {
	st := s.eng.State()
	approvals, questions := s.eng.Waiting()
	return State{
		Session: string(s.eng.ID()), Workspace: st.Workspace, Parent: string(st.Parent), Settings: st.Settings, Head: st.Head, Changed: st.Changed,
		Turn: string(st.Turn), Status: st.Status, Busy: st.Busy, Turns: st.Turns, Messages: st.Messages, Usage: st.Usage, Cost: st.Cost,
		Context: st.Context, Plan: orEmpty(st.Plan), Steering: orEmpty(st.Steering), FollowUps: orEmpty(st.FollowUps),
		Approvals: orEmpty(approvals), Questions: orEmpty(questions),
		BackendOptions: s.backendOptions(st.Settings),
	}
}

// backendOptions returns the options of the agent of the session's back end.
func (s *session) backendOptions(settings event.Settings) []BackendOption {
	var all []BackendOption
	for _, o := range s.conn.cfg.Host.BackendOptions(settings) {
		option := BackendOption{Setting: o.Setting, Name: o.Name, Description: o.Description, Value: o.Value, Values: []BackendOptionValue{}}
		for _, v := range o.Values {
			option.Values = append(option.Values, BackendOptionValue{v.ID, v.Name, v.Description})
		}
		all = append(all, option)
	}
	return all
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// tools lists the tools that models are offered (tools/list).
func (s *session) tools(context.Context, *SessionParams) (ToolsListResult, error) {
	list := ToolsListResult{Tools: []Tool{}}
	for _, t := range s.eng.Context().Tools() {
		list.Tools = append(list.Tools, Tool{t.Name, t.Tool, t.Description, t.Schema, t.Group, true})
	}
	return list, nil
}

// servers lists the tool servers (servers/list).
func (s *session) servers(context.Context, *SessionParams) (ServersListResult, error) {
	list := ServersListResult{Servers: []Server{}}
	for _, server := range s.eng.Servers().List() {
		list.Servers = append(list.Servers, Server{server.Name, server.Status, server.Error, len(server.Tools)})
	}
	return list, nil
}

// context reports what the next request fills (session/context).
func (s *session) context(context.Context, *SessionParams) (SessionContextResult, error) {
	r := s.eng.Context().Report()
	return SessionContextResult{
		Window: r.Window, MaxTokens: r.MaxTokens, Used: r.Used, MessageCount: r.MessageCount,
		Parts: ContextParts{r.SystemPrompt, r.ProjectMemory, r.Tools, r.Messages},
	}, nil
}

// usage reports tokens and cost so far (session/usage).
func (s *session) usage(context.Context, *SessionParams) (SessionUsageResult, error) {
	st := s.eng.State()
	return SessionUsageResult{st.Usage, st.Cost, budgetOf(s.eng.Options().Budget)}, nil
}

// budgetOf returns a budget as the protocol has it; nil: there is none.
func budgetOf(b *engine.Budget) *Budget {
	if b == nil {
		return nil
	}
	limits, used := b.Plan().Limits, b.Snapshot()
	return &Budget{
		Limits: BudgetAmounts{
			event.Duration(limits.WallTime), limits.InputTokens, limits.OutputTokens, limits.TotalTokens, limits.Cost, limits.ToolCalls, limits.Subagents,
		},
		Used:   BudgetAmounts{used.WallTime, used.InputTokens, used.OutputTokens, used.TotalTokens, used.Cost, used.ToolCalls, used.Subagents},
		Status: used.Status,
	}
}
