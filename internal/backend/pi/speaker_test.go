package pi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/backendtest"
)

// TestDriver: the driver passes the suite of all drivers.
func TestDriver(t *testing.T) {
	folder := t.TempDir()
	backendtest.Run(t, backendtest.Subject{Reasons: true, New: func(o backendtest.Options) backend.Backend {
		return New(Options{Name: backendtest.Name, Program: o.Program, Folder: folder, StartLimit: o.StartLimit, Silence: o.Silence})
	}})
}

// A speaker is pi in the suite of all drivers.
type speaker struct {
	*backendtest.Player
	store     *player // of its sessions
	forgotten bool    // it does not have the session that it was started with
	working   bool
	calls     map[string]object
	texts     map[string]string // output of calls
}

func newSpeaker(p *backendtest.Player) *speaker {
	home, _ := os.UserHomeDir()
	s := &speaker{Player: p, store: &player{dir: home}, calls: map[string]object{}, texts: map[string]string{}}
	for i, arg := range os.Args {
		if arg == "--session" {
			path := os.Args[i+1]
			s.forgotten = !p.Has(strings.TrimSuffix(filepath.Base(path), ".jsonl"))
			s.store.open(path)
		}
	}
	if s.store.file == "" {
		dir, _ := os.Getwd()
		s.store.entries = []object{{"type": "session", "id": "s", "cwd": dir}}
		s.rename()
	}
	s.write(object{"type": "extension_ui_request", "id": "g", "method": "setStatus", "statusKey": "parley:gate", "statusText": "{}"})
	return s
}

// rename gives the session another file.
func (s *speaker) rename() {
	s.store.file = filepath.Join(s.store.dir, s.NewSession()+".jsonl")
	s.store.store()
}

func (s *speaker) write(o object) {
	line, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	s.Write(string(line))
}

func (s *speaker) read() (m object, ok bool) {
	line, ok := s.Read()
	if ok {
		if err := json.Unmarshal(line, &m); err != nil {
			panic(err)
		}
	}
	return m, ok
}

func (s *speaker) respond(m object, data any, failure string) {
	r := object{"type": "response", "id": m["id"], "success": failure == "", "data": data}
	if failure != "" {
		r["error"] = failure
	}
	if m["id"] != nil {
		s.write(r)
	}
}

func modelObject(id string) object {
	return object{"id": id, "name": strings.ToUpper(id), "reasoning": true, "input": []string{"text", "image"}, "thinkingLevelMap": object{"off": nil, "minimal": nil, "medium": nil}}
}

// take answers a command that is no prompt.
func (s *speaker) take(m object) {
	switch m["type"] {
	case "get_state":
		messages := len(s.store.entries) - 1
		if s.forgotten {
			messages = 0
		}
		s.respond(m, object{
			"model": modelObject(s.Settings.Model), "thinkingLevel": s.Settings.Thinking, "isStreaming": s.working,
			"sessionFile": s.store.file, "messageCount": messages,
		}, "")
	case "get_available_models":
		var all []object
		for _, id := range backendtest.Models {
			all = append(all, modelObject(id))
		}
		s.respond(m, object{"models": all}, "")
	case "set_model":
		id, _ := m["modelId"].(string)
		for _, known := range backendtest.Models {
			if known == id {
				s.Settings.Model = id
				s.respond(m, modelObject(id), "")
				return
			}
		}
		s.respond(m, nil, "Model not found: "+id)
	case "set_thinking_level":
		s.Settings.Thinking, _ = m["level"].(string)
		s.respond(m, nil, "")
	case "compact":
		s.respond(m, object{"summary": backendtest.Summary}, "")
	case "clone", "fork":
		count := len(s.store.entries)
		for i, e := range s.store.entries {
			if m["type"] == "fork" && e["id"] == m["entryId"] {
				count = i
			}
		}
		s.store.fork(count)
		s.rename()
		s.respond(m, object{"cancelled": false}, "")
	case "switch_session":
		s.store.open(m["sessionPath"].(string))
		s.respond(m, object{"cancelled": false}, "")
	default:
		s.respond(m, nil, "")
	}
}

