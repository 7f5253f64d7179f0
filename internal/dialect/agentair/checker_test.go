package agentair

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// A checker is the strictest client there can be. It knows what it sent itself, and holds
// what comes to the types of the page (checkAsSeed) and to the laws of turns:
//
//   - A session is announced before anything else of it comes; nothing but a refusal comes
//     after its removal. "Shutting down" is the last line.
//   - Each message and each command that was sent ends once: with Complete, CommandComplete,
//     or an Error that refuses it. The Completes of a session have the numbers of its messages.
//   - Text, tokens, tools and prompts come while a message is not answered, text with the
//     number of the turn that ends next.
//   - Each ToolExecuting has one ToolCompleted before the turn ends. What is asked is asked
//     once, about calls that run. What was refused is reported as such.
//   - With --extended a line has the further fields that are listed below, after those of the
//     page; without them it is as strict as any other.
type checker struct {
	extended, eachRound bool
	sessions            map[int64]*seenSession
	lastSession         int64
	lastBatch           int
	creating            int // CreateSessions that are not answered
	leaving             bool
	over                bool
	problems            []string
}

// A seenSession is what is known of a session, whether there is one or not.
type seenSession struct {
	there, removed bool
	messages       []uint64 // sent and not ended, in their order
	commands       []string
	refused        int     // Errors that refused a message or a command
	turn           *uint64 // that runs, if its number was sent
	done           *uint64 // the number of the last Complete; nil after a Clear
	calls          map[string]*seenCall
}

type seenCall struct {
	tool         string
	asked        bool
	pending      bool
	deniedReason string // the answer was no
}

func newChecker(args []string) *checker {
	return &checker{extended: slices.Contains(args, "--extended"), eachRound: slices.Contains(args, "--round-complete"), sessions: map[int64]*seenSession{}}
}

func (c *checker) fault(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *checker) session(id int64) *seenSession {
	if c.sessions[id] == nil {
		c.sessions[id] = &seenSession{calls: map[string]*seenCall{}}
	}
	return c.sessions[id]
}

// The client's own lines, as far as they matter here.
type (
	sentInput struct {
		SessionID *int64                    `json:"session_id"`
		Content   *string                   `json:"content"`
		TurnID    *sentTurnID               `json:"turn_id"`
		Metadata  map[string]jsontext.Value `json:"metadata"`
		InputType *string                   `json:"input_type"`
		Control   *string                   `json:"control_cmd"`
	}
	sentTurnID struct {
		Role     *string `json:"role"`
		Sequence *uint64 `json:"sequence"`
	}
	sentAnswer struct {
		ToolUseID string `json:"tool_use_id"`
		SessionID *int64 `json:"session_id"`
		BatchID   string `json:"batch_id"`
		Response  struct {
			Granted *bool           `json:"granted"`
			Grant   *jsontext.Value `json:"grant"`
			Scope   *string         `json:"scope"`
			Message *string         `json:"message"`
		} `json:"response"`
		Denied []string `json:"denied_requests"`
	}
)

var sentCommand = regexp.MustCompile(`^\s*/([a-z][a-z0-9_-]*)(\s|$)`)

// sent takes a line of the client's own.
func (c *checker) sent(line []byte) {
	if strings.TrimSpace(string(line)) == `"Shutdown"` {
		c.leaving = true
		return
	}
	var whole map[string]jsontext.Value
	if json.Unmarshal(line, &whole, jsontext.AllowInvalidUTF8(true)) != nil {
		return
	}
	for name, value := range whole {
		if len(whole) == 1 && name[0] >= 'A' && name[0] <= 'Z' {
			c.sentRequest(name, value)
			return
		}
	}
	var in sentInput
	if json.Unmarshal(line, &in, jsontext.AllowInvalidUTF8(true)) != nil || in.SessionID == nil {
		return
	}
	if in.InputType != nil && *in.InputType == "Control" {
		if in.Control != nil && slices.Contains([]string{"Interrupt", "Shutdown", "Clear", "Compact"}, *in.Control) {
			c.sentControl(*in.Control, *in.SessionID)
		}
		return
	}
	if in.Content == nil || in.TurnID == nil || in.TurnID.Sequence == nil || in.TurnID.Role == nil ||
		*in.TurnID.Role != "User" && *in.TurnID.Role != "Assistant" || in.InputType != nil && *in.InputType != "Data" {
		return // it is malformed
	}
	s := c.session(*in.SessionID)
	if found := sentCommand.FindStringSubmatch(*in.Content); found != nil {
		s.commands = append(s.commands, found[1])
		c.leaving = c.leaving || found[1] == "quit"
		return
	}
	s.messages = append(s.messages, *in.TurnID.Sequence)
}

func (c *checker) sentControl(command string, session int64) {
	if command == "Shutdown" {
		c.leaving = true
		return
	}
	s := c.session(session)
	s.commands = append(s.commands, strings.ToLower(command))
}

