//go:build linux

package faults

import (
	"strings"

	clients "parley.dev/parley/e2e/client"
)

var scaifluxFace = face{
	name: "scaiflux", args: []string{"scaiflux", "serve"}, again: []string{"scaiflux", "serve", "--resume", "latest"},
	dial: func() client { return &scaifluxClient{speakerOf("scaiflux", 0)} }, shell: "bash",
	greets: true, asks: true, finishes: true, retries: 8,
	exits: map[string][]int{"term": {0}, "int": {0}, "hup": {0}, "eof": {0}, "close": {0}, "twice": {143}, "gone": {1}, "unread": {1}, "unread TERM": {1}, "unread INT": {1}, "rival": {1}},
}

type scaifluxClient struct{ speaker }

func (*scaifluxClient) knock() string { return `{"type":"slash","command":"version"}` + "\n" }

func (*scaifluxClient) interrupt() string { return `{"type":"interrupt"}` + "\n" }

func (*scaifluxClient) compact() string { return `{"type":"slash","command":"compact"}` + "\n" }

func (*scaifluxClient) read(line []byte) []sign {
	m, err := clients.ReadScaiFlux(string(line))
	if err != nil {
		return nil
	}
	switch m.Type {
	case "ready":
		return []sign{{kind: ready}, {kind: opened, id: m.SessionID}}
	case "turn_started":
		return []sign{{kind: accepted, id: m.TurnID}, {kind: began}}
	case "text_delta":
		return []sign{{kind: text, text: m.Delta}}
	case "tool_start":
		return []sign{{kind: called, id: m.ToolID}}
	case "permission_request":
		return []sign{{kind: asked, id: m.RequestID}}
	case "tool_result":
		return []sign{{kind: returned, id: m.ToolID}}
	case "turn_complete":
		how := map[string]outcome{"end_turn": completed, "interrupted": interrupted}[m.StopReason]
		if how == "" {
			how = failed
		}
		return []sign{{kind: ended, how: how}}
	case "slash_result":
		if m.Command == "compact" {
			return []sign{{kind: compacted}}
		}
	case "error":
		// The notice that the journal cannot be written has the same code as the refusal of a prompt, and the text of the disk's error.
		if m.TurnID == "" && (m.Code != "session_write_failed" || strings.Contains(m.Message, "cannot be saved")) {
			return []sign{{kind: refused}}
		}
	}
	return nil
}
