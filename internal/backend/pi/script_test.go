package pi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/backend/backendtest"
)

// scriptVariable has the path of the script that this binary plays in place of its tests.
const scriptVariable = "PARLEY_TEST_PI_SCRIPT"

func TestMain(m *testing.M) {
	if path := os.Getenv(scriptVariable); path != "" {
		newPlayer(path).play()
		return
	}
	backendtest.Main(m, func(p *backendtest.Player) backendtest.Speaker { return newSpeaker(p) })
}

// object is a JSON object.
type object = map[string]any

// A player plays pi. The script has a paragraph for each prompt, of lines with a verb and an argument:
//
//	begin, over MESSAGES      agent_start, agent_end
//	say TEXT, think TEXT      a piece of an answer
//	answer STOP ERROR         its end
//	call ID NAME JSON         a call; the extension asks about it, and waits; not allowed: skips to the line "end ID"
//	start ID NAME JSON        a call that the extension does not see
//	write ID TEXT             the output so far
//	end ID TEXT, fail ID TEXT its result
//	edited ID DIFF            the result of an edit; lines of the diff end with |
//	raw LINE                  a line as it is
//	until TYPE                answers commands up to the next of the type
//	refuse TEXT               the prompt is not accepted
//	silent, accept            the answer to the prompt comes later, now
//	exit                      ends the process
//
// A paragraph without the verbs refuse and silent is played after the answer to the prompt. A line "start: LINE" before the first paragraph
// is written before anything else. What it gets is written to the file of the script with .log at its end.
type player struct {
	dir    string // of session files
	script []string
	log    *os.File
	lines  chan object
	file   string
	model  object
	level  string

	entries []object
	parent  any
	counted int

	command object // the last prompt

	streaming, compacting bool
	pending               int
	played                bool
}

