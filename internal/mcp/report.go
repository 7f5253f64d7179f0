package mcp

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley.dev/parley/internal/tool"
)

// A Report is what a server reports about itself.
type Report struct {
	Name     string // its own
	Version  string
	Protocol string // the version of it that was agreed on
	Tools    []tool.Remote
	Took     time.Duration // from the start until its tools were known
}

// Test starts a server, requests its tools and leaves it. An error is a sentence for users,
// without the secrets of the server.
func (p *Pool) Test(ctx context.Context, server tool.Server, dir string) (Report, error) {
	begun := time.Now()
	s := &source{users: []*user{p.join(server, dir, nil)}}
	defer s.Close()
	u := s.users[0]
	l, err := u.peer.ensure(u.startLimit, true).wait(ctx)
	if wanted, ok := errors.AsType[*SignInError](err); ok {
		return Report{}, wanted
	}
	if err != nil {
		return Report{}, errors.New(strings.TrimSpace(err.Error()))
	}
	r := Report{Took: time.Since(begun)}
	if i := l.session.InitializeResult(); i != nil {
		r.Protocol = i.ProtocolVersion
		if i.ServerInfo != nil {
			r.Name, r.Version = plain(i.ServerInfo.Name), plain(i.ServerInfo.Version)
		}
	}
	for _, t := range s.Tools(ctx) {
		if t, ok := t.(tool.Remote); ok {
			r.Tools = append(r.Tools, t)
		}
	}
	return r, nil
}
