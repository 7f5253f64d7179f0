package acp

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/backendtest"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(framesVariable); path != "" {
		playFrames(path)
		return
	}
	backendtest.Main(m, func(p *backendtest.Player) backendtest.Speaker { return &speaker{Player: p} })
}

// TestDriver: the driver passes the suite of all drivers.
func TestDriver(t *testing.T) {
	backendtest.Run(t, backendtest.Subject{New: func(o backendtest.Options) backend.Backend {
		return New(Options{Name: backendtest.Name, Program: o.Program, StartLimit: o.StartLimit, Silence: o.Silence, Version: "1"})
	}})
}

// A speaker is an agent of the Agent Client Protocol, in the newer form: with config options.
type speaker struct {
	*backendtest.Player
	session string
	prompt  jsontext.Value // id of the request
	asked   int
}

// A message is a line of the client.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params struct {
		SessionID string `json:"sessionId"`
		ConfigID  string `json:"configId"`
		Value     any    `json:"value"`
		Prompt    []struct {
			Text string `json:"text"`
		} `json:"prompt"`
	} `json:"params"`
	Result struct {
		Outcome struct {
			Outcome  string `json:"outcome"`
			OptionID string `json:"optionId"`
		} `json:"outcome"`
	} `json:"result"`
}

func (s *speaker) reply(id jsontext.Value, result string) {
	s.Write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
}

func (s *speaker) fail(id jsontext.Value, code int, text string) {
	s.Write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, backendtest.Quote(text)))
}

func (s *speaker) update(format string, args ...any) {
	s.Write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, s.session, fmt.Sprintf(format, args...)))
}

func parse(line []byte) (m message) {
	if err := json.Unmarshal(line, &m); err != nil {
		panic(err)
	}
	return m
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
			s.reply(m.ID, `{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{},"close":{},"fork":{}}},"agentInfo":{"name":"scripted","version":"7"},"_meta":{"steering":{"supported":true}}}`)
		case "session/new":
			s.session = s.NewSession()
			s.update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"compact","description":"Summarise"}]}`)
			s.reply(m.ID, fmt.Sprintf(`{"sessionId":%q,"configOptions":%s}`, s.session, s.options()))
		case "session/resume":
			if !s.Has(m.Params.SessionID) {
				s.fail(m.ID, -32002, "Resource not found")
				continue
			}
			s.session = m.Params.SessionID
			s.reply(m.ID, fmt.Sprintf(`{"configOptions":%s}`, s.options()))
		case "session/fork":
			s.reply(m.ID, fmt.Sprintf(`{"sessionId":%q}`, s.NewSession()))
		case "session/set_config_option":
			s.set(m)
		case "session/prompt":
			s.prompt = m.ID
			if m.Params.Prompt[0].Text != "/compact" {
				return true
			}
			s.Compact(backendtest.Summary)
			s.Stop(backendtest.StopEnd)
		case "_session/steering":
			s.reply(m.ID, `{"outcome":"promptRequired","reason":"noRunningTurn"}`)
		case "":
		default:
			if m.ID != nil {
				s.reply(m.ID, `{}`)
			}
		}
	}
}

// options returns the config options.
func (s *speaker) options() string {
	option := func(id, category, value string, values []string) string {
		var list []string
		for _, v := range values {
			list = append(list, fmt.Sprintf(`{"value":%q,"name":%q}`, v, strings.ToUpper(v)))
		}
		return fmt.Sprintf(`{"id":%q,"name":%q,"category":%q,"type":"select","currentValue":%q,"options":[%s]}`, id, id, category, value, strings.Join(list, ","))
	}
	return "[" + option("llm", "model", s.Settings.Model, backendtest.Models) + "," +
		option("effort", "thought_level", s.Settings.Thinking, backendtest.Levels) + "," + option("style", "", s.Settings.Style, backendtest.Styles) + "]"
}

func (s *speaker) set(m message) {
	values, value := backendtest.Models, &s.Settings.Model
	switch m.Params.ConfigID {
	case "effort":
		values, value = backendtest.Levels, &s.Settings.Thinking
	case "style":
		values, value = backendtest.Styles, &s.Settings.Style
	}
	to, _ := m.Params.Value.(string)
	if !slices.Contains(values, to) {
		s.fail(m.ID, -32602, "no such value")
		return
	}
	*value = to
	s.reply(m.ID, fmt.Sprintf(`{"configOptions":%s}`, s.options()))
}

// Say implements backendtest.Speaker.
func (s *speaker) Say(text string) {
	s.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}`, backendtest.Quote(text))
}

