package tool

import (
	"context"
	"time"

	"parley.dev/parley/internal/event"
)

// A Server is a tool server (MCP) that a session uses: a program that is started, or an
// address. Its values may hold secrets: they are never stored, logged or shown.
type Server struct {
	Name string

	Command string            // a program, found on PATH; "": URL says where the server is
	Args    []string          //
	Env     map[string]string // added to the environment of tools
	Dir     string            // where it runs, absolute; "": the session's workspace

	URL     string            // of a streamable HTTP endpoint
	Headers map[string]string //
	SSE     bool              // the URL is that of the older transport, with events and messages at two addresses
	OAuth   OAuthClient       // for a sign-in to it
	Login   string            // what the user names it by to sign in; "": its URL

	Tools         []string // patterns (path.Match) of the tools that are offered; empty: all
	DisabledTools []string // patterns of those that are not

	Secrets  []string // values in Args, Env, URL and Headers that are hidden in what the server sends
	Sampling Sampling // whether it may ask the model
	Trusted  bool     // its tools may run without an approval, although the sandbox does not confine them

	Problem string // why it cannot be used; "": it can

	StartLimit time.Duration // until its tools are known; 0: the default
	CallLimit  time.Duration // of one call without a sign of progress; 0: the default
}

// An OAuthClient is this program as the authorization server of a tool server knows it.
type OAuthClient struct {
	ClientID     string // "": it is registered at the sign-in
	ClientSecret string
}

// Sampling is whether a server may ask the model of the session.
type Sampling string

// The ways. Without a user SamplingAsk is SamplingOff.
const (
	SamplingAsk   Sampling = "" // the user is asked each time
	SamplingAllow Sampling = "allow"
	SamplingOff   Sampling = "off"
)

// A Source offers the tools of a session's servers. It is safe for use by several goroutines.
type Source interface {
	// Tools is what is offered now, sorted by name, and the tools for resources after it. Servers that do not run are started, side
	// by side; it returns when each is ready or has failed, or when ctx ends. A server that
	// failed offers nothing, and is tried again later.
	Tools(ctx context.Context) []Tool
	// Close ends the use by the session. What runs is left to others that use it.
	Close()
}

// An Ender is a Source that can end servers with the session.
type Ender interface {
	Source
	// End is Close for a session whose folder is removed: programs that run in it and that no
	// other session uses are ended now.
	End()
}

// A Guided is a Source with a section for the system prompt: how its servers want to be used,
// and which cannot be used. It is "" or changes only when a server starts or fails.
type Guided interface {
	Source
	Instructions() string
}

// A Prompter is a Source whose servers have prompts for users.
type Prompter interface {
	Source
	// Prompts returns the prompts of the servers that run, sorted by name.
	Prompts() []PromptInfo
	// Prompt returns the text of the prompt of that name for models; known is false if there is none.
	// Args are words, or name=value.
	Prompt(ctx context.Context, name, args string) (text string, known bool, err error)
}

// A PromptInfo is a prompt that a user may choose.
type PromptInfo struct {
	Name        string // mcp__SERVER__PROMPT
	Description string
	Arguments   []PromptArgument
}

// A PromptArgument is an argument of a prompt.
type PromptArgument struct {
	Name     string
	Required bool
}

// A Listed is a Source that lists its servers, sorted by name. It starts none.
type Listed interface {
	Source
	Servers() []ServerState
}

// A ServerState is what a server of a session does now.
type ServerState struct {
	Name   string
	Status event.ServerStatus // "": it was not started
	Error  string             // of event.ServerFailed
	Tools  []string           // names for models, sorted
}

// A Remote is a Tool that a server has.
type Remote interface {
	Tool
	// Origin is the server's name and the server's own name of the tool.
	Origin() (server, name string)
}

// A Deferrable is a Tool whose definition need not be sent before a model has searched for it.
type Deferrable interface {
	Tool
	Deferrable()
}

// A Checker is a Tool whose calls check their input: one that does not fit the schema is
// passed on, too.
type Checker interface {
	Tool
	ChecksInput()
}

// Connect makes the Source of a session in dir; nil: there are no servers. Status is called
// when the state of one changes: from any goroutine, never within Connect, and until Source.Close returns.
type Connect func(servers []Server, dir string, status func(event.ServerChanged)) Source
