package acptest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
)

// An Order checks what the schema cannot say about the frames of a connection of version 1: in which order they may come. It wants
// the frames of both directions in the order in which they were sent, and ignores frames that are wrong in themselves.
type Order struct {
	problems []string

	capabilities   map[string]bool   // what the client has: "fs/read_text_file", "terminal", "elicitation/form" …
	clientRequests map[string][]call // open requests of the client, by id
	agentRequests  map[string]call   // open requests of the agent
	sessions       map[string]*session
	terminals      map[string]bool // that were not released
	steered        bool            // a turn may have no prompt
}

// A call is a request without an answer.
type call struct {
	method, session string
}

// A session is what the client knows of one.
type session struct {
	known          bool            // it was opened, not only asked for
	prompts, loads int             // open requests
	calls          map[string]bool // tool calls; true: ended
	modes          []string
}

// NewOrder returns an Order for a connection.
func NewOrder() *Order {
	return &Order{
		capabilities: map[string]bool{}, clientRequests: map[string][]call{}, agentRequests: map[string]call{}, sessions: map[string]*session{}, terminals: map[string]bool{},
	}
}

// Problems returns what is wrong so far.
func (o *Order) Problems() []string { return o.problems }

func (o *Order) problem(format string, args ...any) {
	o.problems = append(o.problems, fmt.Sprintf(format, args...))
}

// A frame is one with all members that matter to the order.
type frame struct {
	ID     any    `json:"id"`
	Method string `json:"method"`
	Params struct {
		SessionID  string `json:"sessionId"`
		RequestID  any    `json:"requestId"`
		TerminalID string `json:"terminalId"`
		ToolCallID string `json:"toolCallId"`
		Mode       string `json:"mode"`
		ToolCall   struct {
			ToolCallID string `json:"toolCallId"`
		} `json:"toolCall"`
		Update             sessionUpdate  `json:"update"`
		ClientCapabilities map[string]any `json:"clientCapabilities"`
	} `json:"params"`
	Result *result `json:"result"`
	Error  any     `json:"error"`
}

// A sessionUpdate is the update of session/update.
type sessionUpdate struct {
	Kind          string   `json:"sessionUpdate"`
	ToolCallID    string   `json:"toolCallId"`
	Status        string   `json:"status"`
	CurrentModeID string   `json:"currentModeId"`
	ConfigOptions []option `json:"configOptions"`
}

// A result has the members of results that matter.
type result struct {
	SessionID  string `json:"sessionId"`
	TerminalID string `json:"terminalId"`
	Modes      *struct {
		CurrentModeID  string `json:"currentModeId"`
		AvailableModes []struct {
			ID string `json:"id"`
		} `json:"availableModes"`
	} `json:"modes"`
	ConfigOptions []option `json:"configOptions"`
}

// An option is a selection in a list of options.
type option struct {
	ID           string `json:"id"`
	CurrentValue any    `json:"currentValue"`
	Options      []struct {
		Value any `json:"value"`
	} `json:"options"`
}

// FromClient notes a line that the client sent.
func (o *Order) FromClient(line []byte) {
	var f frame
	if json.Unmarshal(line, &f) != nil {
		return
	}
	p := f.Params
	switch {
	case f.Method == "":
		o.clientAnswer(f)
		return
	case f.Method == "initialize" && p.ClientCapabilities != nil:
		o.capabilities = flattened("", p.ClientCapabilities, map[string]bool{})
	case f.Method == "_session/steering":
		o.steered = true
	}
	if f.ID == nil {
		return
	}
	o.clientRequests[key(f.ID)] = append(o.clientRequests[key(f.ID)], call{method: f.Method, session: p.SessionID})
	switch s := o.sessions[p.SessionID]; {
	case f.Method == "session/load" || f.Method == "session/resume":
		if s == nil {
			s = &session{}
			o.sessions[p.SessionID] = s
		}
		s.loads++
		s.calls = map[string]bool{}
	case f.Method == "session/prompt" && s != nil:
		s.prompts++
	}
}

// clientAnswer notes an answer of the client.
func (o *Order) clientAnswer(f frame) {
	c, ok := o.agentRequests[key(f.ID)]
	if !ok {
		return // withdrawn, or wrong
	}
	delete(o.agentRequests, key(f.ID))
	switch {
	case f.Result == nil:
	case c.method == "terminal/create":
		o.terminals[f.Result.TerminalID] = true
	}
}

// FromAgent checks a line that the agent sent.
func (o *Order) FromAgent(line []byte) {
	var f frame
	if json.Unmarshal(line, &f) != nil {
		return
	}
	switch {
	case f.Method == "":
		o.answer(f)
	case f.Method == "session/update":
		o.update(f)
	case f.Method == "$/cancel_request":
		if _, open := o.agentRequests[key(f.Params.RequestID)]; !open {
			o.problem("request %v is withdrawn, and is not open", f.Params.RequestID)
		}
	case f.ID != nil:
		o.request(f)
	}
}

// End checks what must be over when the connection ends in peace.
func (o *Order) End() {
	for _, id := range slices.Sorted(maps.Keys(o.terminals)) {
		o.problem("terminal %s was not released", id)
	}
}