func (c *checker) sentRequest(name string, value jsontext.Value) {
	var in sentInput
	var a sentAnswer
	switch name {
	case "Shutdown":
		c.leaving = true
	case "CreateSession":
		var m struct {
			Model  *string `json:"model"`
			Prompt *string `json:"system_prompt"`
			Dir    *string `json:"working_dir"`
		}
		if json.Unmarshal(value, &m) == nil {
			c.creating++
		}
	case "Interrupt", "Clear", "Compact", "RemoveSession":
		if json.Unmarshal(value, &in) == nil && in.SessionID != nil {
			if name == "RemoveSession" {
				name = "remove-session"
			}
			c.sentControl(name, *in.SessionID)
		}
	case "PermissionResponse":
		if json.Unmarshal(value, &a) == nil && a.Response.Granted != nil && !*a.Response.Granted && a.Response.Scope == nil && a.Response.Grant == nil {
			c.denied(a.ToolUseID, a.SessionID, a.Response.Message)
		}
	case "BatchPermissionResponse":
		if json.Unmarshal(value, &a) == nil && a.BatchID == fmt.Sprintf("batch-%d", c.lastBatch) {
			for _, id := range a.Denied {
				c.denied(id, nil, nil)
			}
		}
	}
}

// denied notes a no to what is pending, if it is clear what that is.
func (c *checker) denied(id string, session *int64, message *string) {
	var calls []*seenCall
	for n, s := range c.sessions {
		if call := s.calls[id]; call != nil && call.pending && (session == nil || *session == n) {
			calls = append(calls, call)
		}
	}
	if len(calls) != 1 {
		return
	}
	calls[0].pending, calls[0].deniedReason = false, "Permission denied by user"
	if message != nil && *message != "" {
		calls[0].deniedReason += ": " + *message
	}
}

// further is the fields that --extended adds.
var further = map[string][]string{
	"ToolExecuting":           {"display_name", "display_title", "turn_id"},
	"ToolCompleted":           {"status", "error", "turn_id"},
	"PermissionRequired":      {"turn_id"},
	"BatchPermissionRequired": {"suggested_grants", "turn_id"},
	"UserInteractionRequired": {"turn_id"},
	"TokenUpdate":             {"context_limit", "turn_id"},
	"Error":                   {"turn_id"},
	"Display":                 {"turn_id"},
	"CommandComplete":         {"success", "message"},
}

// plain returns an extended line without the fields that make it one.
func plain(line []byte) ([]byte, error) {
	whole, err := wire.ParseObject(line, wire.ObjectOptions{})
	if err != nil || len(whole.Names()) != 1 {
		return line, err
	}
	variant := whole.Names()[0]
	value, _ := whole.Get(variant)
	inner, err := wire.OpenObject(value, wire.ObjectOptions{})
	if err != nil {
		return nil, err
	}
	names := inner.Names()
	more := further[variant]
	for i := range names {
		if slices.Equal(names[i:], more) {
			names = names[:i]
			break
		}
	}
	var b strings.Builder
	for i, name := range names {
		field, _ := inner.Get(name)
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", name, field)
	}
	return []byte(`{"` + variant + `":{` + b.String() + `}}`), nil
}

// line takes the next line of the program's.
func (c *checker) line(line []byte) {
	before := len(c.problems)
	bare := line
	if c.extended {
		var err error
		if bare, err = plain(line); err != nil {
			c.fault("%v", err)
			return
		}
	}
	if err := checkAsSeed(bare); err != nil {
		c.fault("%v", err)
		return
	}
	if c.over {
		c.fault("it comes after the end")
	}
	_, message, err := readAsSeed(bare, false)
	if err != nil {
		c.fault("%v", err)
		return
	}
	c.message(message)
	for i := range c.problems[before:] {
		c.problems[before+i] += "\n\tin " + string(line)
	}
}

func (c *checker) message(message any) {
	switch m := message.(type) {
	case *seedMessage:
		c.note(m)
	case *seedTextChunk:
		s := c.working(m.SessionID)
		if s.turn == nil {
			s.turn = &m.TurnID.Sequence
		}
		if *s.turn != m.TurnID.Sequence || !slices.Contains(s.messages, *s.turn) {
			c.fault("text of turn %d, which does not run", m.TurnID.Sequence)
		}
	case *seedTokenUpdate:
		c.working(m.SessionID)
	case *seedToolExecuting:
		s := c.working(m.SessionID)
		if s.calls[m.ToolUseID] != nil {
			c.fault("%s runs", m.ToolUseID)
		}
		s.calls[m.ToolUseID] = &seenCall{tool: m.ToolName}
	case *seedToolCompleted:
		s := c.working(m.SessionID)
		call := s.calls[m.ToolUseID]
		if call == nil {
			c.fault("%s does not run", m.ToolUseID)
		} else if d := call.deniedReason; d != "" && call.tool != "ask_for_permissions" && m.Result != d && !strings.HasSuffix(m.Result, "; not run outside of it: "+d+"]") {
			c.fault("%s was refused", m.ToolUseID)
		}
		delete(s.calls, m.ToolUseID)
	case *seedPermissionRequired:
		if m.Request.ID != m.ToolUseID {
			c.fault("the request is called %s", m.Request.ID)
		}
		c.request(m.SessionID, m.Request)
	case *seedBatchPermissionRequired:
		c.lastBatch++
		if m.BatchID != fmt.Sprintf("batch-%d", c.lastBatch) {
			c.fault("batches are counted: it is the %dth", c.lastBatch)
		}
		for _, r := range m.Requests {
			c.request(m.SessionID, r)
		}
	case *seedUserInteractionRequired:
		c.question(m)
	case *seedComplete:
		c.complete(m)
	case *seedDisplay:
		c.there(m.SessionID)
	case *seedCommandComplete:
		c.commandDone(m)
	}
}

