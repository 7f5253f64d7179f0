package engine

import (
	"context"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// A Server is a tool server that a session uses.
type Server = tool.Server

// A Servers is the tool servers of a session. What they offer may change between steps.
type Servers struct{ s *Session }

// Servers returns the tool servers of the session.
func (s *Session) Servers() Servers { return Servers{s} }

// List returns the servers and their states, sorted by name. It starts none.
func (v Servers) List() []tool.ServerState {
	if listed, ok := v.s.connect().(tool.Listed); ok {
		return listed.Servers()
	}
	return nil
}

// Prompts returns the prompts of the servers that are known, sorted by name.
func (v Servers) Prompts() []tool.PromptInfo {
	if p, ok := v.s.connect().(tool.Prompter); ok {
		return p.Prompts()
	}
	return nil
}

// Use replaces the session's own servers, from the next step on. Those that the program is
// configured with stay. Servers may hold secrets and are stored nowhere.
func (v Servers) Use(servers []Server) {
	s := v.s
	s.mu.Lock()
	old := s.tools.source
	s.tools.servers, s.tools.source, s.tools.remote, s.tools.guide, s.tools.deferred = servers, nil, nil, "", false
	s.mu.Unlock()
	if old != nil {
		old.Close()
	}
}

// endServers ends the servers that run in the session's folder, which is about to be removed.
func (s *Session) endServers() {
	s.mu.Lock()
	source, ok := s.tools.source.(tool.Ender)
	if ok {
		s.tools.source, s.tools.remote, s.tools.guide = nil, nil, ""
	}
	s.mu.Unlock()
	if ok {
		source.End()
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
	guide := ""
	if g, ok := source.(tool.Guided); ok {
		guide = g.Instructions()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tools.source == source {
		s.tools.deferred = s.tools.deferred || s.host.cfg.Defer.exceeded(remote)
		if s.tools.deferred {
			remote = append(remote, newToolSearch(remote))
		}
		s.tools.remote, s.tools.guide = remote, guide
	}
}

// serverInstructions returns the section of the system prompt about tool servers; it may be "".
func (s *Session) serverInstructions() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools.guide
}

// connect returns the session's source; nil if there is none.
func (s *Session) connect() tool.Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tools.source == nil && s.host.cfg.Connect != nil && s.ended == "" {
		failures := map[string]string{}
		s.tools.source = s.host.cfg.Connect(s.tools.servers, s.fold.State.Dir(), func(e event.ServerChanged) {
			s.mu.Lock()
			defer s.mu.Unlock()
			switch e.Status {
			case event.ServerFailed:
				e.Again = failures[e.Server] == e.Error
				failures[e.Server] = e.Error
			case event.ServerReady:
				delete(failures, e.Server)
			}
			s.log.Show("", e)
		})
	}
	return s.tools.source
}