func newPlayer(path string) *player {
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	log, err := os.OpenFile(path+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	p := &player{dir: filepath.Dir(path), script: strings.Split(strings.TrimSpace(string(data)), "\n\n"), log: log, lines: make(chan object), level: "medium"}
	p.model = p.models()[0]
	fmt.Fprintf(log, "args %q\n", os.Args[1:])
	p.load()
	go func() {
		defer close(p.lines)
		in := bufio.NewScanner(os.Stdin)
		in.Buffer(nil, 1<<24)
		for in.Scan() {
			fmt.Fprintf(log, "%s\n", in.Bytes())
			var m object
			if json.Unmarshal(in.Bytes(), &m) == nil {
				p.lines <- m
			}
		}
	}()
	return p
}

func (p *player) models() []object {
	return []object{
		{"id": "one", "provider": "test", "name": "One", "reasoning": true, "input": []string{"text"}, "contextWindow": 1000, "thinkingLevelMap": object{"minimal": nil}},
		{"id": "a/two", "provider": "test", "name": "Two", "reasoning": false, "input": []string{"text", "image"}, "contextWindow": 2000},
	}
}

// load takes the session of the arguments, or a new one.
func (p *player) load() {
	for i, arg := range os.Args {
		if arg == "--session" || arg == "--fork" {
			p.open(os.Args[i+1])
			if arg == "--fork" {
				dir, _ := os.Getwd()
				p.entries[0]["cwd"] = dir
				p.rename()
			}
			return
		}
	}
	dir, _ := os.Getwd()
	p.entries = []object{{"type": "session", "id": "s", "cwd": dir}}
	p.rename()
}

func (p *player) open(path string) {
	p.file, p.entries, p.parent = path, nil, nil
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	for line := range bytes.Lines(data) {
		var e object
		if err := json.Unmarshal(line, &e); err != nil {
			panic(err)
		}
		p.entries = append(p.entries, e)
		p.parent = e["id"]
		p.counted++
	}
	if len(p.entries) == 1 {
		p.parent = nil
	}
}

// rename gives the session another file, which is written with the next answer, or now if there is one.
func (p *player) rename() {
	for n := 1; ; n++ {
		p.file = filepath.Join(p.dir, fmt.Sprintf("session-%d.jsonl", n))
		if _, err := os.Stat(p.file); err != nil {
			break
		}
	}
	p.store()
}

func (p *player) add(e object) {
	p.counted++
	e["id"], e["parentId"] = fmt.Sprintf("e%d", p.counted), p.parent
	p.parent = e["id"]
	p.entries = append(p.entries, e)
	p.store()
}

// store writes the file, once there is an answer.
func (p *player) store() {
	var out bytes.Buffer
	answered := false
	for _, e := range p.entries {
		if m, ok := e["message"].(object); ok && m["role"] == "assistant" {
			answered = true
		}
		line, _ := json.Marshal(e)
		out.Write(append(line, '\n'))
	}
	if answered {
		if err := os.WriteFile(p.file, out.Bytes(), 0o600); err != nil {
			panic(err)
		}
	}
}

func (p *player) write(o object) {
	line, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", line)
}

func (p *player) play() {
	for len(p.script) > 0 {
		line, ok := strings.CutPrefix(p.script[0], "start: ")
		if !ok {
			break
		}
		fmt.Println(line)
		p.script = p.script[1:]
	}
	if os.Getenv(scriptVariable+"_UNGATED") == "" {
		p.write(object{"type": "extension_ui_request", "id": "g", "method": "setStatus", "statusKey": "parley:gate", "statusText": `{"version":"9.9"}`})
	}
	for m := range p.lines {
		p.take(m)
	}
}

func (p *player) respond(m object, data any, failure string) {
	r := object{"type": "response", "command": m["type"], "success": failure == ""}
	if m["id"] != nil {
		r["id"] = m["id"]
	}
	if failure != "" {
		r["error"] = failure
	} else if data != nil {
		r["data"] = data
	}
	p.write(r)
}

// take answers a command.
func (p *player) take(m object) {
	switch m["type"] {
	case "get_state":
		p.respond(m, object{
			"model": p.model, "thinkingLevel": p.level, "isStreaming": p.streaming, "isCompacting": p.compacting,
			"sessionFile": p.file, "messageCount": len(p.entries) - 1, "pendingMessageCount": p.pending,
		}, "")
	case "get_available_models":
		p.respond(m, object{"models": p.models()}, "")
	case "set_model":
		for _, known := range p.models() {
			if known["id"] == m["modelId"] && known["provider"] == m["provider"] {
				p.model = known
				p.respond(m, known, "")
				return
			}
		}
		p.respond(m, nil, "Model not found")
	case "set_thinking_level":
		p.level = m["level"].(string)
		p.respond(m, nil, "")
	case "prompt":
		p.prompt(m)
	case "compact":
		if len(p.entries) < 2 {
			p.respond(m, nil, "Nothing to compact")
			return
		}
		p.write(object{"type": "compaction_start", "reason": "manual"})
		p.respond(m, object{"summary": "A summary."}, "")
	case "clone":
		p.fork(len(p.entries))
		p.respond(m, object{"cancelled": false}, "")
	case "fork":
		at := slices.IndexFunc(p.entries, func(e object) bool { return e["id"] == m["entryId"] })
		p.fork(at)
		p.respond(m, object{"text": "x", "cancelled": false}, "")
	case "switch_session":
		p.open(m["sessionPath"].(string))
		p.model = p.models()[0] // that of the command line
		p.respond(m, object{"cancelled": false}, "")
	default:
		p.respond(m, nil, "")
	}
}

// fork goes on in a copy with the first entries.
func (p *player) fork(count int) {
	p.entries = slices.Clone(p.entries[:count])
	p.parent = p.entries[count-1]["id"]
	p.rename()
}

// prompt plays the next paragraph.
func (p *player) prompt(m object) {
	if p.streaming || m["streamingBehavior"] != nil && p.played {
		p.add(object{"type": "message", "message": object{"role": "user", "content": m["message"]}})
		p.respond(m, nil, "")
		return
	}
	paragraph := "begin\nsay Nothing is left to say.\nanswer stop\nover"
	if len(p.script) > 0 && p.script[0] != "" {
		paragraph, p.script = p.script[0], p.script[1:]
	}
	if failure, ok := strings.CutPrefix(paragraph, "refuse "); ok {
		p.respond(m, nil, failure)
		return
	}
	p.command = m
	if !strings.HasPrefix(paragraph, "silent") {
		p.respond(m, nil, "")
	}
	p.add(object{"type": "custom", "customType": "parley:prompt"})
	p.add(object{"type": "message", "message": object{"role": "user", "content": m["message"]}})
	p.played = true
	defer func() { p.played = false }()
	skip := ""
	for line := range strings.Lines(paragraph) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if id, _, _ := strings.Cut(rest, " "); skip != "" && (verb != "end" || id != skip) {
			continue
		} else if skip != "" {
			skip = ""
			continue
		}
		skip = p.verb(verb, rest)
	}
}

