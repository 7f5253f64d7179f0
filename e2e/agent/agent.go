package agent

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ScriptVariable is the variable of the environment that has the path of the script.
const ScriptVariable = "PARLEY_TEST_AGENT_SCRIPT"

// A message is a line of the protocol.
type message struct {
	ID     jsontext.Value `json:"id,omitzero"`
	Method string         `json:"method,omitzero"`
	Params struct {
		SessionID string `json:"sessionId"`
		ConfigID  string `json:"configId"`
		Value     string `json:"value"`
		Prompt    []struct {
			Text string `json:"text"`
		} `json:"prompt"`
	} `json:"params"`
	Result struct {
		Outcome struct {
			Outcome  string `json:"outcome"`
			OptionID string `json:"optionId"`
		} `json:"outcome"`
		Action  string         `json:"action"`
		Content jsontext.Value `json:"content"`
	} `json:"result"`
}

// Play is an agent of the Agent Client Protocol, on standard input and output. It reports whether ScriptVariable names a script, and returns
// when its input has ended. The script has a paragraph for each prompt, of lines with a verb and an argument:
//
//	on TEXT                       as the first line: the paragraph is for any prompt whose last text contains this one, however often
//	say TEXT, think TEXT          a piece of an answer, of reasoning
//	call ID KIND JSON             a call with its input; the title is the id
//	ask ID                        requests permission, and waits; denied: skips to the line "end ID"
//	write ID TEXT, end ID TEXT    output and the end of a call
//	fail ID TEXT                  a call that failed
//	run COMMAND                   runs a command of the shell, and waits for its end; session/cancel kills the shell, and ends the turn
//	hang                          waits for session/cancel, and ends the turn as cancelled
//	exit                          ends the process
//	noise                         lines that are no messages
//	stop REASON                   the end; without it end_turn
//	update JSON                   an update as it is, $DIR in it being the folder of the agent
//	question JSON                 a form for the user with these properties; what was answered is said
//
// What it gets is written to the file of the script with .log at its end. On the signal CloseOutput, where there is one, it closes its output.
func Play() bool {
	path := os.Getenv(ScriptVariable)
	if path == "" {
		return false
	}
	play(path)
	return true
}

func play(path string) {
	closeOutput()
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	log, err := os.OpenFile(path+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	a := &player{log: log, lines: make(chan message), chosen: map[string]string{}}
	for paragraph := range strings.SplitSeq(strings.Trim(string(data), "\n"), "\n\n") {
		if first, rest, _ := strings.Cut(paragraph, "\n"); strings.HasPrefix(first, "on ") {
			a.replies = append(a.replies, reply{first[len("on "):], rest})
		} else {
			a.script = append(a.script, paragraph)
		}
	}
	go func() {
		defer close(a.lines)
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			fmt.Fprintf(log, "%s\n", in.Bytes())
			var m message
			if json.Unmarshal(in.Bytes(), &m) == nil {
				a.lines <- m
			}
		}
	}()
	for m := range a.lines {
		a.take(m)
	}
}

type player struct {
	script  []string // for one prompt after the other
	replies []reply
	log     *os.File
	lines   chan message
	asked   int
	chosen  map[string]string // values of options by their ids
}

// A reply is the paragraph for prompts with a text.
type reply struct{ text, paragraph string }

// paragraph returns what is played for a prompt, whose last text is this one.
func (a *player) paragraph(prompt string) (paragraph string) {
	for _, r := range a.replies {
		if strings.Contains(prompt, r.text) {
			return r.paragraph
		}
	}
	if len(a.script) == 0 {
		return "say Nothing is left to say."
	}
	paragraph, a.script = a.script[0], a.script[1:]
	return paragraph
}

// options returns the options of the session: the model, and a style.
func (a *player) options() string {
	value := func(id, standard string) string {
		if v := a.chosen[id]; v != "" {
			return v
		}
		return standard
	}
	return fmt.Sprintf(`[{"id":"model","name":"Model","category":"model","type":"select","currentValue":%q,"options":[{"value":"fast","name":"Fast"},{"value":"deep","name":"Deep"}]},`+
		`{"id":"style","name":"Style","type":"select","currentValue":%q,"options":[{"value":"plain","name":"Plain"},{"value":"terse","name":"Terse"}]}]`,
		value("model", "fast"), value("style", "plain"))
}

