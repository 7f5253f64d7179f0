package acp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/dialecttest"
)

// A frame is what these tests read of a line.
type frame struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params struct {
		SessionID string `json:"sessionId"`
		Update    update `json:"update"`
	} `json:"params"`
	Result struct {
		SessionID  string        `json:"sessionId"`
		Sessions   []SessionInfo `json:"sessions"`
		NextCursor string        `json:"nextCursor"`
		Status     string        `json:"status"`
		StopReason StopReason    `json:"stopReason"`
	} `json:"result"`
	Error *struct {
		Code int `json:"code"`
		Data struct {
			Reason string `json:"reason"`
		} `json:"data"`
	} `json:"error"`
}

// An update is what these tests read of an update.
type update struct {
	Kind      string         `json:"sessionUpdate"`
	MessageID string         `json:"messageId"`
	Call      string         `json:"toolCallId"`
	Content   jsontext.Value `json:"content"`
	Meta      jsontext.Value `json:"_meta"`
	whole     map[string]jsontext.Value
}

func readFrame(line []byte) (f frame) {
	_ = json.Unmarshal(line, &f, jsontext.AllowInvalidUTF8(true)) // what has another form is not looked at
	var raw struct {
		Params struct {
			Update map[string]jsontext.Value `json:"update"`
		} `json:"params"`
	}
	_ = json.Unmarshal(line, &raw, jsontext.AllowInvalidUTF8(true))
	f.Params.Update.whole = raw.Params.Update
	return f
}

// A clientSession is what a client was sent of a session: the texts of the messages of the model by kind and id, and the calls
// with what updates have changed.
type clientSession struct {
	texts map[string]string
	calls map[string]map[string]jsontext.Value
}

func newClientSession() *clientSession {
	return &clientSession{map[string]string{}, map[string]map[string]jsontext.Value{}}
}

// apply takes the next update.
func (s *clientSession) apply(u update) {
	switch u.Kind {
	case "agent_message_chunk", "agent_thought_chunk":
		var content struct {
			Text string `json:"text"`
		}
		_ = json.Unmarshal(u.Content, &content)
		s.texts[u.Kind+" "+u.MessageID] += content.Text
	case "tool_call", "tool_call_update":
		call := s.calls[u.Call]
		if call == nil {
			call = map[string]jsontext.Value{}
			s.calls[u.Call] = call
		}
		for name, value := range u.whole {
			if name != "sessionUpdate" && name != "_meta" {
				call[name] = value
			}
		}
		if u.Meta != nil && strings.Contains(string(u.Meta), `"parent"`) {
			delete(s.calls, u.Call) // a subagent's: it is in a journal of its own
		}
	}
}

// A recorder is what clients were sent live of the sessions of one home, by processes that came one after the other.
type recorder struct {
	mu       sync.Mutex
	sessions map[string]*clientSession
	loads    map[string]string // sessions by ids of requests whose replay is being sent
	deleted  map[string]bool
}

func (r *recorder) sent(line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch f := readFrame(line); f.Method {
	case "session/load":
		r.loads[string(f.ID)] = f.Params.SessionID
	case "session/delete":
		r.deleted[f.Params.SessionID] = true
	}
}

func (r *recorder) said(line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := readFrame(line)
	switch {
	case f.Method == "" && f.ID != nil:
		delete(r.loads, string(f.ID))
	case f.Method == "session/update" && !slices.Contains(slices.Collect(maps.Values(r.loads)), f.Params.SessionID):
		s := r.sessions[f.Params.SessionID]
		if s == nil {
			s = newClientSession()
			r.sessions[f.Params.SessionID] = s
		}
		s.apply(f.Params.Update)
	}
}

// answerID matches the ids of whole answers, and the number of the try of those that were given again.
var answerID = regexp.MustCompile(`^(agent_\w+_chunk) (m-\d+)(\.\d+)?$`)

// differences returns in what the replay of a session is not what was sent live.
func (s *clientSession) differences(replay *clientSession) (problems []string) {
	again := map[string]bool{} // answers that were given again: their last try is replayed
	for id := range s.texts {
		if m := answerID.FindStringSubmatch(id); m != nil && m[3] != "" {
			again[m[2]] = true
		}
	}
	for id, text := range s.texts {
		m := answerID.FindStringSubmatch(id)
		if m == nil || again[m[2]] {
			continue
		}
		if got, ok := replay.texts[id]; !ok || !strings.HasPrefix(got, text) {
			problems = append(problems, fmt.Sprintf("%s is %q, live %q", id, got, text))
		}
	}
	for id, call := range s.calls {
		got := replay.calls[id]
		switch status := string(call["status"]); {
		case got == nil:
			problems = append(problems, "no call "+id)
		case string(got["status"]) != `"completed"` && string(got["status"]) != `"failed"`:
			problems = append(problems, fmt.Sprintf("call %s is %s", id, got["status"]))
		case status != `"completed"` && status != `"failed"`: // the process has ended before
		default:
			for name, value := range call {
				if !bytes.Equal(value, got[name]) && !strings.Contains(string(value), `"terminal"`) {
					problems = append(problems, fmt.Sprintf("%s of call %s is %s, live %s", name, id, got[name], value))
				}
			}
		}
	}
	return problems
}

// replaying is serve that loads every session of its store afterwards, in a new process: the messages of the model and the
// calls are what the client was sent when they happened, each message in one chunk for each of its kinds, and each call
// in one frame.
func replaying(t *testing.T, serve dialecttest.Server) dialecttest.Server {
	var mu sync.Mutex
	homes := map[string]*recorder{}
	return func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
		mu.Lock()
		home := dialecttest.Getenv(env)("PARLEY_HOME")
		r := homes[home]
		if r == nil {
			r = &recorder{sessions: map[string]*clientSession{}, loads: map[string]string{}, deleted: map[string]bool{}}
			homes[home] = r
		}
		mu.Unlock()
		code := dialecttest.Tapped(serve, r.sent, r.said, func(string) {})(ctx, args, stdin, stdout, stderr, env)
		r.mu.Lock()
		clear(r.loads)
		r.mu.Unlock()
		if !slices.Contains(args, "--v2") { // its updates have other forms
			r.check(t, env)
		}
		return code
	}
}

// check loads what is in the store and compares it.
func (r *recorder) check(t *testing.T, env []string) {
	c := dialInProcess(t, env)
	defer c.close()
	for _, s := range c.list(`{}`) {
		live := r.sessions[s.SessionID]
		if live == nil || r.deleted[s.SessionID] {
			continue
		}
		replay, frames := newClientSession(), map[string]int{}
		answer := c.call("session/load", fmt.Sprintf(`{"sessionId":%q,"cwd":%q,"mcpServers":[]}`, s.SessionID, s.Cwd), func(f frame) {
			u := f.Params.Update
			replay.apply(u)
			if id := u.Call + u.Kind + " " + u.MessageID; u.Kind == "tool_call_update" {
				dialecttest.Report(t, env, []string{"a replay has an update of call " + u.Call})
			} else if u.Call != "" || answerID.MatchString(u.Kind+" "+u.MessageID) {
				frames[id]++
			}
		})
		if answer.Error != nil {
			dialecttest.Report(t, env, []string{fmt.Sprintf("load: %+v", answer.Error)})
			continue
		}
		problems := live.differences(replay)
		for id, n := range frames {
			if n > 1 {
				problems = append(problems, fmt.Sprintf("%s comes %d times", id, n))
			}
		}
		dialecttest.Report(t, env, problems)
	}
}
