package app

import (
	"context"
	"sync/atomic"

	"parley.dev/parley/internal/extension"
	"parley.dev/parley/internal/tool"
)

// SetExtensions gives the tools of extensions to the sessions that are opened from now on.
func (a *App) SetExtensions(host *extension.Host) { a.extensions.Store(host) }

// A withExtensions is the source of a session's tool servers, which may be none, and the
// tools of extensions besides.
type withExtensions struct {
	servers    tool.Source // nil: none
	extensions *atomic.Pointer[extension.Host]
}

// Tools asks the servers, and takes what extensions have registered by now.
func (w withExtensions) Tools(ctx context.Context) []tool.Tool {
	tools := w.extensions.Load().Tools()
	if w.servers != nil {
		tools = append(tools, w.servers.Tools(ctx)...)
	}
	return tools
}

// Instructions makes w a tool.Guided.
func (w withExtensions) Instructions() string {
	if g, ok := w.servers.(tool.Guided); ok {
		return g.Instructions()
	}
	return ""
}

// Prompts makes w a tool.Prompter.
func (w withExtensions) Prompts() []tool.PromptInfo {
	if p, ok := w.servers.(tool.Prompter); ok {
		return p.Prompts()
	}
	return nil
}

// Prompt makes w a tool.Prompter.
func (w withExtensions) Prompt(ctx context.Context, name, args string) (text string, known bool, err error) {
	if p, ok := w.servers.(tool.Prompter); ok {
		return p.Prompt(ctx, name, args)
	}
	return "", false, nil
}

// End makes w a tool.Ender.
func (w withExtensions) End() {
	if e, ok := w.servers.(tool.Ender); ok {
		e.End()
	} else {
		w.Close()
	}
}

// Servers makes w a tool.Listed.
func (w withExtensions) Servers() []tool.ServerState {
	if l, ok := w.servers.(tool.Listed); ok {
		return l.Servers()
	}
	return nil
}

// Close leaves the servers.
func (w withExtensions) Close() {
	if w.servers != nil {
		w.servers.Close()
	}
}
