package pisces

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
)

// A checker is the strictest client there can be: it holds what one process says to the
// rules of order.
//
//   - Ready is first. Each line is what the wire files say, no more and no less.
//   - Each command has one answer: with its id, or, where it could not be done, without one.
//     A prompt that fails after its acknowledgement has two, one right after the other.
//   - Commands are answered in order, but for those that take a while.
//   - Runs, turns, messages and blocks lie within each other, and have a beginning and an
//     end. A summary is the sum of what was sent: a block, a message, a turn, a run.
//   - A run begins because of a prompt that was acknowledged, a retry or a compaction. The
//     user's messages in it were sent by the client, and come once.
//   - A call of an answer comes once: start, updates, end, and its result right after.
//   - An answer that breaks rules is cut, and its run ends with it; another follows, as it does
//     after a reminder of todos, which lies between runs.
//   - Subagents work while the call runs that asked for them, and their work is verified when
//     they are done: one attempt after the other, one command after the other. The end of the
//     subagent, and the result of the call, are the sum of what was sent.
//   - Of the session's budget each limit is warned of once, and used up one of them is, once.
//   - Retries and compactions lie between runs; when an abort, or a change of
//     session, is answered, everything is over, and nothing of the session before follows.
//   - Between runs all answers report the same count of messages.
type checker struct {
	ready    bool
	pending  []seenCommand
	refused  int                 // answers without an id to commands that could not be done
	acked    jsontext.Value      // id of the prompt that the last line acknowledged, as an object
	said     map[string]int      // by the user, and not sent yet
	expanded bool                // something that was said stands for another text
	run      *seenRun            // nil between runs
	credit   int                 // prompts whose run may begin
	joined   int                 // prompts that were to join a run, which may have been over
	goesOn   bool                // a compaction ended: a run may follow of itself
	failed   string              // why the run before failed; "": it did not
	retry    int                 // attempt of the retry that is on; 0: none
	room     CompactionReason    // of the compaction that is on
	running  map[string]seenCall // calls that have begun
	session  string              // that the client is in; "": not known yet
	left     string              // the one before
	known    map[string]bool     // files that are ours
	foreign  bool                // a file of another program may have been opened
	count    int                 // of the context, if nothing was sent since; -1: unknown
	before   string              // type of the last line that has its place among others
	cut      bool                // the run's last answer broke rules
	reminded int                 // of todos, since the user said something
	done     int                 // todos that are over; -1: unknown
	limits   []string            // of the session, that were warned of
	spent    bool                // one of them is reached

	subagents map[string]*seenSubagent
	reported  map[string]bool // subagents that a result contains
	ranks     map[string]int  // how far tasks are

	filtered bool // not all events are sent: their order says nothing
	types    map[string]func(jsontext.Value)
	problems []string
}

// A seenCommand was received, and is not answered.
type seenCommand struct {
	command
	refusal *Response // what answers a line that cannot be read
	named   *Response // the same with the id and the type of the line
	amid    bool      // something that adds messages was on
}

// aside is the commands that those after do not wait for.
var aside = []string{CommandBash, CommandCompact, CommandExportHTML}

// A seenRun is one that is on.
type seenRun struct {
	messages []message.Message
	turns    int
	turn     *seenTurn
	stop     message.StopReason // of the last answer
	failure  string
}

// A seenTurn is one that is on.
type seenTurn struct {
	open    message.Message // whose end has not come
	blocks  *seenBlocks
	answer  *message.Assistant
	calls   []message.ToolCall // of the answer, without a result
	result  *ToolExecutionEnd  // whose message comes next
	results []message.ToolResult
}

// A seenCall is one that runs.
type seenCall struct{ start ToolExecutionStart }

