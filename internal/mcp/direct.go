package mcp

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/tool"
)

// Call calls a tool of a server outside of any session: for the user, without an approval. The error reports why the tool was not
// called.
func (p *Pool) Call(ctx context.Context, server tool.Server, dir, name string, input jsontext.Value) (tool.Result, error) {
	s := &source{users: []*user{p.join(server, dir, nil)}}
	defer s.Close()
	u := s.users[0]
	if _, err := u.peer.ensure(u.startLimit, true).wait(ctx); err != nil {
		return tool.Result{}, err
	}
	for _, t := range s.Tools(ctx) {
		remote, ok := t.(tool.Remote)
		if !ok {
			continue
		}
		if _, own := remote.Origin(); own != name {
			continue
		}
		call, err := remote.Prepare(nil, input)
		if err != nil {
			return tool.Result{}, err
		}
		return call.Run(ctx, tool.Hooks{}), nil
	}
	return tool.Result{}, fmt.Errorf("the tool server %s has no tool %q", plain(server.Name), plain(name))
}
