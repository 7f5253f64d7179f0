package codex

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// serverVariable has the path of the script that this binary plays in place of its tests.
const serverVariable = "PARLEY_TEST_APP_SERVER_SCRIPT"

// playServer is an app-server that plays frames. The script has a paragraph for each turn, of lines with a verb and its arguments:
//
//	started ITEM, completed ITEM  the start and the end of an item
//	notify METHOD PARAMS          a notification; PARAMS without threadId and turnId
//	request METHOD PARAMS         a request; its answer is said as a message
//	await METHOD                  waits for a request of the driver, and answers it with {}
//	raw FRAME                     a frame, with $thread and $turn
//	end STATUS ERROR              turn/completed
//
// A line "answer METHOD RESULT" is the answer to requests of the driver, with $thread; it is not part of a turn. "error METHOD TEXT" is
// one that fails.
func playServer(path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	log, err := os.OpenFile(path+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	p := &server{in: bufio.NewReader(os.Stdin), log: log, answers: map[string]string{
		"initialize":     `"result":{"userAgent":"parley/0.169.0 (x)"}`,
		"thread/start":   `"result":{"thread":{"id":"$thread"},"model":"m-1"}`,
		"thread/resume":  `"result":{"thread":{"id":"$thread"},"model":"m-1"}`,
		"turn/interrupt": `"result":{}`,
	}}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		var lines []string
		for line := range strings.Lines(paragraph) {
			line = strings.TrimSpace(line)
			verb, rest, _ := strings.Cut(line, " ")
			method, text, _ := strings.Cut(rest, " ")
			switch verb {
			case "answer":
				p.answers[method] = `"result":` + text
			case "error":
				p.answers[method] = fmt.Sprintf(`"error":{"code":-32600,"message":%q}`, text)
			default:
				lines = append(lines, line)
			}
		}
		p.script = append(p.script, lines)
	}
	for {
		if m := p.read(); m.Method == "turn/start" {
			p.turn(m)
		} else {
			p.answer(m)
		}
	}
}

type server struct {
	in      *bufio.Reader
	log     *os.File
	answers map[string]string
	script  [][]string
	turns   int
	asked   int
}

// A serverFrame is a line of the driver.
type serverFrame struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Result jsontext.Value `json:"result"`
	Error  jsontext.Value `json:"error"`
}

func (p *server) read() (m serverFrame) {
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		os.Exit(0)
	}
	if _, err := p.log.Write(line); err != nil {
		panic(err)
	}
	if err := json.Unmarshal(line, &m); err != nil {
		panic(err)
	}
	return m
}

func (p *server) write(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	line = strings.ReplaceAll(line, "$thread", "thread-1")
	fmt.Println(strings.ReplaceAll(line, "$turn", fmt.Sprintf("turn-%d", p.turns)))
}

// answer answers a request of the driver.
func (p *server) answer(m serverFrame) {
	if m.ID == nil || m.Method == "" {
		return
	}
	if a := p.answers[m.Method]; a != "" {
		p.write(`{"id":%s,%s}`, m.ID, a)
	} else {
		p.write(`{"id":%s,"result":{}}`, m.ID)
	}
}

// turn plays a paragraph.
func (p *server) turn(m serverFrame) {
	p.turns++
	if a := p.answers["turn/start"]; a != "" {
		p.answer(m)
		return
	}
	p.write(`{"id":%s,"result":{"turn":{"id":"$turn","status":"inProgress"}}}`, m.ID)
	var lines []string
	if len(p.script) > 0 {
		lines, p.script = p.script[0], p.script[1:]
	}
	ended := false
	for _, line := range lines {
		verb, rest, _ := strings.Cut(line, " ")
		method, text, _ := strings.Cut(rest, " ")
		switch verb {
		case "started", "completed":
			p.write(`{"method":"item/%s","params":{"threadId":"$thread","turnId":"$turn","item":%s}}`, verb, rest)
		case "notify":
			p.notify(method, text)
		case "request":
			p.request(method, text)
		case "await":
			for m := p.read(); ; m = p.read() {
				p.answer(m)
				if m.Method == method {
					break
				}
			}
		case "raw":
			p.write("%s", rest)
		case "end":
			ended = true
			if text == "" {
				text = "null"
			}
			p.notify("turn/completed", fmt.Sprintf(`{"turn":{"id":"$turn","status":%q,"error":%s}}`, method, text))
		default:
			panic("no such verb: " + verb)
		}
	}
	if !ended {
		p.notify("turn/completed", `{"turn":{"id":"$turn","status":"completed"}}`)
	}
}

func (p *server) notify(method, params string) {
	p.write(`{"method":%q,"params":{"threadId":"$thread","turnId":"$turn",%s}`, method, strings.TrimPrefix(params, "{"))
}

// request sends a request, and says its answer.
func (p *server) request(method, params string) {
	p.asked++
	id := fmt.Sprintf("%d", p.asked)
	p.write(`{"id":%s,"method":%q,"params":{"threadId":"$thread","turnId":"$turn",%s}`, id, method, strings.TrimPrefix(params, "{"))
	for {
		m := p.read()
		if m.Method != "" || string(m.ID) != id {
			p.answer(m)
			continue
		}
		said := m.Result
		if m.Error != nil {
			said = m.Error
		}
		if err := said.Canonicalize(); err != nil {
			panic(err)
		}
		text, err := json.Marshal(string(said))
		if err != nil {
			panic(err)
		}
		p.notify("serverRequest/resolved", fmt.Sprintf(`{"requestId":%s}`, id))
		p.write(`{"method":"item/completed","params":{"threadId":"$thread","turnId":"$turn","item":{"type":"agentMessage","id":"answer-%s","text":%s}}}`, id, text)
		return
	}
}
