package client

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"parley.dev/parley/record"
)

// A Session is one of the host's. Its methods are safe for concurrent use.
type Session struct {
	c  *Client
	id string
}

// ID returns the name of the session.
func (s *Session) ID() string { return s.id }

// Session returns the session of that id. Nothing is sent: if there is no such session, the first call of a method reports it.
func (c *Client) Session(id string) *Session { return &Session{c, id} }

// NewSession says what to create.
type NewSession struct {
	ID           string         // "": one is made up
	Workspace    string         // folder, absolute, or relative to that of a process that was started
	Settings     map[string]any // as in docs/native.md, such as {"mode": "workspace-write", "model": "…"}
	Instructions string         // for the model, besides the system prompt
}

// Create makes a session.
func (c *Client) Create(ctx context.Context, n NewSession) (*Session, error) {
	made := n.ID == ""
	if made {
		n.ID = time.Now().UTC().Format("20060102-150405-") + random(3)
	}
	params := map[string]any{"workspace": n.Workspace, "id": n.ID}
	if n.Settings != nil {
		params["settings"] = n.Settings
	}
	if n.Instructions != "" {
		params["instructions"] = n.Instructions
	}
	err := c.Call(ctx, "session/create", params, nil)
	if made && IsKind(err, "exists") {
		err = nil // it was made by the first of two requests
	}
	if err != nil {
		return nil, err
	}
	return c.Session(n.ID), nil
}

// Open opens a session, or joins it if it is open.
func (c *Client) Open(ctx context.Context, id string) (*Session, error) {
	s := c.Session(id)
	return s, s.call(ctx, "session/open", map[string]any{}, nil)
}

// A Query says which sessions to list. The zero Query is the first page of all.
type Query struct {
	Workspace string `json:"workspace,omitzero"`
	Archived  bool   `json:"archived,omitzero"`
	Search    string `json:"search,omitzero"`
	Limit     int    `json:"limit,omitzero"`
	Cursor    string `json:"cursor,omitzero"` // from the page before
}

// List returns a page of sessions, those first that were used last, and the cursor of the next page; "": there is none.
func (c *Client) List(ctx context.Context, q Query) (page []record.Listed, next string, err error) {
	var result struct {
		Sessions []record.Listed `json:"sessions"`
		Next     string          `json:"next"`
	}
	err = c.Call(ctx, "sessions/list", q, &result)
	return result.Sessions, result.Next, err
}

// call sends a request about the session.
func (s *Session) call(ctx context.Context, method string, params map[string]any, result any) error {
	params["session"] = s.id
	return s.c.Call(ctx, method, params, result)
}

// State returns what the session is now.
func (s *Session) State(ctx context.Context) (record.State, error) {
	var state record.State
	err := s.call(ctx, "session/state", map[string]any{}, &state)
	return state, err
}

// A Prompt is what the user says. The zero Prompt of a text is enough: Prompt{Text: "…"}.
type Prompt struct {
	ID     string         // repeats with the same ID do nothing; "": one is made up
	Text   string         // a block before Blocks; "": none
	Blocks []record.Block // in the form of docs/native.md
	IfBusy string         // of a prompt, while a turn runs: refuse, steer or queue; "": refuse
}

func (p Prompt) params() map[string]any {
	if p.ID == "" {
		p.ID = random(8)
	}
	if p.Text != "" {
		p.Blocks = append([]record.Block{{Kind: record.BlockText, Text: p.Text}}, p.Blocks...)
	}
	params := map[string]any{"id": p.ID, "blocks": p.Blocks}
	if p.IfBusy != "" {
		params["if_busy"] = p.IfBusy
	}
	return params
}

// Prompt begins a turn and returns its id; "": the prompt became part of the running turn, or waits for its end.
func (s *Session) Prompt(ctx context.Context, p Prompt) (turn string, err error) {
	var result struct {
		Turn string `json:"turn"`
	}
	err = s.call(ctx, "turn/prompt", p.params(), &result)
	return result.Turn, err
}

// Steer adds to the running turn. An error of kind idle: none runs.
func (s *Session) Steer(ctx context.Context, p Prompt) error {
	return s.call(ctx, "turn/steer", p.params(), nil)
}

