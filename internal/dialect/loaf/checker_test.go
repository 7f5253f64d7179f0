package loaf

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// A checker is the strictest client there can be: it holds what one process says to the
// rules of order (docs/loaf.md, "Order").
//
//   - Each request has one response with its id; notifications have no id at all.
//   - Responses come in the order of the requests, but for methods that take a while.
//   - Response first: nothing of a turn comes before the response that names it.
//   - One line: in the scope turn, nothing comes that belongs to no turn and no sign-in.
//   - A turn begins with preparing and ends with ready; nothing of its session comes after it. A prompt or a steer
//     that was accepted begins it.
//   - The first message of a turn in the scope turn closes it; the chunks are its text.
//   - Calls that were started are completed, in rounds that repeat the same.
//   - Estimates are sums; a request after a turn finds the session idle.
type checker struct {
	format  EventFormat
	scope   EventScope
	asked   map[jsonrpc.ID]int    // lines without a response, by id
	methods map[jsonrpc.ID]string // of all requests, by id
	// immediate is the requests without a response that are answered in the order of arrival.
	immediate []jsonrpc.ID
	shut      bool // what is asked from now on need not be answered
	closed    bool // a shutdown was answered
	sessions  map[string]*seenSession
	signing   bool         // a sign-in was announced
	messages  map[int]bool // IDs that were sent
	problems  []string
}

// A seenSession is one that was created.
type seenSession struct {
	known  map[string]bool // turns that were accepted and did not begin
	ended  map[string]bool
	steers int // that were accepted and not applied: the first of them may begin a turn
	turn   *seenTurn
	// compacting: outside a turn, which is sent to the scope all only.
	compacting bool
}

// A seenTurn is one that runs.
type seenTurn struct {
	id       string
	answer   strings.Builder // of chunks
	chunks   int
	messages []Message // that close it
	open     []string  // call ids
	round    []Executed
	verdicts []string // session.completed, session.interrupted, session.error
}

func newChecker(format EventFormat) *checker {
	m := deliveryOf(format, "")
	return &checker{
		format: m.format, scope: m.scope, asked: map[jsonrpc.ID]int{}, methods: map[jsonrpc.ID]string{}, sessions: map[string]*seenSession{},
		messages: map[int]bool{},
	}
}

func (c *checker) fault(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// received takes a line of the client's, before the program sees it.
func (c *checker) received(line []byte) {
	message, refused := decode(line)
	switch m := message.(type) {
	case ignored:
		return
	case request:
		c.ask(m.id, m.method)
		return
	}
	if refused != nil {
		c.ask(cmp.Or(refused.id, jsonrpc.Null), refused.method)
	}
}

func (c *checker) ask(id jsonrpc.ID, method string) {
	if c.shut {
		return
	}
	c.asked[id]++
	c.methods[id] = method
	if !slices.Contains(slowMethods, method) {
		c.immediate = append(c.immediate, id)
	}
}

// slowMethods may be answered after requests that came later.
var slowMethods = []string{
	"auth.connect.openai", "auth.set.openrouter_key", "limits.get", "model.openrouter.providers", "command.execute", "model.select", "system.shutdown",
}

// inOrder checks that the oldest request that is to be answered at once is answered first.
func (c *checker) inOrder(id jsonrpc.ID) {
	i := slices.Index(c.immediate, id)
	if i < 0 {
		return
	}
	if i > 0 {
		c.fault("the response to %s comes before that to %s", id, c.immediate[0])
	}
	c.immediate = slices.Delete(c.immediate, i, i+1)
}

// wireLine is any line.
type wireLine struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  string         `json:"method"`
	Params  jsontext.Value `json:"params"`
	Result  jsontext.Value `json:"result"`
	Error   *struct {
		Code    int       `json:"code"`
		Message string    `json:"message"`
		Data    ErrorData `json:"data"`
	} `json:"error"`
}

// line takes the next line of the program's.
func (c *checker) line(line []byte) {
	before := len(c.problems)
	if c.closed {
		c.fault("a line after the answer to a shutdown")
	}
	var l wireLine
	switch err := json.Unmarshal(line, &l); {
	case err != nil:
		c.fault("not JSON: %v", err)
	case l.Version != "2.0":
		c.fault("version %q", l.Version)
	case l.ID != nil:
		c.response(l)
	case l.Method == "" || l.Result != nil || l.Error != nil:
		c.fault("neither a response nor a notification")
	default:
		c.notification(l)
	}
	for i := range c.problems[before:] {
		c.problems[before+i] += "\n\tin " + prefix(string(line))
	}
}

