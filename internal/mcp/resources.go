package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool"
)

// This file contains the tools that list and read the resources of servers. Models are offered them
// when a server of the session has resources.

// The names of the tools.
const (
	listResourcesTool = "list_mcp_resources"
	readResourceTool  = "read_mcp_resource"
)

// maxResources bounds the resources and the templates that are listed of one server.
const maxResources = 500

// resourceTools returns the tools for resources; none if no server has any.
func (s *source) resourceTools() []tool.Tool {
	var users []*user
	for _, u := range s.users {
		if u.peer.hasResources() {
			users = append(users, u)
		}
	}
	if len(users) == 0 {
		return nil
	}
	slices.SortFunc(users, func(a, b *user) int { return strings.Compare(a.name, b.name) })
	return []tool.Tool{resourceLister{users}, resourceReader{users}}
}

// hasResources reports whether the server has declared resources, now or when it last ran.
func (p *sharedServer) hasResources() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.features.resources
}

// resourceUsers are the servers of a session that have resources, sorted by name.
type resourceUsers []*user

func (r resourceUsers) names() string {
	var names []string
	for _, u := range r {
		names = append(names, plain(u.name))
	}
	return strings.Join(names, ", ")
}

// find returns the server of that name.
func (r resourceUsers) find(name string) (*user, error) {
	for _, u := range r {
		if u.name == name {
			return u, nil
		}
	}
	return nil, fmt.Errorf("no server %q has resources; those that have are: %s", plain(name), r.names())
}

// A resourceLister is the tool that lists resources.
type resourceLister struct{ users resourceUsers }

func (resourceLister) Name() string { return listResourcesTool }

func (r resourceLister) Description() string {
	return "Lists the resources of tool servers (MCP) and the templates of their addresses: documents, tables and other data that " + readResourceTool +
		" reads. Servers with resources: " + r.users.names() + "."
}

func (resourceLister) Schema() jsontext.Value {
	return jsontext.Value(`{"type":"object","properties":{"server":{"type":"string","description":"Name of the server; default: all"}},"additionalProperties":false}`)
}

func (r resourceLister) Prepare(_ *tool.Env, input jsontext.Value) (tool.Call, error) {
	var in struct {
		Server string `json:"server"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, err
	}
	users := r.users
	if in.Server != "" {
		u, err := r.users.find(in.Server)
		if err != nil {
			return nil, err
		}
		users = resourceUsers{u}
	}
	return listCall{users}, nil
}

type listCall struct{ users resourceUsers }

func (c listCall) Request() approval.Request {
	return approval.Request{Level: approval.Read, Summary: "list the resources of " + c.users.names()}
}

// Run lists what each server has. One that fails costs its own part only.
func (c listCall) Run(ctx context.Context, hooks tool.Hooks) tool.Result {
	var b strings.Builder
	failed := 0
	for _, u := range c.users {
		fmt.Fprintf(&b, "Server %s:\n", plain(u.name))
		text, err := u.listResources(ctx, hooks)
		if ctx.Err() != nil {
			return tool.Failed("[interrupted]")
		}
		if err != nil {
			failed++
			text = err.Error() + "\n"
		}
		b.WriteString(cmp.Or(text, "no resources\n"))
	}
	text := strings.TrimSuffix(b.String(), "\n")
	r := tool.Result{Text: clipMiddle(text, tool.MaxText), IsError: failed == len(c.users)}
	if len(text) > tool.MaxText {
		r.Full = []byte(clipMiddle(text, tool.MaxFull))
	}
	return r
}

func (u *user) listResources(ctx context.Context, hooks tool.Hooks) (string, error) {
	var b strings.Builder
	line := func(uri string, more ...string) {
		text := "- " + uri
		for _, m := range more {
			if m != "" {
				text += ", " + m
			}
		}
		b.WriteString(brief(plain(u.peer.hide.content(text)), maxMessage) + "\n")
	}
	err := u.ask(ctx, hooks, "list the resources", func(ctx context.Context, l *connection) error {
		b.Reset()
		n := 0
		for r, err := range l.session.Resources(ctx, nil) {
			if err != nil {
				return err
			}
			if n++; n > maxResources {
				b.WriteString("[more resources are not listed]\n")
				break
			}
			line(r.URI, cmp.Or(r.Title, r.Name), r.MIMEType, r.Description)
		}
		n = 0
		for t, err := range l.session.ResourceTemplates(ctx, nil) {
			if isRefusal(err) {
				break // it has none
			}
			if err != nil {
				return err
			}
			if n++; n > maxResources {
				b.WriteString("[more templates are not listed]\n")
				break
			}
			line(t.URITemplate, "template", cmp.Or(t.Title, t.Name), t.MIMEType, t.Description)
		}
		return nil
	})
	return b.String(), err
}

// A resourceReader is the tool that reads a resource.
type resourceReader struct{ users resourceUsers }

func (resourceReader) Name() string { return readResourceTool }

func (r resourceReader) Description() string {
	return "Reads a resource of a tool server (MCP) by its address, as " + listResourcesTool + " or a result names it. Servers with resources: " + r.users.names() + "."
}

func (resourceReader) Schema() jsontext.Value {
	return jsontext.Value(`{"type":"object","properties":{"server":{"type":"string","description":"Name of the server"},"uri":{"type":"string","minLength":1,"description":"Address of the resource; the variables of a template are filled in"}},"required":["server","uri"],"additionalProperties":false}`)
}

func (r resourceReader) Prepare(_ *tool.Env, input jsontext.Value) (tool.Call, error) {
	var in struct {
		Server string `json:"server"`
		URI    string `json:"uri"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, err
	}
	u, err := r.users.find(in.Server)
	if err != nil {
		return nil, err
	}
	return readCall{u, in.URI}, nil
}

