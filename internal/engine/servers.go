package engine

import (
	"context"
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// This file is about tools that servers have. What they offer may change between steps.

// Server is a tool server that a session uses.
type Server = tool.Server

// UseServers replaces the session's tool servers, from the next step on. Those that the
// program is configured with stay.
func (s *Session) UseServers(servers []Server) {
	s.mu.Lock()
	old := s.source
	s.opts.Servers, s.source, s.remote = servers, nil, nil
	s.mu.Unlock()
	if old != nil {
		old.Close()
	}
}

// offerServers asks the servers for their tools, starting them where they do not run. It
// returns when each has answered or failed, or ctx ends.
func (s *Session) offerServers(ctx context.Context) {
	source := s.connect()
	if source == nil {
		return
	}
	var remote []*boundTool
	for _, t := range source.Tools(ctx) {
		remote = append(remote, bind(Binding{Name: t.Name(), Tool: t.Name()}, t))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.source == source {
		s.remote = remote
	}
}

// connect is the session's source; nil if there is none.
func (s *Session) connect() tool.Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.source == nil && s.host.cfg.Connect != nil && !s.closed {
		s.source = s.host.cfg.Connect(s.opts.Servers, s.fold.state.Dir(), func(e event.ServerChanged) { s.show("", e) })
	}
	return s.source
}

// findTool is the tool that models call by name now; nil if there is none.
func (s *Session) findTool(name string) *boundTool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.offered() {
		if b.Name == name {
			return b
		}
	}
	return nil
}

// specs is the tools offered now. It runs under the session's lock.
func (s *Session) specs() []model.ToolSpec {
	var specs []model.ToolSpec
	for _, b := range s.offered() {
		specs = append(specs, model.ToolSpec{Name: b.Name, Description: b.described(s.env), Schema: b.Schema})
	}
	return specs
}

// offered is the bindings offered now: the session's own first. It runs under the session's lock.
func (s *Session) offered() []*boundTool {
	bound := s.tools.offered(s.fold.state.Settings.ToolGroups, s.env)
	bound = slices.DeleteFunc(bound, func(b *boundTool) bool { // one of a server stands in its place
		return slices.ContainsFunc(s.remote, func(r *boundTool) bool { return r.Name == b.Name })
	})
	bound = append(bound, s.remote...)
	if offer := s.opts.Offer; offer != nil {
		bound = slices.DeleteFunc(bound, func(b *boundTool) bool { return !offer(b.Name) })
	}
	return bound
}
