package repl

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/dialect/scaiflux"
)

// A client is the controller's end of a connection.
type client struct {
	to     io.Writer
	events chan any // pointers to the events of the protocol; closed at the end of the server's output
	err    error    // why events was closed; set before that
	done   chan struct{}
}

// connect begins to read events. The caller ends it by closing done.
func connect(to io.Writer, from io.Reader) *client {
	c := &client{to: to, events: make(chan any), done: make(chan struct{})}
	go c.read(bufio.NewReader(from))
	return c
}

var errServerEnded = errors.New("the server has ended")

func (c *client) read(from *bufio.Reader) {
	defer close(c.events)
	for {
		line, err := from.ReadBytes('\n')
		if err != nil {
			if c.err = errServerEnded; !errors.Is(err, io.EOF) {
				c.err = fmt.Errorf("read from the server: %w", err)
			}
			return
		}
		e, err := decode(line)
		if err != nil {
			c.err = err
			return
		}
		select {
		case c.events <- e:
		case <-c.done:
			c.err = errServerEnded
			return
		}
	}
}

// decode reads a line of the server.
func decode(line []byte) (any, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fmt.Errorf("the server sent no event: %w", err)
	}
	events := map[string]any{
		"ready": &scaiflux.Ready{}, "turn_started": &scaiflux.TurnStarted{}, "text_delta": &scaiflux.TextDelta{},
		"tool_start": &scaiflux.ToolStart{}, "tool_result": &scaiflux.ToolResult{}, "permission_request": &scaiflux.PermissionRequest{},
		"turn_complete": &scaiflux.TurnComplete{}, "slash_result": &scaiflux.SlashResult{}, "state_changed": &scaiflux.StateChanged{},
		"error": &scaiflux.Error{},
	}
	e, ok := events[head.Type]
	if !ok {
		return nil, fmt.Errorf("the server sent an unknown event %q", head.Type)
	}
	if err := json.Unmarshal(line, e); err != nil {
		return nil, fmt.Errorf("the server sent a broken %s: %w", head.Type, err)
	}
	return e, nil
}

// send sends a request.
func (c *client) send(request any) error {
	line, err := json.Marshal(request)
	if err == nil {
		_, err = c.to.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write to the server: %w", err)
	}
	return nil
}