// FollowUp is for after the running turn. An error of kind idle: none runs.
func (s *Session) FollowUp(ctx context.Context, p Prompt) error {
	return s.call(ctx, "turn/follow_up", p.params(), nil)
}

// Interrupt ends a turn, whichever runs if turn is "". False: it did not run.
func (s *Session) Interrupt(ctx context.Context, turn string) (interrupted bool, err error) {
	params := map[string]any{}
	if turn != "" {
		params["turn"] = turn
	}
	var result struct {
		Interrupted bool `json:"interrupted"`
	}
	err = s.call(ctx, "turn/interrupt", params, &result)
	return result.Interrupted, err
}

// Approve allows the call of an [record.ApprovalAsked]. An error of kind answered: another client was first.
func (s *Session) Approve(ctx context.Context, approval string) error {
	return s.decide(ctx, map[string]any{"approval": approval, "allow": true})
}

// ApproveAll is Approve, and allows the same for as long as the session is open.
func (s *Session) ApproveAll(ctx context.Context, approval string) error {
	return s.decide(ctx, map[string]any{"approval": approval, "allow": true, "remember": "session"})
}

// Deny denies the call of an [record.ApprovalAsked]; reason is for the model, and may be "".
func (s *Session) Deny(ctx context.Context, approval, reason string) error {
	params := map[string]any{"approval": approval, "allow": false}
	if reason != "" {
		params["reason"] = reason
	}
	return s.decide(ctx, params)
}

func (s *Session) decide(ctx context.Context, params map[string]any) error {
	return s.call(ctx, "approval/answer", params, nil)
}

// Answer answers a [record.QuestionAsked], with the chosen labels or a free text for each question; nil declines.
func (s *Session) Answer(ctx context.Context, question string, answers [][]string) error {
	return s.call(ctx, "question/answer", map[string]any{"question": question, "answers": answers}, nil)
}

// Change changes settings by a merge patch (RFC 7396), such as {"model": "…"}. Expected, if not 0, is Changed of [record.State] as last
// seen: an error of kind stale says that another client was first.
func (s *Session) Change(ctx context.Context, patch map[string]any, expected uint64) error {
	params := map[string]any{"settings": patch}
	if expected != 0 {
		params["expected"] = expected
	}
	return s.call(ctx, "session/change", params, nil)
}

// Records returns at most limit records from a number on, and whether there are more. kinds, if any, are the only ones.
func (s *Session) Records(ctx context.Context, from uint64, limit int, kinds ...string) (page []record.Record, more bool, err error) {
	params := map[string]any{"from": from, "limit": limit}
	if len(kinds) > 0 {
		params["kinds"] = kinds
	}
	var result struct {
		Records []record.Record `json:"records"`
		More    bool            `json:"more"`
	}
	err = s.call(ctx, "session/records", params, &result)
	return result.Records, result.More, err
}

// Blob returns large output or an image by the address that a record has.
func (s *Session) Blob(ctx context.Context, address string) ([]byte, error) {
	var all []byte
	for {
		var piece struct {
			Data []byte `json:"data"`
			Size int    `json:"size"`
		}
		err := s.call(ctx, "session/blob", map[string]any{"address": address, "offset": len(all)}, &piece)
		if err != nil {
			return nil, err
		}
		all = append(all, piece.Data...)
		switch {
		case len(all) >= piece.Size:
			return all, nil
		case len(piece.Data) == 0:
			return nil, errors.New("the blob is shorter than it is said to be")
		}
	}
}

// Close leaves the session. The host decides whether a session without clients goes on.
func (s *Session) Close(ctx context.Context) error {
	return s.call(ctx, "session/close", map[string]any{}, nil)
}

// Models returns the names of the models that can be called, as the setting "model" takes them.
func (c *Client) Models(ctx context.Context) (names []string, err error) {
	var result struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	err = c.Call(ctx, "models/list", map[string]any{}, &result)
	for _, m := range result.Models {
		names = append(names, m.Name)
	}
	return names, err
}

// random returns n random bytes as hexadecimal digits.
func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails, says its documentation
	return hex.EncodeToString(b)
}