// refusals is how an Error begins that refuses a message or a command.
var refusals = regexp.MustCompile(`^(Stale or duplicate turn id|turn_id\.role must be User$|Empty message$|Failed to send message|Session not found)`)

// note takes an Error or a System.
func (c *checker) note(m *seedMessage) {
	var created int64
	switch {
	case m.SessionID == nil && m.Message == "Shutting down":
		c.over = true
	case m.SessionID == nil:
		if n, _ := fmt.Sscanf(m.Message, "Session %d could not be created", &created); n == 1 {
			c.newSession(created)
			c.creating = max(0, c.creating-1) // the first was not asked for
		}
	case refusals.MatchString(m.Message):
		c.session(*m.SessionID).refused++
	default:
		if n, _ := fmt.Sscanf(m.Message, "Session %d created", &created); n == 1 && created == *m.SessionID {
			c.newSession(created)
			c.session(created).there = true
		} else if !strings.HasPrefix(m.Message, "No pending ") && !strings.HasPrefix(m.Message, "Malformed input: ") {
			c.there(*m.SessionID)
		}
	}
}

func (c *checker) newSession(id int64) {
	c.lastSession++
	if id != c.lastSession {
		c.fault("sessions are counted: it is the %dth", c.lastSession)
	}
}

// there returns a session of which something may come.
func (c *checker) there(id int64) *seenSession {
	s := c.session(id)
	if !s.there || s.removed {
		c.fault("there is no session %d", id)
	}
	return s
}

// working returns a session in which a turn may run.
func (c *checker) working(id int64) *seenSession {
	s := c.there(id)
	if len(s.messages) == 0 {
		c.fault("no message waits in session %d", id)
	}
	return s
}

func (c *checker) request(session int64, r seedPermissionRequest) {
	call := c.working(session).calls[r.ID]
	if call == nil || call.asked || call.tool != r.ToolName {
		c.fault("%s does not run as %s, or was asked about", r.ID, r.ToolName)
		return
	}
	call.asked, call.pending = true, true
	if r.Recursive && r.TargetType != "Path" {
		c.fault("a %s is not recursive", r.TargetType)
	}
}

func (c *checker) question(m *seedUserInteractionRequired) {
	call := c.working(m.SessionID).calls[m.ToolUseID]
	ofServer := call != nil && strings.HasPrefix(call.tool, "mcp__") // it may ask whenever it likes
	if call == nil || call.asked && !ofServer {
		c.fault("%s does not run, or was asked about", m.ToolUseID)
		return
	}
	call.asked = true
	for i, q := range m.Request.Questions {
		if q.ID != fmt.Sprintf("q%d", i+1) {
			c.fault("question %d is called %s", i+1, q.ID)
		}
	}
}

func (c *checker) complete(m *seedComplete) {
	s := c.working(m.SessionID)
	n := m.TurnID.Sequence
	if s.turn != nil && *s.turn != n {
		c.fault("turn %d runs", *s.turn)
	}
	if len(s.calls) > 0 {
		c.fault("%d calls have no result", len(s.calls))
	}
	if c.eachRound && m.StopReason == "ToolUse" {
		return // of a round
	}
	i := slices.Index(s.messages, n)
	if i < 0 || s.done != nil && *s.done >= n {
		c.fault("turn %d is not the next that waits", n)
		return
	}
	s.messages = slices.Delete(s.messages, i, i+1)
	s.turn, s.done = nil, &n
}

func (c *checker) commandDone(m *seedCommandComplete) {
	s := c.there(m.SessionID)
	i := slices.Index(s.commands, m.Command)
	switch {
	case i >= 0:
		s.commands = slices.Delete(s.commands, i, i+1)
	case m.Command == "new-session" && c.creating > 0:
		c.creating--
	default:
		c.fault("no request for %s", m.Command)
	}
	switch m.Command {
	case "clear":
		s.done = nil
	case "remove-session":
		s.removed = true
	}
}

// end takes the end of the output.
func (c *checker) end() {
	if c.leaving != c.over {
		c.fault("it was asked to shut down: %t, and says that it does: %t", c.leaving, c.over)
	}
	for id, s := range c.sessions {
		if len(s.calls) > 0 {
			c.fault("%d calls of session %d have no result", len(s.calls), id)
		}
		if left := len(s.messages) + len(s.commands); !s.removed && !c.leaving && left != s.refused {
			c.fault("%d messages and commands of session %d did not end, %d were refused", left, id, s.refused)
		}
	}
	if c.creating > 0 && !c.leaving {
		c.fault("%d sessions were neither created nor refused", c.creating)
	}
}
