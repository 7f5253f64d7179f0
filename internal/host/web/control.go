package web

import (
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/text"
)

// This file is what a relay and a host say to each other about their connection. Text messages are lines of the dialect.

// Subprotocol is the name of the protocol in handshakes.
const Subprotocol = "parley.v1"

// A control is a binary message of a client, with one of the members.
type control struct {
	End  bool `json:"end,omitzero"`  // no line follows: WebSocket cannot close one direction
	Stop int  `json:"stop,omitzero"` // number of the signal that asks for the end of the connection
}

const (
	controlLimit = 256 // bytes
	maxSignal    = 31
)

var errControl = errors.New(`a binary message must be {"end":true} or {"stop":SIGNAL}; lines are text messages`)

// readControl reads a control.
func readControl(message io.Reader) (control, error) {
	data, err := io.ReadAll(io.LimitReader(message, controlLimit+1))
	if err != nil {
		return control{}, err
	}
	var c control
	if len(data) > controlLimit || json.Unmarshal(data, &c, json.RejectUnknownMembers(true)) != nil ||
		c.Stop < 0 || c.Stop > maxSignal || c.End == (c.Stop != 0) {
		return control{}, errControl
	}
	return c, nil
}

// bytes returns the message.
func (c control) bytes() []byte {
	data, _ := json.Marshal(c) // of a bool and a number: cannot fail
	return data
}

// An exit is the reason of the close frame of a host: what the client's process ends with.
type exit struct {
	Exit  int    `json:"exit"`           // code
	Error string `json:"error,omitzero"` // for stderr
}

// exitReason returns the reason of a close frame. An error is shortened until it fits.
func exitReason(code int, err error) string {
	e := exit{Exit: code}
	if err != nil {
		e.Error = text.Printable(err.Error())
	}
	for {
		data, _ := json.Marshal(e, jsontext.AllowInvalidUTF8(true)) // of a number and a text: cannot fail
		over := len(data) - maxReason
		if over <= 0 {
			return string(data)
		}
		e.Error = text.Clip(e.Error, max(len(e.Error)-over-len(ellipsis), 0), ellipsis)
	}
}
