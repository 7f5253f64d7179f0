package codex

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/backendtest"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(serverVariable); path != "" {
		playServer(path)
		return
	}
	backendtest.Main(m, func(p *backendtest.Player) backendtest.Speaker { return &speaker{Player: p} })
}

// TestDriver: the driver passes the suite of all drivers.
func TestDriver(t *testing.T) {
	backendtest.Run(t, backendtest.Subject{NoSummaries: true, New: func(o backendtest.Options) backend.Backend {
		return New(Options{Name: backendtest.Name, Program: o.Program, StartLimit: o.StartLimit, Silence: o.Silence, Version: "1"})
	}})
}

// A speaker is an app-server.
type speaker struct {
	*backendtest.Player
	session string
	turns   []string // ids of the turns with a prompt
	turn    string   // that runs, or ran
	number  int      // of messages, requests and turns
	total   int      // tokens
	text    string   // item of the message under way; "": none is
	model   string
	effort  string
}

// A clientFrame is a line of the driver.
type clientFrame struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params struct {
		ThreadID     string `json:"threadId"`
		Model        string `json:"model"`
		Effort       string `json:"effort"`
		BeforeTurnID string `json:"beforeTurnId"`
		Input        []struct {
			Text string `json:"text"`
		} `json:"input"`
	} `json:"params"`
	Result struct {
		Decision string `json:"decision"`
	} `json:"result"`
}

func parse(line []byte) (m clientFrame) {
	if err := json.Unmarshal(line, &m); err != nil {
		panic(err)
	}
	return m
}

func (s *speaker) reply(id jsontext.Value, format string, args ...any) {
	s.Write(fmt.Sprintf(`{"id":%s,"result":%s}`, id, fmt.Sprintf(format, args...)))
}

func (s *speaker) fail(id jsontext.Value, text string) {
	s.Write(fmt.Sprintf(`{"id":%s,"error":{"code":-32600,"message":%s}}`, id, backendtest.Quote(text)))
}

// notify writes a notification of the turn.
func (s *speaker) notify(method, format string, args ...any) {
	s.Write(fmt.Sprintf(`{"method":%q,"params":{"threadId":%q,"turnId":%q,%s},"emittedAtMs":1}`, method, s.session, s.turn, fmt.Sprintf(format, args...)))
}

// status writes that the thread is idle or active.
func (s *speaker) status(status string) {
	s.Write(fmt.Sprintf(`{"method":"thread/status/changed","params":{"threadId":%q,"status":{"type":%q,"activeFlags":[]}}}`, s.session, status))
}

// Next implements backendtest.Speaker.
func (s *speaker) Next() bool {
	for {
		line, ok := s.Read()
		if !ok {
			return false
		}
		m := parse(line)
		switch m.Method {
		case "initialize":
			s.reply(m.ID, `{"userAgent":"parley/0.169.0 (Debian 12.0.0; x86_64) unknown (parley; 1)","codexHome":"/home/codex"}`)
		case "thread/start":
			s.open(m, s.NewSession())
		case "thread/resume":
			if !s.Has(m.Params.ThreadID) {
				s.fail(m.ID, "no rollout found for thread id "+m.Params.ThreadID)
				continue
			}
			s.open(m, m.Params.ThreadID)
		case "thread/fork":
			s.reply(m.ID, `{"thread":{"id":%q,"turns":[]}}`, s.NewSession())
		case "thread/turns/list":
			s.list(m)
		case "model/list":
			s.reply(m.ID, `{"data":[{"model":"m-1","displayName":"One","isDefault":true,"supportedReasoningEfforts":%s},{"model":"m-2","supportedReasoningEfforts":%s},{"model":"m-0","hidden":true}],"nextCursor":null}`, efforts, efforts)
		case "turn/start":
			s.begin(m)
			s.turns = append(s.turns, s.turn)
			return true
		case "thread/compact/start":
			s.reply(m.ID, `{}`)
			s.name()
			s.started()
			s.Compact("")
			s.Stop(backendtest.StopEnd)
		case "turn/steer":
			s.fail(m.ID, "no active turn to steer")
		case "turn/interrupt":
			s.fail(m.ID, "no active turn to interrupt")
		case "":
		default:
			if m.ID != nil {
				s.reply(m.ID, `{}`)
			}
		}
	}
}

const efforts = `[{"reasoningEffort":"low"},{"reasoningEffort":"high"},{"reasoningEffort":"ultra"}]`

func (s *speaker) open(m clientFrame, session string) {
	s.session, s.model, s.effort = session, s.Settings.Model, s.Settings.Thinking
	s.reply(m.ID, `{"thread":{"id":%q,"turns":[]},"model":%q,"reasoningEffort":%q}`, session, s.model, s.effort)
}

// begin begins the turn of a prompt.
func (s *speaker) begin(m clientFrame) {
	s.Settings.Model, s.Settings.Thinking = m.Params.Model, m.Params.Effort
	s.name()
	s.reply(m.ID, `{"turn":{"id":%q,"status":"inProgress","items":[],"error":null}}`, s.turn)
	s.started()
	s.item("completed", `"type":"userMessage","id":"u-%d","content":[{"type":"text","text":"a prompt"}]`, s.number)
}

func (s *speaker) started() {
	s.Write(fmt.Sprintf(`{"method":"turn/started","params":{"threadId":%q,"turn":{"id":%q,"status":"inProgress"}}}`, s.session, s.turn))
}

// name gives the next turn its id.
func (s *speaker) name() {
	s.number++
	s.turn = fmt.Sprintf("turn-%d", s.number)
	s.status("active")
}

