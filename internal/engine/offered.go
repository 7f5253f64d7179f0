package engine

import (
	"slices"

	"parley.dev/parley/internal/model"
)

// This file handles the tools that models are offered.

// specs returns the tools that a model is offered now. It runs under the session's lock.
func (s *Session) specs(info model.Info) []model.ToolSpec {
	var specs []model.ToolSpec
	for _, b := range s.definitions(s.offeredTo(traitsOf(info.ID).name)) {
		specs = append(specs, model.ToolSpec{Name: b.Name, Description: b.described(s.work.env), Schema: b.offeredSchema(s.work.env)})
	}
	return specs
}

// offered returns the bindings offered now: the session's own first, the client's last. It runs under the session's lock.
func (s *Session) offered() []*boundTool {
	return s.offeredOf(s.tools.toolset, s.tools.remote, s.tools.client)
}

// findTool returns the tool that models call by name now, whatever their family; nil if there is none.
func (s *Session) findTool(name string) *boundTool {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := toolset{named(s.tools.bound, name)} // whether the others can work is not looked up
	if found := s.offeredOf(own, named(s.tools.remote, name), named(s.tools.client, name)); len(found) > 0 {
		return found[0]
	}
	return nil
}

// named returns the tools of that name.
func named(tools []*boundTool, name string) []*boundTool {
	var found []*boundTool
	for _, b := range tools {
		if b.Name == name {
			found = append(found, b)
		}
	}
	return found
}

// offeredOf returns which of these tools are offered now. It runs under the session's lock.
func (s *Session) offeredOf(own toolset, remote, client []*boundTool) []*boundTool {
	settings := &s.fold.State.Settings
	bound := own.offered(settings.ToolGroups, settings.Mode, s.work.env)
	bound = slices.DeleteFunc(bound, func(b *boundTool) bool { // one of a server stands in its place
		return slices.ContainsFunc(remote, func(r *boundTool) bool { return r.Name == b.Name })
	})
	bound = append(bound, remote...)
	for _, c := range client {
		if !slices.ContainsFunc(bound, func(b *boundTool) bool { return b.Name == c.Name }) {
			bound = append(bound, c)
		}
	}
	for _, filter := range pluginsOf[ToolFilter](s) {
		bound = slices.DeleteFunc(bound, func(b *boundTool) bool { return !filter.OffersTool(b.Name) })
	}
	return bound
}

// offeredTo returns the bindings that the models of a family are offered now. It runs under the session's lock.
func (s *Session) offeredTo(f Family) []*boundTool {
	return slices.DeleteFunc(s.offered(), func(b *boundTool) bool { return !b.suits(f) })
}