func newChecker() *checker {
	c := &checker{said: map[string]int{}, known: map[string]bool{}, running: map[string]seenCall{}, count: -1}
	c.forgetTasks()
	c.types = map[string]func(jsontext.Value){
		"response":              c.response,
		"agent_start":           func(raw jsontext.Value) { parse[AgentStart](c, raw); c.beginRun() },
		"agent_end":             func(raw jsontext.Value) { c.endRun(parse[AgentEnd](c, raw)) },
		"turn_start":            func(raw jsontext.Value) { c.beginTurn(parse[TurnStart](c, raw)) },
		"turn_end":              func(raw jsontext.Value) { c.endTurn(parse[TurnEnd](c, raw)) },
		"message_start":         func(raw jsontext.Value) { c.begin(parse[MessageStart](c, raw).Message) },
		"message_update":        func(raw jsontext.Value) { c.update(parse[MessageUpdate](c, raw)) },
		"message_end":           func(raw jsontext.Value) { c.finish(parse[MessageEnd](c, raw).Message) },
		"tool_execution_start":  func(raw jsontext.Value) { c.startCall(parse[ToolExecutionStart](c, raw)) },
		"tool_execution_update": func(raw jsontext.Value) { c.updateCall(parse[ToolExecutionUpdate](c, raw)) },
		"tool_execution_end":    func(raw jsontext.Value) { c.endCall(parse[ToolExecutionEnd](c, raw)) },
		"auto_retry_start":      func(raw jsontext.Value) { c.beginRetry(parse[AutoRetryStart](c, raw)) },
		"auto_retry_end":        func(raw jsontext.Value) { c.endRetry(parse[AutoRetryEnd](c, raw)) },
		"auto_compaction_start": func(raw jsontext.Value) { c.beginRoom(parse[AutoCompactionStart](c, raw)) },
		"prompt_result":         func(raw jsontext.Value) { c.promptEnded(parse[PromptResult](c, raw)) },
		"agent_settled":         func(raw jsontext.Value) { parse[AgentSettled](c, raw); c.quiescent() },
		"host_tool_call":        func(raw jsontext.Value) { parse[HostToolCall](c, raw) },
		"host_tool_cancel":      func(raw jsontext.Value) { parse[HostToolCancel](c, raw) },
		"extension_ui_request":  c.uiRequest,
		"session_settled":       func(raw jsontext.Value) { parse[SessionSettled](c, raw); c.quiescent() },
		"auto_compaction_end":   func(raw jsontext.Value) { c.endRoom(parse[AutoCompactionEnd](c, raw)) },
	}
	maps.Copy(c.types, c.taskTypes())
	return c
}

// forgetTasks begins another session.
func (c *checker) forgetTasks() {
	c.subagents, c.reported, c.ranks = map[string]*seenSubagent{}, map[string]bool{}, map[string]int{}
}

