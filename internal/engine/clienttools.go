package engine

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/tool"
)

type (
	// ClientTool is a tool that the client of a session runs.
	ClientTool = tool.ClientTool
	// ClientCall is a call of a ClientTool.
	ClientCall = tool.ClientCall
	// ClientResult is the result of a ClientCall.
	ClientResult = tool.ClientResult
)

// clientToolName and maxClientToolName are what every provider takes as the name of a tool.
var clientToolName = lazy.Regexp{Expr: `^[A-Za-z0-9_-]+$`}

const maxClientToolName = 64

// UseTools replaces the tools that clients of the session run, from the next step on; calls that
// run are not affected. Subagents do not have them. The error reports which tool cannot be
// offered; nothing has changed then.
func (c *Client) UseTools(tools []*ClientTool) error {
	bound, err := bindClientTools(tools)
	if err != nil {
		return err
	}
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != "" {
		return ErrClosed
	}
	used := map[string]bool{}
	for _, b := range s.tools.bound {
		used[b.Name] = true
	}
	for _, b := range s.tools.remote {
		used[b.Name] = true
	}
	for _, b := range bound {
		if used[b.Name] {
			return errUsedName(b.Name)
		}
	}
	s.tools.client = bound
	return nil
}

// CheckClientTools returns the error that UseTools returns for tools that no session can offer.
func CheckClientTools(tools []*ClientTool) error {
	_, err := bindClientTools(tools)
	return err
}

// bindClientTools returns tools as sessions have them. The error reports which one cannot be offered.
func bindClientTools(tools []*ClientTool) ([]*boundTool, error) {
	bound, used := make([]*boundTool, len(tools)), map[string]bool{}
	for i, t := range tools {
		b := bind(Binding{Name: t.ToolName, Tool: t.ToolName}, t)
		if err := checkClientTool(b); err != nil {
			return nil, fmt.Errorf("tool %q: %w", t.ToolName, err)
		}
		if used[b.Name] {
			return nil, errUsedName(b.Name)
		}
		bound[i], used[b.Name] = b, true
	}
	return bound, nil
}

// errUsedName returns the error of a tool with the name of another one.
func errUsedName(name string) error { return fmt.Errorf("tool %q: another tool has this name", name) }

// checkClientTool checks what a client says of a tool.
func checkClientTool(b *boundTool) error {
	if len(b.Name) > maxClientToolName || !clientToolName.Get().MatchString(b.Name) {
		return errors.New("the name may have letters, digits, _ and -, at most 64")
	}
	if b.Schema.Kind() != jsontext.KindBeginObject {
		return errors.New("the schema of the input is not a JSON object")
	}
	if _, err := b.schema(); err != nil {
		return fmt.Errorf("the schema of the input: %w", err)
	}
	return nil
}