// verb plays a line, and returns the id of a call that was not allowed.
func (p *player) verb(verb, rest string) (denied string) {
	id, text, _ := strings.Cut(rest, " ")
	switch verb {
	case "begin":
		p.streaming = true
		p.write(object{"type": "agent_start"})
	case "over":
		p.streaming = false
		if rest == "" {
			rest = "[]"
		}
		p.write(object{"type": "agent_end", "messages": json.RawMessage(rest)})
	case "say", "think":
		kind := map[string]string{"say": "text_delta", "think": "thinking_delta"}[verb]
		p.write(object{"type": "message_update", "message": object{}, "assistantMessageEvent": object{"type": kind, "delta": rest, "partial": object{}}})
	case "answer":
		m := object{
			"role": "assistant", "provider": "test", "model": "one", "stopReason": id, "content": []any{},
			"usage": object{"input": 100, "output": 20, "cacheRead": 30, "cost": object{"total": 0.25}},
		}
		if text != "" {
			m["errorMessage"] = text
		}
		p.write(object{"type": "message_end", "message": m})
		p.add(object{"type": "message", "message": m})
	case "call", "start":
		name, input, _ := strings.Cut(text, " ")
		p.write(object{"type": "tool_execution_start", "toolCallId": id, "toolName": name, "args": json.RawMessage(input)})
		if verb == "call" {
			return p.gate(id, name, input)
		}
	case "write":
		p.write(object{"type": "tool_execution_update", "toolCallId": id, "toolName": "t", "partialResult": contentOf(text, nil)})
	case "end", "fail":
		p.write(object{"type": "tool_execution_end", "toolCallId": id, "toolName": "t", "result": contentOf(text, nil), "isError": verb == "fail"})
	case "edited":
		p.write(object{"type": "tool_execution_end", "toolCallId": id, "toolName": "t", "result": contentOf("Done.", object{"diff": strings.ReplaceAll(text, "|", "\n")}), "isError": false})
	case "raw":
		fmt.Println(rest)
	case "until":
		p.until(id)
	case "accept":
		p.respond(p.command, nil, "")
	case "exit":
		fmt.Fprintln(os.Stderr, "out of cheese")
		os.Exit(3)
	}
	return ""
}

func contentOf(text string, details any) object {
	text = strings.ReplaceAll(text, `\n`, "\n")
	return object{"content": []object{{"type": "text", "text": text}}, "details": details}
}

// until answers commands up to the next of a type.
func (p *player) until(kind string) {
	for m := range p.lines {
		p.take(m)
		if m["type"] == kind {
			return
		}
	}
	os.Exit(0)
}

// gate asks about a call as the extension does, and plays what pi does with the answer.
func (p *player) gate(id, name, input string) (denied string) {
	request, _ := json.Marshal(object{"id": id, "tool": name, "input": json.RawMessage(input)})
	p.write(object{"type": "extension_ui_request", "id": "ask-" + id, "method": "input", "title": "parley:approve", "placeholder": string(request)})
	for m := range p.lines {
		if m["type"] != "extension_ui_response" {
			p.take(m)
			continue
		}
		value, _ := m["value"].(string)
		if value == "allow" {
			return ""
		}
		p.write(object{"type": "tool_execution_end", "toolCallId": id, "toolName": name, "result": contentOf(strings.TrimPrefix(value, "deny "), nil), "isError": true})
		return id
	}
	os.Exit(0)
	return ""
}