func (a *player) write(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// Quote returns a text as JSON.
func Quote(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

func (a *player) update(format string, args ...any) {
	a.write(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"their-1","update":%s}}`, fmt.Sprintf(format, args...))
}

func (a *player) take(m message) {
	switch m.Method {
	case "initialize":
		a.write(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"agentInfo":{"name":"scripted","version":"7"}}}`, m.ID)
	case "session/new":
		a.write(`{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"their-1","modes":{"currentModeId":"yolo","availableModes":[{"id":"default","name":"Ask"},{"id":"yolo","name":"Free"}]},"configOptions":%s}}`, m.ID, a.options())
	case "session/set_config_option":
		if !strings.Contains(a.options(), `"value":`+Quote(m.Params.Value)) {
			a.write(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"there is no %s"}}`, m.ID, m.Params.Value)
			return
		}
		a.chosen[m.Params.ConfigID] = m.Params.Value
		a.write(`{"jsonrpc":"2.0","id":%s,"result":{"configOptions":%s}}`, m.ID, a.options())
	case "session/load":
		if _, err := os.Stat(a.log.Name() + ".forgotten"); err == nil {
			a.write(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"no such session"}}`, m.ID)
			return
		}
		a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a replay"}}`)
		a.write(`{"jsonrpc":"2.0","id":%s,"result":{"configOptions":%s}}`, m.ID, a.options())
	case "session/prompt":
		text := ""
		if n := len(m.Params.Prompt); n > 0 {
			text = m.Params.Prompt[n-1].Text
		}
		if stop := a.prompt(a.paragraph(text)); stop != "" {
			a.write(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":%q,"usage":{"inputTokens":100,"outputTokens":20,"totalTokens":120}}}`, m.ID, stop)
		}
	case "session/cancel", "":
	default:
		a.write(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
	}
}

// prompt plays a paragraph, and returns the reason of the end; "": there is none.
func (a *player) prompt(paragraph string) (stop string) {
	skipping := ""
	for line := range strings.Lines(paragraph) {
		verb, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		id, text, _ := strings.Cut(rest, " ")
		if skipping != "" && (verb != "end" || id != skipping) {
			continue
		}
		switch verb {
		case "say":
			a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}`, Quote(rest))
		case "think":
			a.update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":%s}}`, Quote(rest))
		case "call":
			kind, input, _ := strings.Cut(text, " ")
			a.update(`{"sessionUpdate":"tool_call","toolCallId":%q,"title":%q,"kind":%q,"status":"pending","rawInput":{}}`, id, id, kind)
			a.update(`{"sessionUpdate":"tool_call_update","toolCallId":%q,"rawInput":%s}`, id, input)
		case "ask":
			if outcome := a.ask(id); outcome != "yes" {
				skipping = id
				if outcome == "" {
					return "cancelled"
				}
			}
		case "write":
			a.update(`{"sessionUpdate":"tool_call_update","toolCallId":%q,"status":"in_progress","content":[{"type":"content","content":{"type":"text","text":%s}}]}`, id, Quote(text))
		case "end", "fail":
			status := map[string]string{"end": "completed", "fail": "failed"}[verb]
			if skipping != "" {
				status, skipping = "failed", ""
			}
			a.update(`{"sessionUpdate":"tool_call_update","toolCallId":%q,"status":%q,"content":[{"type":"content","content":{"type":"text","text":%s}}]}`, id, status, Quote(text))
		case "run":
			if !a.run(rest) {
				return "cancelled"
			}
		case "hang":
			for m := range a.lines {
				if m.Method == "session/cancel" {
					return "cancelled"
				}
			}
			os.Exit(0)
		case "exit":
			fmt.Fprintln(os.Stderr, "out of cheese with sk-do-not-show-this-1234567890")
			os.Exit(3)
		case "noise":
			a.write("this is no message\n\n[1]\n{\"jsonrpc\":\"2.0\",\"method\":\"session/newer_thing\",\"params\":{}}")
		case "update":
			dir, _ := os.Getwd()
			a.update("%s", strings.ReplaceAll(rest, "$DIR", dir))
		case "question":
			answer := a.request("elicitation/create", fmt.Sprintf(`"mode":"form","message":"The agent asks.","requestedSchema":{"type":"object","properties":%s}`, rest))
			a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}`, Quote("The answer is "+answer.Result.Action+" "+string(answer.Result.Content)+"."))
		case "stop":
			stop = rest
		}
	}
	if stop == "" {
		stop = "end_turn"
	}
	return stop
}

// run runs a command. False: the turn was cancelled meanwhile.
func (a *player) run(command string) bool {
	shell := exec.Command("sh", "-c", command)
	if err := shell.Start(); err != nil {
		panic(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = shell.Wait() // how it ends does not count
	}()
	for {
		select {
		case <-over:
			return true
		case m, open := <-a.lines:
			if !open {
				os.Exit(0)
			}
			if m.Method == "session/cancel" {
				_ = shell.Process.Kill() // it may have ended
				<-over
				return false
			}
		}
	}
}

// ask requests permission, and returns the id of the option; "": it was cancelled.
func (a *player) ask(id string) string {
	return a.request("session/request_permission", fmt.Sprintf(`"toolCall":{"toolCallId":%q},"options":[{"optionId":"always","name":"Always","kind":"allow_always"},{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]`, id)).Result.Outcome.OptionID
}

// request sends a request with further parameters, and returns the answer.
func (a *player) request(method, params string) message {
	a.asked++
	id := fmt.Sprintf(`"ask-%d"`, a.asked)
	a.write(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"sessionId":"their-1",%s}}`, id, method, params)
	for m := range a.lines {
		if string(m.ID) == id && m.Method == "" {
			return m
		}
	}
	os.Exit(0)
	return message{}
}