// answer checks the answer to a request of the client.
func (o *Order) answer(f frame) {
	open := o.clientRequests[key(f.ID)]
	if len(open) == 0 {
		return
	}
	c := open[0]
	o.clientRequests[key(f.ID)] = open[1:]
	s := o.sessions[c.session]
	if s != nil {
		switch c.method {
		case "session/prompt":
			s.prompts--
			o.over(c.session, s)
		case "session/load", "session/resume":
			s.loads--
			if s.known = s.known || f.Error == nil; !s.known {
				delete(o.sessions, c.session)
			}
		case "session/close", "session/delete":
			if s.known = s.known && f.Error != nil; !s.known && s.loads == 0 {
				delete(o.sessions, c.session)
			}
		}
	}
	if f.Result == nil {
		return
	}
	if c.method == "session/new" || c.method == "session/fork" {
		s = &session{known: true, calls: map[string]bool{}}
		o.sessions[f.Result.SessionID] = s
	}
	if f.Result.Modes != nil && s != nil {
		s.modes = nil
		for _, m := range f.Result.Modes.AvailableModes {
			s.modes = append(s.modes, m.ID)
		}
		o.mode(s, f.Result.Modes.CurrentModeID)
	}
	o.options(f.Result.ConfigOptions)
}

// over checks a session whose prompt was answered.
func (o *Order) over(id string, s *session) {
	if s.prompts > 0 || o.steered {
		return
	}
	for _, call := range slices.Sorted(maps.Keys(s.calls)) {
		if !s.calls[call] {
			o.problem("the prompt of session %s was answered before its call %s ended", id, call)
		}
	}
}

// inTurn reports whether something of a session may come.
func (o *Order) inTurn(s *session) bool { return s.prompts > 0 || s.loads > 0 || o.steered }

// betweenTurns is the updates that may come at any time.
var betweenTurns = []string{
	"available_commands_update", "config_option_update", "current_mode_update", "session_info_update", "usage_update", "notice",
}

func (o *Order) update(f frame) {
	u := f.Params.Update
	s := o.sessions[f.Params.SessionID]
	if s == nil {
		o.problem("%s of session %s, which the client does not have", u.Kind, f.Params.SessionID)
		return
	}
	if !o.inTurn(s) && !slices.Contains(betweenTurns, u.Kind) {
		o.problem("%s of session %s while no prompt is open", u.Kind, f.Params.SessionID)
	}
	switch u.Kind {
	case "tool_call":
		if _, known := s.calls[u.ToolCallID]; known {
			o.problem("tool call %s begins twice", u.ToolCallID)
		}
		s.calls[u.ToolCallID] = ended(u.Status)
	case "tool_call_update":
		o.running(s, u.ToolCallID, u.Kind)
		s.calls[u.ToolCallID] = s.calls[u.ToolCallID] || ended(u.Status)
	case "current_mode_update":
		o.mode(s, u.CurrentModeID)
	}
	o.options(u.ConfigOptions)
}

func ended(status string) bool { return status == "completed" || status == "failed" }

// running checks that a tool call has begun and not ended.
func (o *Order) running(s *session, id, what string) {
	switch over, known := s.calls[id]; {
	case !known:
		o.problem("%s of tool call %s, which has not begun", what, id)
	case over:
		o.problem("%s of tool call %s, which has ended", what, id)
	}
}

// needed is the capability that a request of the agent needs.
var needed = map[string]string{
	"fs/read_text_file": "fs/readTextFile", "fs/write_text_file": "fs/writeTextFile",
	"terminal/create": "terminal", "terminal/output": "terminal", "terminal/wait_for_exit": "terminal", "terminal/kill": "terminal", "terminal/release": "terminal",
}

// request checks a request of the agent.
func (o *Order) request(f frame) {
	p := f.Params
	if _, open := o.agentRequests[key(f.ID)]; open {
		o.problem("two open requests have the id %v", f.ID)
	}
	o.agentRequests[key(f.ID)] = call{method: f.Method, session: p.SessionID}
	capability := needed[f.Method]
	if f.Method == "elicitation/create" {
		capability = "elicitation/" + p.Mode
	}
	if capability != "" && !o.capabilities[capability] {
		o.problem("%s, and the client does not have %s", f.Method, capability)
	}
	if f.Method == "terminal/release" {
		delete(o.terminals, p.TerminalID)
	}
	if p.SessionID == "" || f.Method == "terminal/kill" || f.Method == "terminal/release" {
		return // a terminal may be made after its turn was cancelled, and is released all the same
	}
	s := o.sessions[p.SessionID]
	if s == nil {
		o.problem("%s of session %s, which the client does not have", f.Method, p.SessionID)
		return
	}
	if s.prompts == 0 && !o.steered {
		o.problem("%s of session %s while no prompt is open", f.Method, p.SessionID)
	}
	for _, id := range []string{p.ToolCall.ToolCallID, p.ToolCallID} {
		if id != "" {
			o.running(s, id, f.Method)
		}
	}
}

func (o *Order) mode(s *session, id string) {
	if s.modes != nil && !slices.Contains(s.modes, id) {
		o.problem("the mode %s is none of %q", id, s.modes)
	}
}

// options checks that each selection has one of its values.
func (o *Order) options(list []option) {
	for i, option := range list {
		found := option.Options == nil
		for _, v := range option.Options {
			found = found || v.Value == option.CurrentValue
		}
		if !found {
			o.problem("the option %s has the value %v, which it does not offer", option.ID, option.CurrentValue)
		}
		for _, other := range list[:i] {
			if other.ID == option.ID {
				o.problem("two options are called %s", option.ID)
			}
		}
	}
}

// flattened adds the capabilities that a client has, as paths.
func flattened(path string, members map[string]any, all map[string]bool) map[string]bool {
	for name, value := range members {
		switch value := value.(type) {
		case bool:
			all[path+name] = value
		case map[string]any:
			all[path+name] = true
			flattened(path+name+"/", value, all)
		}
	}
	return all
}
