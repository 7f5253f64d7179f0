package native

import (
	"context"
	"fmt"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// initialize begins the connection.
func (c *conn) initialize(_ context.Context, r request, p *InitializeParams) {
	switch {
	case p.Protocol < 1:
		c.fail(r.id, failure(CodeProtocol, "no version of the protocol is spoken by both", ErrorData{Kind: "protocol", Supported: []int{Version}}))
		return
	case p.Client.Name == "":
		c.fail(r.id, invalidMember("client.name", "must not be empty"))
		return
	}
	c.initialized = true
	c.client = engine.ClientInfo{Name: p.Client.Name, Role: string(c.cfg.Role), KeepLease: c.cfg.Role.may(Driver), Driver: c.cfg.Role.may(Driver)}
	c.reply(r.id, InitializeResult{
		Protocol: min(p.Protocol, Version), Host: c.cfg.Info, Role: c.cfg.Role, Methods: c.methodNames(), Limits: Limits{LineLimit, BlobLimit},
	})
}

// ping does nothing (ping).
func (c *conn) ping(context.Context, *Empty) (Empty, error) { return Empty{}, nil }

// hostInfo describes the process (host/info).
func (c *conn) hostInfo(context.Context, *Empty) (HostInfoResult, error) {
	clients := 1
	if c.cfg.Clients != nil {
		clients = c.cfg.Clients()
	}
	host := c.cfg.Host
	return HostInfoResult{
		Host: c.cfg.Info, Sessions: c.cfg.Host.OpenSessions(), Clients: clients, UptimeS: int64(c.cfg.Now().Sub(c.cfg.Info.Started).Seconds()),
		Store: c.cfg.Store, Backends: host.BackendNames(),
	}, nil
}

// models lists the models that can be called (models/list).
func (c *conn) models(_ context.Context, r request, p *ModelsListParams) {
	c.later(r.id, func(ctx context.Context) (any, error) { return c.modelList(ctx, p.Discover), nil })
}

func (c *conn) modelList(ctx context.Context, discover bool) ModelsListResult {
	host := c.cfg.Host
	list := ModelsListResult{Models: []Model{}, Default: host.DefaultModel()}
	if discover {
		for _, offer := range host.AllOffers(ctx) {
			list.Models = append(list.Models, modelOf(offer.Name, offer.Info))
		}
		return list
	}
	for _, name := range host.ModelNames() {
		info, _ := host.DescribeModel(name)
		list.Models = append(list.Models, modelOf(name, info))
	}
	return list
}

func modelOf(name string, info model.Info) Model {
	m := Model{
		Name: name, Display: info.Name, Provider: info.Provider, Window: info.ContextWindow, Output: info.MaxOutput, Vision: info.Images,
		Reasoning: len(info.Thinking) > 0, Thinking: append([]model.Thinking{}, info.Thinking...),
	}
	if info.Price != (model.Price{}) {
		m.Price = &info.Price
	}
	return m
}

// list pages the sessions (sessions/list).
func (c *conn) list(ctx context.Context, p *SessionsListParams) (SessionsListResult, error) {
	page, err := c.cfg.Host.List(ctx, engine.Query{
		Workspace: p.Workspace, Archived: p.Archived, Search: p.Search, Limit: p.Limit, Cursor: p.Cursor, Skip: p.Skip, Count: p.Count,
	})
	if err != nil {
		return SessionsListResult{}, err
	}
	result := SessionsListResult{Sessions: []Listed{}, Next: page.Next}
	if p.Count {
		result.Total = &page.Total
	}
	for _, summary := range page.Sessions {
		line := Listed{Summary: summary, Status: event.Idle}
		if s, err := c.cfg.Host.Session(summary.ID); err == nil {
			approvals, questions := s.Waiting()
			line.Open, line.Status, line.Waiting, line.Clients = !s.Viewed(), s.State().Status, len(approvals)+len(questions), c.cfg.Host.Holders(summary.ID)
		}
		line.Owner = c.ownerOf(ctx, line)
		result.Sessions = append(result.Sessions, line)
	}
	return result, nil
}

// ownerOf returns what has a session of a list; nil: nothing has, or the store does not answer.
func (c *conn) ownerOf(ctx context.Context, line Listed) *SessionOwner {
	var place Place
	switch {
	case line.Open && c.cfg.Hosts != nil:
		place = c.cfg.Hosts.Self()
	case line.Open:
	case c.cfg.Host.Holder(line.ID) != 0:
		return &SessionOwner{PID: c.cfg.Host.Holder(line.ID), Live: true}
	case c.cfg.Hosts != nil:
		place, _ = c.cfg.Hosts.Owner(ctx, line.ID)
	}
	if place.Owner == "" {
		return nil
	}
	return &SessionOwner{Host: place.host(), Name: place.Name, Live: place.Live}
}

// processOf returns a process that has a session as errors name it; "": it is not known.
func processOf(pid int) string {
	if pid == 0 {
		return ""
	}
	return fmt.Sprintf("pid %d", pid)
}