func prefix(line string) string {
	if len(line) > 1500 {
		return line[:1500] + "…"
	}
	return line
}

func (c *checker) response(l wireLine) {
	id := jsonrpc.ID(l.ID)
	if c.asked[id]--; c.asked[id] < 0 {
		c.fault("a response without a request")
	}
	c.inOrder(id)
	if l.Method != "" || (l.Result == nil) == (l.Error == nil) {
		c.fault("a response has a result or an error, and no method")
	}
	if l.Error != nil {
		if l.Error.Message == "" || l.Error.Data.Reason == "" {
			c.fault("an error without message or reason")
		}
		return
	}
	switch method := c.methods[id]; method {
	case "rpc.handshake":
		c.handshake(l.Result)
	case "session.create":
		c.created(l.Result)
	case "session.get":
		c.got(l.Result)
	case "session.send":
		c.accepted(l.Result)
	case "session.steer":
		if r := parse[SessionSteerResult](c, l.Result); r.Accepted {
			c.sessions[r.SessionID].steers++
		}
	case "system.shutdown":
		c.closed = true
	case "command.execute":
		c.shut = c.shut || strings.Contains(string(l.Result), `"shutting_down":true`)
	}
}

// parse reads a value as the type of the wire file: what does not fit is a fault.
func parse[T any](c *checker, raw jsontext.Value) (v T) {
	if err := json.Unmarshal(raw, &v, json.RejectUnknownMembers(true)); err != nil {
		c.fault("%v", err)
	}
	return v
}

func (c *checker) handshake(raw jsontext.Value) {
	h := parse[HandshakeResult](c, raw)
	c.format, c.scope = h.EventFormat, h.EventScope
}

func (c *checker) created(raw jsontext.Value) {
	r := parse[SessionCreateResult](c, raw)
	if c.sessions[r.SessionID] != nil || r.State.ID != r.SessionID {
		c.fault("session %s is not new", r.SessionID)
	}
	c.sessions[r.SessionID] = &seenSession{known: map[string]bool{}, ended: map[string]bool{}}
	c.state(r.State)
}

func (c *checker) got(raw jsontext.Value) { c.state(parse[SessionState](c, raw)) }

// state: after the last line of a turn the session is idle, or runs what was queued.
func (c *checker) state(st SessionState) {
	s := c.sessions[st.ID]
	switch {
	case s == nil:
		c.fault("unknown session")
	case s.turn == nil && st.Pending && len(s.known) == 0 && !c.waiting("command.execute", "model.select"):
		c.fault("the turn is over, the session is not")
	case !st.Pending && (st.StatusLabel != labelReady || s.turn != nil):
		c.fault("idle with the label %q", st.StatusLabel)
	}
	c.breakdown(st.ContextTokenEstimate, st.ContextTokenBreakdown, st.ContextTokenSource)
	ids := map[int]bool{}
	for _, m := range st.Messages {
		if ids[m.ID] || m.Images == nil {
			c.fault("message %d is there twice, or has null for images", m.ID)
		}
		ids[m.ID] = true
	}
}

// waiting reports whether a request of one of these methods has no answer: it may sum a session up.
func (c *checker) waiting(methods ...string) bool {
	for id, n := range c.asked {
		if n > 0 && slices.Contains(methods, c.methods[id]) {
			return true
		}
	}
	return false
}

func (c *checker) breakdown(total int, b ContextBreakdown, source string) {
	if total != b.total() || source != "history" {
		c.fault("%d is not the sum, or the source is %q", total, source)
	}
}

func (c *checker) accepted(raw jsontext.Value) {
	r := parse[SessionSendResult](c, raw)
	s := c.sessions[r.SessionID]
	if s == nil || s.known[r.TurnID] || s.ended[r.TurnID] || !r.Accepted {
		c.fault("turn %s is not new", r.TurnID)
		return
	}
	s.known[r.TurnID] = true
}

func (c *checker) notification(l wireLine) {
	name, params := l.Method, l.Params
	if c.format == FormatEnvelope {
		e := parse[EventEnvelope](c, l.Params)
		if l.Method != MethodEvent || e.Timestamp == "" {
			c.fault("not in an envelope")
		}
		name, params = e.Type, e.Payload
	}
	switch {
	case name == EventStateChanged:
		c.changed(params)
	case strings.HasPrefix(name, "auth.flow."):
		c.flow(name)
	default:
		c.event(name, params)
	}
}