// Think implements backendtest.Speaker.
func (s *speaker) Think(text string) {
	s.update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":%s}}`, backendtest.Quote(text))
}

// Call implements backendtest.Speaker. The input comes later, as that of most agents.
func (s *speaker) Call(c backendtest.Call) {
	s.update(`{"sessionUpdate":"tool_call","toolCallId":%q,"title":"A call","kind":%q,"status":"pending","rawInput":{}}`, c.ID, c.Kind)
	s.update(`{"sessionUpdate":"tool_call_update","toolCallId":%q,"rawInput":%s}`, c.ID, c.Input)
}

// Output implements backendtest.Speaker.
func (s *speaker) Output(call, text string) { s.report(call, "in_progress", text) }

// End implements backendtest.Speaker.
func (s *speaker) End(call, text string, succeeded bool) {
	status := "completed"
	if !succeeded {
		status = "failed"
	}
	s.report(call, status, text)
}

func (s *speaker) report(call, status, text string) {
	s.update(`{"sessionUpdate":"tool_call_update","toolCallId":%q,"status":%q,"content":[{"type":"content","content":{"type":"text","text":%s}}]}`,
		call, status, backendtest.Quote(text))
}

// Ask implements backendtest.Speaker.
func (s *speaker) Ask(call string) backendtest.Answer {
	s.asked++
	id := fmt.Sprintf(`"ask-%d"`, s.asked)
	s.Write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/request_permission","params":{"sessionId":%q,"toolCall":{"toolCallId":%q},"options":[`+
		`{"optionId":"always","name":"Always","kind":"allow_always"},{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}`, id, s.session, call))
	for {
		m := parse(s.MustRead())
		if m.Method == "" && string(m.ID) == id {
			return backendtest.Answer{Allow: m.Result.Outcome.OptionID == "yes", Cancel: m.Result.Outcome.Outcome == "cancelled"}
		}
	}
}

// Compact implements backendtest.Speaker.
func (s *speaker) Compact(summary string) {
	s.update(`{"sessionUpdate":"compaction_update","compactionId":"k-1","status":"in_progress"}`)
	s.update(`{"sessionUpdate":"compaction_update","compactionId":"k-1","status":"completed","summary":[{"type":"text","text":%s}]}`, backendtest.Quote(summary))
}

// Steer implements backendtest.Speaker.
func (s *speaker) Steer() string {
	m := s.await("_session/steering")
	s.reply(m.ID, `{"outcome":"injected"}`)
	return m.Params.Prompt[0].Text
}

// Hang implements backendtest.Speaker.
func (s *speaker) Hang() { s.await("session/cancel") }

// await returns the next message with a method.
func (s *speaker) await(method string) message {
	for {
		if m := parse(s.MustRead()); m.Method == method {
			return m
		}
	}
}

// Stop implements backendtest.Speaker.
func (s *speaker) Stop(reason string) {
	stop := map[string]string{backendtest.StopEnd: "end_turn", backendtest.StopTokens: "max_tokens", backendtest.StopInterrupted: "cancelled"}[reason]
	if stop == "" {
		s.fail(s.prompt, -32603, "the model is overloaded")
		return
	}
	s.reply(s.prompt, fmt.Sprintf(`{"stopReason":%q,"usage":{"inputTokens":100,"outputTokens":20,"totalTokens":120}}`, stop))
}