func (c *checker) fault(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// received takes a line of the client's, before the program sees it.
func (c *checker) received(line []byte) {
	if strings.TrimSpace(string(line)) == "" {
		return
	}
	message, refusal := decode(line)
	switch m := message.(type) {
	case command:
		c.pending = append(c.pending, seenCommand{command: m, amid: c.adding()})
		c.hear(m)
	default:
		if refusal == nil {
			return
		}
		c.pending = append(c.pending, seenCommand{refusal: refusal, named: identify(line, refusal)})
	}
}

// hear remembers what the user says.
func (c *checker) hear(m command) {
	var text string
	switch p := m.params.(type) {
	case Prompt:
		text = p.Message
	case AbortAndPrompt:
		text = p.Message
	case Steer:
		text = p.Message
	case FollowUp:
		text = p.Message
	default:
		return
	}
	c.said[text]++
	c.expanded = c.expanded || strings.HasPrefix(text, "/")
}

// parse reads a line as its type: what does not fit is a fault.
func parse[T any](c *checker, raw jsontext.Value) T {
	value, err := exactly[T](raw)
	if err != nil {
		c.fault("%v", err)
	}
	return value
}

// line takes the next line of the program's.
func (c *checker) line(line []byte) {
	before := len(c.problems)
	kind, rest, ok := lineType(line)
	read := c.types[kind]
	switch {
	case !ok:
		c.fault("no line of the protocol")
	case !c.ready:
		c.ready = kind == "ready"
		if !c.ready || string(rest) != "{}" {
			c.fault("ready is not first")
		}
	case read == nil:
		c.fault("a line of type %q", kind)
	case c.filtered && kind != "response":
		c.count = -1
	default:
		if kind != "message_start" && kind != "response" && kind != "prompt_result" && c.run != nil && c.run.turn != nil && c.run.turn.result != nil {
			c.fault("not the result of call %s", c.run.turn.result.ToolCallID)
		}
		if kind != "response" {
			c.count, c.acked = -1, nil
		}
		read(rest)
	}
	if !slices.Contains(anytime, kind) {
		c.before = kind
	}
	for i := range c.problems[before:] {
		c.problems[before+i] += "\n\tin " + abridgedLine(string(line))
	}
}

func abridgedLine(line string) string {
	if len(line) > 1500 {
		return line[:1500] + "…"
	}
	return line
}

// idle reports whether nothing is on.
func (c *checker) idle() bool { return c.run == nil && c.retry == 0 && c.room == "" }

func (c *checker) beginRun() {
	switch {
	case c.run != nil || c.room != "":
		c.fault("a run, or a compaction, is on")
	case c.retry > 0 && (c.before == "auto_retry_start" || c.before == "auto_compaction_end" && c.goesOn):
	case c.retry > 0:
		c.fault("not right after the wait for it")
	case c.goesOn:
	case c.credit > 0:
		c.credit--
	case c.joined > 0:
		c.joined--
	default:
		c.fault("a run without a request")
	}
	c.run, c.goesOn = &seenRun{}, false
}

func (c *checker) endRun(e AgentEnd) {
	r := c.run
	if r == nil || r.turn != nil || r.turns == 0 {
		c.fault("no run, one of no turn, or a turn is on")
		c.run = nil
		return
	}
	if !sameValue(r.messages, e.Messages) && len(r.messages)+len(e.Messages) > 0 {
		c.fault("the run had the messages %s", rawjson.Marshal(r.messages))
	}
	c.enter(e.SessionID, e.SessionFile)
	c.failed, c.run = r.failure, nil
	c.goesOn, c.cut = c.goesOn || c.cut, false
}

// promptEnded takes the result of a prompt, which lies between runs, or follows a prompt that failed.
func (c *checker) promptEnded(r PromptResult) {
	if r.AgentInvoked && c.run != nil || (r.Status == PromptFailed) != (r.Error != nil) {
		c.fault("a run is on, or an error without a reason, or the reverse")
	}
}

// quiescent takes a line that says that no run is on.
func (c *checker) quiescent() {
	if !c.idle() {
		c.fault("a run, a retry or a compaction is on")
	}
}

// enter notes the session that the events are of.
func (c *checker) enter(id, file string) {
	if c.session == "" {
		c.session = id
	}
	if id != c.session || id == c.left {
		c.fault("session %s, not %s", id, c.session)
	}
	if file != "" {
		c.known[file] = true
	}
}

func (c *checker) beginTurn(e TurnStart) {
	if c.run == nil || c.run.turn != nil || e.TurnIndex != c.run.turns || e.Timestamp <= 0 {
		c.fault("no run, a turn is on, or another number is due")
		return
	}
	if c.cut {
		c.fault("the run goes on after an answer that was cut")
	}
	c.run.turn = &seenTurn{results: []message.ToolResult{}}
	c.run.turns++
}

// turn returns the one that is on.
func (c *checker) turn() *seenTurn {
	if c.run == nil || c.run.turn == nil {
		c.fault("no turn is on")
		return &seenTurn{}
	}
	return c.run.turn
}

func (c *checker) endTurn(e TurnEnd) {
	t := c.turn()
	switch {
	case c.run == nil || c.run.turn == nil:
		return
	case t.open != nil || t.answer == nil || len(t.calls) > 0 || len(c.running) > 0:
		c.fault("a message is open, or no answer there, or calls have no result: %s", rawjson.Marshal(t.calls))
	case e.TurnIndex != c.run.turns-1 || !sameValue(e.Message, *t.answer) || !sameValue(e.ToolResults, t.results):
		c.fault("the turn %d had the answer %s and the results %s", c.run.turns-1, rawjson.Marshal(t.answer), rawjson.Marshal(t.results))
	}
	clear(c.running)
	c.run.turn = nil
}

// begin takes a message_start.
func (c *checker) begin(m message.Message) {
	t := c.turn()
	if t.open != nil {
		c.fault("another message is open")
	}
	t.open, t.blocks = m, nil
	switch m := m.(type) {
	case message.User:
		c.userMessage(t, m)
	case message.FileMention, message.Custom:
		if t.answer != nil {
			c.fault("after the answer")
		}
	case message.Assistant:
		if t.answer != nil {
			c.fault("a second answer")
		}
		if len(m.Content) == 0 && m.StopReason == message.StopStop && m.ErrorMessage == "" && m.Usage == (message.Usage{}) && m.Duration == 0 {
			t.blocks = &seenBlocks{born: m}
		} else if m.StopReason != message.StopAborted && m.StopReason != message.StopError {
			c.fault("an answer is born with something in it")
		}
	case message.ToolResult:
		c.result(t, m)
	default:
		c.fault("no message of a run")
	}
}

// userMessage takes a message of the user, or of the program itself.
func (c *checker) userMessage(t *seenTurn, m message.User) {
	if t.answer != nil {
		c.fault("after the answer")
	}
	text := message.TextOf(m.Content)
	switch {
	case m.Role == message.RoleDeveloper:
		return
	case c.said[text] > 0:
		c.said[text]--
		c.reminded = 0
	case !c.expanded:
		c.fault("no prompt has the text %q, or its message was sent before", text)
	}
}

// finish takes a message_end.
func (c *checker) finish(m message.Message) {
	t := c.turn()
	if t.open == nil {
		c.fault("no message is open")
		return
	}
	a, isAnswer := m.(message.Assistant)
	switch {
	case t.blocks != nil && !isAnswer, t.blocks == nil && !sameValue(t.open, m):
		c.fault("another message was begun")
	case t.blocks != nil:
		if a.StopReason == message.StopAborted || a.StopReason == message.StopError {
			t.blocks.dropCalls() // they were not made
		}
		for _, problem := range t.blocks.end(a) {
			c.fault("%s", problem)
		}
	case c.before != "message_start":
		c.fault("not right after its beginning")
	}
	if isAnswer {
		if c.cut && (a.StopReason != message.StopAborted || c.before != "ttsr_triggered") {
			c.fault("it broke rules, and was not cut at once")
		}
		c.answer(t, a)
	}
	if r, isResult := m.(message.ToolResult); isResult {
		t.results = append(t.results, r)
	}
	t.open, t.blocks = nil, nil
	if c.run != nil {
		c.run.messages = append(c.run.messages, m)
	}
}

func (c *checker) answer(t *seenTurn, m message.Assistant) {
	t.answer = &m
	for _, content := range m.Content {
		if call, isCall := content.(message.ToolCall); isCall {
			if slices.ContainsFunc(t.calls, func(other message.ToolCall) bool { return other.ID == call.ID }) {
				c.fault("call %s is there twice", call.ID)
			}
			t.calls = append(t.calls, call)
		}
	}
	cut := m.StopReason == message.StopAborted || m.StopReason == message.StopError
	if u := m.Usage; u.TotalTokens != u.Input+u.Output+u.CacheRead+u.CacheWrite || cut == (m.ErrorMessage == "") {
		c.fault("the total is no sum, or an error without a message, or the reverse")
	}
	if !cut && m.StopReason != message.StopLength && (m.StopReason == message.StopToolUse) != (len(t.calls) > 0) {
		c.fault("%d calls, and it stopped because of %s", len(t.calls), m.StopReason)
	}
	if c.run != nil {
		c.run.stop, c.run.failure = m.StopReason, ""
		if m.StopReason == message.StopError {
			c.run.failure = m.ErrorMessage
		}
	}
}

func (c *checker) startCall(e ToolExecutionStart) {
	t := c.turn()
	i := slices.IndexFunc(t.calls, func(call message.ToolCall) bool { return call.ID == e.ToolCallID })
	_, runs := c.running[e.ToolCallID]
	switch {
	case i < 0 || runs || t.open != nil:
		c.fault("no call of the answer, or it was started before")
	case t.calls[i].Name != e.ToolName || !sameJSON(t.calls[i].Arguments, e.Args):
		c.fault("the answer has the call %s", rawjson.Marshal(t.calls[i]))
	}
	c.running[e.ToolCallID] = seenCall{e}
}

func (c *checker) updateCall(e ToolExecutionUpdate) {
	call, runs := c.running[e.ToolCallID]
	if !runs || call.start.ToolName != e.ToolName || !sameJSON(call.start.Args, e.Args) {
		c.fault("the call does not run, or is another")
	}
	c.progressed(e)
}

func (c *checker) endCall(e ToolExecutionEnd) {
	t := c.turn()
	call, runs := c.running[e.ToolCallID]
	if !runs || call.start.ToolName != e.ToolName || t.open != nil {
		c.fault("the call does not run, or is another")
	}
	delete(c.running, e.ToolCallID)
	t.calls = slices.DeleteFunc(t.calls, func(call message.ToolCall) bool { return call.ID == e.ToolCallID })
	t.result = &e
	c.keptTodos(e)
	if e.ToolName == "task" {
		c.delegated(e)
	}
}

// result takes the message of a call that has just ended.
func (c *checker) result(t *seenTurn, m message.ToolResult) {
	e := t.result
	t.result = nil
	if e == nil || c.before != "tool_execution_end" {
		c.fault("not right after the end of its call")
		return
	}
	if m.ToolCallID != e.ToolCallID || m.ToolName != e.ToolName || m.IsError != e.IsError || !sameValue(e.Result, message.Result{Content: m.Content, Details: m.Details}) {
		c.fault("the call ended with %s", rawjson.Marshal(e))
	}
}

func (c *checker) beginRetry(e AutoRetryStart) {
	switch {
	case c.before != "agent_end" || c.failed == "" || c.failed != e.ErrorMessage:
		c.fault("not right after a run that failed so: %q", c.failed)
	case e.Attempt != c.retry+1 || e.Attempt > e.MaxAttempts || e.DelayMS <= 0:
		c.fault("attempt %d is due", c.retry+1)
	}
	c.retry = e.Attempt
}

func (c *checker) endRetry(e AutoRetryEnd) {
	answered := c.run != nil && c.run.turn != nil && c.run.turn.answer != nil && c.run.failure == ""
	if c.retry == 0 || e.Attempt != c.retry || e.Success != answered || e.Success == (e.FinalError != "") || !e.Success && c.run != nil {
		c.fault("no retry, or it did not end so")
	}
	c.retry = 0
}

func (c *checker) beginRoom(e AutoCompactionStart) {
	if c.before != "agent_end" || c.room != "" || (e.Reason == CompactionOverflow) != (c.failed != "") {
		c.fault("not right after a run that is its reason")
	}
	c.room = e.Reason
}

func (c *checker) endRoom(e AutoCompactionEnd) {
	done := e.Result != nil
	if c.room == "" || c.run != nil || e.WillRetry != (done && c.room == CompactionOverflow) || done && (e.Aborted || e.ErrorMessage != "") {
		c.fault("no compaction, or it did not end so")
	}
	if !done && !e.Aborted && e.ErrorMessage == "" && !e.Skipped {
		c.fault("nothing came of it, for no reason")
	}
	c.room, c.goesOn = "", done
}

// end takes the end of the output; cut says that the input was not read to its end.
func (c *checker) end(cut bool) {
	if !c.idle() || len(c.running) > 0 {
		c.fault("at the end a run, a retry or a compaction is on")
	}
	if n := len(c.pending); n != c.refused && !cut && c.ready {
		var names []string
		for _, p := range c.pending {
			names = append(names, p.name+string(p.id))
		}
		c.fault("%d commands have no answer with an id, %d answers have none: %v", n, c.refused, names)
	}
}