type readCall struct {
	user *user
	uri  string
}

func (c readCall) Request() approval.Request {
	return approval.Request{Level: approval.Read, Server: c.user.name, Summary: plain(fmt.Sprintf("mcp %s read resource %s", c.user.name, c.uri))}
}

// Run reads the resource. What models see of it is what they see of a result of a tool.
func (c readCall) Run(ctx context.Context, hooks tool.Hooks) tool.Result {
	var read *sdk.ReadResourceResult
	err := c.user.ask(ctx, hooks, "read "+c.uri, func(ctx context.Context, l *connection) (err error) {
		read, err = l.session.ReadResource(ctx, &sdk.ReadResourceParams{URI: c.uri})
		return err
	})
	switch {
	case ctx.Err() != nil:
		return tool.Failed("[interrupted]")
	case err != nil:
		return tool.Failed(err.Error())
	}
	result := &sdk.CallToolResult{}
	for _, part := range read.Contents {
		if part != nil {
			result.Content = append(result.Content, &sdk.EmbeddedResource{Resource: part})
		}
	}
	if len(result.Content) == 0 {
		result.Content = []sdk.Content{&sdk.TextContent{Text: "[the resource has no content]"}}
	}
	return resultOf(result, c.user.peer.hide, c.user.name)
}

// ask makes a request of the server, starting it if need be, within the limit of a call. What it
// asks the user meanwhile goes to hooks. An error is a sentence for models.
func (u *user) ask(ctx context.Context, hooks tool.Hooks, what string, request func(context.Context, *connection) error) error {
	if !u.peer.beginCall(u) {
		return fmt.Errorf("the tool server %s cannot be used: the session is over", u.name)
	}
	defer u.peer.endCall()
	l, err := u.peer.ensure(u.startLimit, false).wait(ctx)
	if err != nil {
		return fmt.Errorf("the tool server %s is not available: %w", u.name, err)
	}
	s := newScope(ctx, u, hooks)
	defer s.close()
	ctx, cancel := context.WithTimeoutCause(withScope(ctx, s), u.callLimit, silence(u.callLimit))
	defer cancel()
	defer context.AfterFunc(l.ctx, cancel)()
	defer l.enter(s)()
	err = request(ctx, l)
	switch {
	case err == nil:
		u.peer.worked()
		return nil
	case isSilence(context.Cause(ctx)):
		return fmt.Errorf("the tool server %s did not %s within %v", u.name, what, u.callLimit)
	case l.ctx.Err() != nil:
		return fmt.Errorf("the tool server %s ended while it was asked to %s", u.name, what)
	}
	return fmt.Errorf("the tool server %s could not %s: %s", u.name, plain(what), u.peer.hide.error(err))
}

func isSilence(err error) bool {
	_, ok := errors.AsType[silence](err)
	return ok
}

// features is what a server declares besides tools.
type features struct {
	resources bool
	prompts   bool
}

// featuresOf returns what the server at the other end of l has.
func featuresOf(l *connection) features {
	i := l.session.InitializeResult()
	if i == nil || i.Capabilities == nil {
		return features{}
	}
	return features{resources: i.Capabilities.Resources != nil, prompts: i.Capabilities.Prompts != nil}
}