func (c *checker) changed(params jsontext.Value) {
	parse[StateChanged](c, params)
	if c.scope == ScopeTurn {
		c.fault("not in this scope")
	}
}

func (c *checker) flow(name string) {
	began := name == EventAuthStarted
	if began == c.signing {
		c.fault("a sign-in begins and ends once")
	}
	c.signing = name != EventAuthCompleted && name != EventAuthFailed
}

// event takes an event of a session.
func (c *checker) event(name string, params jsontext.Value) {
	var who struct {
		SessionID string `json:"session_id"`
		TurnID    string `json:"turn_id"`
	}
	if err := json.Unmarshal(params, &who); err != nil {
		c.fault("%v", err)
		return
	}
	s := c.sessions[who.SessionID]
	if s == nil {
		c.fault("an event of session %q", who.SessionID)
		return
	}
	if name == EventSessionStatus {
		c.status(s, parse[SessionStatus](c, params))
		return
	}
	t := s.turn
	switch {
	case t == nil && c.scope == ScopeAll:
		c.between(name, params)
		return
	case t == nil:
		c.fault("between turns")
		return
	case who.TurnID != "" && who.TurnID != t.id:
		c.fault("turn %s runs", t.id)
	}
	c.inTurn(t, name, params)
}

// between checks what is sent outside turns, to the scope all only: compactions and notices.
func (c *checker) between(name string, params jsontext.Value) {
	switch name {
	case EventCompactionStarted, EventCompactionAnchorSelected, EventCompactionSummaryMerged, EventCompactionCompleted, EventCompactionFailed:
	case EventMessageAppended:
		c.message(parse[MessageAppended](c, params).Message)
	case EventContextEstimate:
		c.estimate(params)
	default:
		c.fault("between turns")
	}
}

func (c *checker) status(s *seenSession, st SessionStatus) {
	if st.Pending == (st.StatusLabel == labelReady) {
		c.fault("pending is %v", st.Pending)
	}
	if st.StatusLabel == labelSteered {
		s.steers--
	}
	t := s.turn
	switch {
	case strings.HasPrefix(st.StatusLabel, "queued ("):
		if st.TurnID != "" {
			c.fault("a label of no turn")
		}
	case st.StatusLabel == labelPreparing:
		if t != nil || !s.known[st.TurnID] && s.steers == 0 {
			c.fault("turn %q was not accepted, or another one runs", st.TurnID)
		}
		delete(s.known, st.TurnID)
		s.turn = &seenTurn{id: st.TurnID}
	case t == nil && c.scope == ScopeAll && (st.StatusLabel == labelCompressing || st.StatusLabel == labelReady):
		s.compacting = st.Pending
	case t == nil:
		c.fault("between turns")
	case st.TurnID != "" && st.TurnID != t.id:
		c.fault("turn %s runs", t.id)
	case st.StatusLabel == labelReady:
		c.turnEnded(t)
		s.ended[t.id], s.turn = true, nil
	case len(t.messages) > 0:
		c.fault("after the closing message")
	}
}

func (c *checker) inTurn(t *seenTurn, name string, params jsontext.Value) {
	closing := []string{EventMessageAppended, EventContextEstimate, EventCompleted, EventInterrupted, EventError, EventDebug}
	if len(t.messages) > 0 && !slices.Contains(closing, name) {
		c.fault("after the closing message")
	}
	if len(t.verdicts) > 0 {
		c.fault("after %s", t.verdicts)
	}
	switch name {
	case EventMessageAppended:
		c.appended(t, parse[MessageAppended](c, params).Message)
	case EventStreamChunk:
		c.chunk(t, parse[StreamChunk](c, params).Chunk)
	case EventToolCallStarted:
		c.callStarted(t, parse[ToolCallStarted](c, params).Data)
	case EventToolCallCompleted:
		c.callCompleted(t, parse[ToolCallCompleted](c, params).Data)
	case EventToolResults:
		c.results(t, parse[ToolResults](c, params).Data)
	case EventContextEstimate:
		c.estimate(params)
	case EventCompleted:
		t.verdicts = append(t.verdicts, name)
		if n := parse[SessionCompleted](c, params).AnswerLength; n != units(t.answer.String()) {
			c.fault("the answer has %d units", units(t.answer.String()))
		}
	case EventInterrupted:
		t.verdicts = append(t.verdicts, name)
		if p := parse[SessionInterrupted](c, params).PartialOutput; p != (t.answer.Len() > 0) {
			c.fault("partial output of %q", t.answer.String())
		}
	case EventError:
		t.verdicts = append(t.verdicts, name)
		if parse[SessionError](c, params).Message == "" {
			c.fault("no message")
		}
	case EventDebug:
		parse[SessionDebug](c, params)
	case EventCompactionStarted, EventCompactionAnchorSelected, EventCompactionSummaryMerged, EventCompactionCompleted, EventCompactionFailed:
	default:
		c.fault("unknown event")
	}
}