func (s *speaker) list(m clientFrame) {
	var all []string
	for _, id := range s.turns {
		all = append(all, fmt.Sprintf(`{"id":%q,"status":"completed","items":[{"type":"userMessage","id":"u"}]}`, id))
	}
	all = append(all, `{"id":"turn-of-a-compaction","status":"completed","items":[]}`)
	s.reply(m.ID, `{"data":[%s],"nextCursor":null}`, strings.Join(all, ","))
}

// item writes the start or the end of an item.
func (s *speaker) item(event, format string, args ...any) {
	s.notify("item/"+event, `"item":{%s}`, fmt.Sprintf(format, args...))
}

// Say implements backendtest.Speaker.
func (s *speaker) Say(text string) {
	if s.text == "" {
		s.number++
		s.text = fmt.Sprintf("msg-%d", s.number)
		s.item("started", `"type":"agentMessage","id":%q,"text":""`, s.text)
	}
	s.notify("item/agentMessage/delta", `"itemId":%q,"delta":%s`, s.text, backendtest.Quote(text))
}

// endText ends the message under way. Its whole text is not looked at.
func (s *speaker) endText() {
	if s.text != "" {
		s.item("completed", `"type":"agentMessage","id":%q,"text":"as streamed"`, s.text)
		s.text = ""
	}
}

// Think implements backendtest.Speaker.
func (s *speaker) Think(text string) {
	s.notify("item/reasoning/summaryTextDelta", `"itemId":"rs-1","delta":%s,"summaryIndex":0`, backendtest.Quote(text))
}

// Call implements backendtest.Speaker.
func (s *speaker) Call(c backendtest.Call) {
	s.endText()
	var input struct {
		Command string `json:"command"`
		Path    string `json:"path"`
	}
	if err := json.Unmarshal(c.Input, &input); err != nil {
		panic(err)
	}
	switch c.Kind {
	case "execute":
		s.item("started", `"type":"commandExecution","id":%q,"command":%s,"cwd":"/work","status":"inProgress"`, c.ID, backendtest.Quote("/bin/bash -lc '"+input.Command+"'"))
	case "edit":
		s.item("started", `"type":"fileChange","id":%q,"status":"inProgress","changes":[{"path":%s,"kind":{"type":"add"},"diff":"x\n"}]`, c.ID, backendtest.Quote(input.Path))
	default:
		s.item("started", `"type":"imageView","id":%q,"path":%s`, c.ID, backendtest.Quote(input.Path))
	}
}

// Output implements backendtest.Speaker.
func (s *speaker) Output(call, text string) {
	s.notify("item/commandExecution/outputDelta", `"itemId":%q,"delta":%s`, call, backendtest.Quote(text))
}

// End implements backendtest.Speaker.
func (s *speaker) End(call, text string, succeeded bool) {
	status, code := "completed", 0
	if !succeeded {
		status, code = "declined", 1
	}
	s.item("completed", `"type":"commandExecution","id":%q,"status":%q,"command":"x","cwd":"/work","aggregatedOutput":%s,"exitCode":%d`, call, status, backendtest.Quote(text), code)
}

// Ask implements backendtest.Speaker.
func (s *speaker) Ask(call string) backendtest.Answer {
	s.number++
	id := fmt.Sprint(s.number)
	s.Write(fmt.Sprintf(`{"method":"item/commandExecution/requestApproval","id":%s,"params":{"kind":"command","threadId":%q,"turnId":%q,"itemId":%q}}`, id, s.session, s.turn, call))
	for {
		m := parse(s.MustRead())
		switch {
		case m.Method == "turn/interrupt":
			s.reply(m.ID, `{}`)
			return backendtest.Answer{Cancel: true}
		case m.Method == "" && string(m.ID) == id:
			return backendtest.Answer{Allow: m.Result.Decision == "accept", Cancel: m.Result.Decision == "cancel"}
		}
	}
}

// Compact implements backendtest.Speaker. The summary is not reported.
func (s *speaker) Compact(string) {
	s.endText()
	s.item("started", `"type":"contextCompaction","id":"k-1"`)
	s.item("completed", `"type":"contextCompaction","id":"k-1"`)
}

// Steer implements backendtest.Speaker.
func (s *speaker) Steer() string {
	m := s.await("turn/steer")
	s.reply(m.ID, `{"turnId":%q}`, s.turn)
	return m.Params.Input[0].Text
}

// Hang implements backendtest.Speaker.
func (s *speaker) Hang() { s.reply(s.await("turn/interrupt").ID, `{}`) }

// await returns the next request with a method.
func (s *speaker) await(method string) clientFrame {
	for {
		if m := parse(s.MustRead()); m.Method == method {
			return m
		}
	}
}

// Stop implements backendtest.Speaker.
func (s *speaker) Stop(reason string) {
	s.endText()
	s.total++
	s.notify("thread/tokenUsage/updated", `"tokenUsage":{"total":{"totalTokens":%d},"last":{"totalTokens":120,"inputTokens":100,"outputTokens":20},"modelContextWindow":1000}`, s.total*120)
	status, failure := "completed", "null"
	switch reason {
	case backendtest.StopInterrupted:
		status = "interrupted"
	case backendtest.StopFailed:
		status, failure = "failed", `{"message":"the model is overloaded","codexErrorInfo":"serverOverloaded"}`
	}
	s.status("idle")
	s.notify("turn/completed", `"turn":{"id":%q,"items":[],"status":%q,"error":%s}`, s.turn, status, failure)
}