// Next implements backendtest.Speaker.
func (s *speaker) Next() bool {
	for {
		m, ok := s.read()
		if !ok {
			return false
		}
		if m["type"] != "prompt" {
			s.take(m)
			continue
		}
		s.working = true
		s.respond(m, nil, "")
		s.store.add(object{"type": "custom", "customType": promptEntry})
		s.store.add(object{"type": "message", "message": object{"role": "user", "content": m["message"]}})
		s.write(object{"type": "agent_start"})
		return true
	}
}

// await returns the next command of a type.
func (s *speaker) await(kinds ...string) object {
	for {
		m, ok := s.read()
		if !ok {
			os.Exit(0)
		}
		for _, kind := range kinds {
			if m["type"] == kind {
				return m
			}
		}
		s.take(m)
	}
}

// Say implements backendtest.Speaker.
func (s *speaker) Say(text string) { s.grow("text_delta", text) }

// Think implements backendtest.Speaker.
func (s *speaker) Think(text string) { s.grow("thinking_delta", text) }

func (s *speaker) grow(kind, text string) {
	s.write(object{"type": "message_update", "assistantMessageEvent": object{"type": kind, "delta": text}})
}

// Call implements backendtest.Speaker.
func (s *speaker) Call(c backendtest.Call) {
	var input object
	if err := json.Unmarshal(c.Input, &input); err != nil {
		panic(err)
	}
	name := map[string]string{"execute": "bash", "edit": "edit", "read": "read"}[c.Kind]
	if name == "edit" {
		input["edits"] = []object{{"oldText": "a", "newText": "b"}}
	}
	s.calls[c.ID] = object{"id": c.ID, "tool": name, "input": input}
	s.write(object{"type": "tool_execution_start", "toolCallId": c.ID, "toolName": name, "args": input})
}

// Ask implements backendtest.Speaker.
func (s *speaker) Ask(call string) backendtest.Answer {
	request, _ := json.Marshal(s.calls[call])
	s.write(object{"type": "extension_ui_request", "id": "ask-" + call, "method": "input", "title": gateTitle, "placeholder": string(request)})
	m := s.await("extension_ui_response", "abort")
	value, _ := m["value"].(string)
	reason, denied := strings.CutPrefix(value, "deny ")
	return backendtest.Answer{Allow: value == "allow", Cancel: value == "", Reason: map[bool]string{true: reason}[denied]}
}

// Output implements backendtest.Speaker.
func (s *speaker) Output(call, text string) {
	s.texts[call] += text
	s.write(object{"type": "tool_execution_update", "toolCallId": call, "partialResult": contentOf(s.texts[call], nil)})
}

// End implements backendtest.Speaker.
func (s *speaker) End(call, text string, succeeded bool) {
	s.write(object{"type": "tool_execution_end", "toolCallId": call, "result": contentOf(text, nil), "isError": !succeeded})
}

// Compact implements backendtest.Speaker.
func (s *speaker) Compact(summary string) {
	s.write(object{"type": "compaction_start", "reason": "threshold"})
	s.write(object{"type": "compaction_end", "reason": "threshold", "result": object{"summary": summary}})
}

// Steer implements backendtest.Speaker.
func (s *speaker) Steer() string {
	m := s.await("prompt", "steer")
	s.respond(m, nil, "")
	return m["message"].(string)
}

// Hang implements backendtest.Speaker.
func (s *speaker) Hang() { s.await("abort") }

// Stop implements backendtest.Speaker.
func (s *speaker) Stop(reason string) {
	stop := map[string]string{backendtest.StopEnd: "stop", backendtest.StopTokens: "length", backendtest.StopInterrupted: "aborted", backendtest.StopFailed: "error"}[reason]
	m := object{"role": "assistant", "stopReason": stop, "usage": object{"input": 100, "output": 20}}
	if !s.working {
		m["usage"] = object{}
	}
	s.working = false
	s.write(object{"type": "message_end", "message": m})
	s.store.add(object{"type": "message", "message": m})
	s.write(object{"type": "agent_end", "messages": []any{}})
}