func (c *checker) estimate(params jsontext.Value) {
	e := parse[ContextEstimate](c, params)
	c.breakdown(e.TotalTokensEstimate, e.Breakdown, e.Source)
}

// message: ids are of the process, across sessions.
func (c *checker) message(m Message) {
	if c.messages[m.ID] || m.ID <= 0 || m.Images == nil {
		c.fault("message %d was there before, or has null for images", m.ID)
	}
	c.messages[m.ID] = true
}

// appended: without the prompts, steers and notices of the scope all, the messages of a turn
// close it: an answer, or the system's reason why there is none, or one and then the other.
func (c *checker) appended(t *seenTurn, m Message) {
	c.message(m)
	reason := strings.HasPrefix(m.Text, "response interrupted by user.")
	if c.scope == ScopeAll && (m.Kind == KindUser || m.Kind == KindSystem && !reason && !strings.HasPrefix(m.Text, "inference error: ")) {
		return // not of the end, or it cannot be distinguished
	}
	t.messages = append(t.messages, m)
	switch {
	case m.Kind == KindUser, len(t.messages) > 2:
		c.fault("not a closing message")
	case m.Kind == KindAssistant && (t.chunks == 0 || m.Text != t.answer.String() || len(t.messages) > 1):
		c.fault("%d chunks said %q", t.chunks, t.answer.String())
	}
}

func (c *checker) chunk(t *seenTurn, ch Chunk) {
	t.chunks++
	t.answer.WriteString(ch.AnswerText)
	if ch.Thoughts == nil || ch.Segments == nil || len(ch.Thoughts) > 0 && ch.AnswerText != "" {
		c.fault("a chunk is a piece of the answer, or a thought")
	}
	for _, s := range ch.Segments {
		if s.Kind == "answer" && s.Text != ch.AnswerText || s.Kind == "thought" && !strings.HasSuffix(ch.Thoughts[0], s.Text) {
			c.fault("the segment %q is not what was said", s.Text)
		}
	}
}

func (c *checker) callStarted(t *seenTurn, d ToolStartedData) {
	if slices.Contains(t.open, d.CallID) || d.Call.CallID != d.CallID || d.Call.Name != d.ToolName || d.Call.Input.Kind() != '{' {
		c.fault("call %s was started before, or its two forms differ", d.CallID)
	}
	t.open = append(t.open, d.CallID)
}

func (c *checker) callCompleted(t *seenTurn, d ToolCompletedData) {
	i := slices.Index(t.open, d.CallID)
	if i < 0 || d.Executed.OK != d.OK || d.Executed.Name != d.ToolName || (d.Executed.Error == "") != d.OK {
		c.fault("call %s was not started, or its two forms differ", d.CallID)
		return
	}
	t.open = slices.Delete(t.open, i, i+1)
	t.round = append(t.round, d.Executed)
}

func (c *checker) results(t *seenTurn, d ToolResultsData) {
	if len(t.open) > 0 || string(value(d.Executed)) != string(value(t.round)) || len(t.round) == 0 {
		c.fault("open are %v, completed were %s", t.open, value(t.round))
	}
	t.round = nil
}

// turnEnded looks back at a turn.
func (c *checker) turnEnded(t *seenTurn) {
	if len(t.open) > 0 || len(t.round) > 0 {
		c.fault("calls without an end: %v, or results: %d", t.open, len(t.round))
	}
	if c.scope == ScopeTurn && len(t.messages) == 0 {
		c.fault("there is no closing message")
	}
	if len(t.verdicts) != 1 {
		c.fault("the turn ended with %v", t.verdicts)
	}
}

// end takes the end of the output; cut says that the input was not read to its end.
func (c *checker) end(cut bool) {
	for id, s := range c.sessions {
		if s.turn != nil {
			c.fault("turn %s of session %s did not end", s.turn.id, id)
		}
	}
	for id, n := range c.asked {
		if n > 0 && !cut && !c.shut && !c.closed {
			c.fault("request %s has no answer", id)
		}
	}
}
