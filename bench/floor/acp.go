package main

import (
	"encoding/json"
	"os"
	"strconv"
	"sync"
)

// This file makes the floor an agent of the Agent Client Protocol, whose sessions are numbers.

// A frame is a message of the protocol, in either direction.
type frame struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  *params         `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
}

type params struct {
	Session string    `json:"sessionId,omitempty"`
	Update  *update   `json:"update,omitempty"`
	Prompt  []content `json:"prompt,omitempty"`
}

type update struct {
	Kind    string  `json:"sessionUpdate"`
	Content content `json:"content"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// serveACP answers requests until the input ends.
func serveACP() {
	var turns sync.WaitGroup
	sessions := 0
	for in := json.NewDecoder(os.Stdin); ; {
		var f frame
		if err := in.Decode(&f); err != nil {
			break
		}
		switch f.Method {
		case "initialize":
			write(frame{ID: f.ID, Result: map[string]any{"protocolVersion": 1, "agentInfo": map[string]string{"name": "floor", "version": "1"}}})
		case "session/new":
			sessions++
			write(frame{ID: f.ID, Result: map[string]string{"sessionId": strconv.Itoa(sessions)}})
		case "session/prompt":
			turns.Go(func() { promptACP(f) })
		default:
			if f.ID != nil {
				write(frame{ID: f.ID, Result: struct{}{}})
			}
		}
	}
	turns.Wait()
}

// promptACP plays a turn.
func promptACP(f frame) {
	text := ""
	for _, c := range f.Params.Prompt {
		text += c.Text
	}
	turn(text, func(piece string) {
		write(frame{Method: "session/update", Params: &params{Session: f.Params.Session, Update: &update{"agent_message_chunk", content{"text", piece}}}})
	})
	write(frame{ID: f.ID, Result: map[string]string{"stopReason": "end_turn"}})
}

func write(f frame) {
	f.Version = "2.0"
	encode(f)
}
