package e2e

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/transcript"
)

// A loafLine is any line of the loaf protocol.
type loafLine struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params loafEvent      `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    struct {
			Reason string `json:"reason"`
		} `json:"data"`
	} `json:"error"`
	raw string
}

// A loafEvent is what tests read of events.
type loafEvent struct {
	SessionID       string `json:"session_id"`
	Pending         bool   `json:"pending"`
	Label           string `json:"status_label"`
	Text            string `json:"message"` // of an error or a failed sign-in; of an appended message see said
	URL             string `json:"url"`
	VerificationURL string `json:"verification_url"`
	UserCode        string `json:"user_code"`
	AccountID       string `json:"account_id"`
	Chunk           struct {
		AnswerText string `json:"answerText"`
	} `json:"chunk"`
}

// A loaf is a running "parley loaf rpc"; the test is its client.
type loaf struct {
	*server
	asked int
}

// loaf starts it in this place.
func (p *place) loaf(t testing.TB) *loaf {
	t.Helper()
	return &loaf{server: launch(t, p.loafCommand(t))}
}

func (p *place) loafCommand(t testing.TB) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(transcript.Build(t), "loaf", "rpc")
	cmd.Dir = p.work
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "PARLEY_HOME=" + p.state(), "LANG=C.UTF-8"}, p.env...)
	if p.model != "" {
		cmd.Env = append(cmd.Env, "PARLEY_MODEL="+p.model)
	}
	return cmd
}

// line returns the next line; false at the end of the output.
func (l *loaf) line() (loafLine, bool) {
	l.t.Helper()
	if err := l.stdout.SetReadDeadline(time.Now().Add(patience)); err != nil {
		l.t.Fatal(err)
	}
	text, err := l.lines.ReadString('\n')
	if errors.Is(err, io.EOF) && text == "" {
		return loafLine{}, false
	}
	if err != nil {
		l.t.Fatalf("read: %v behind %q", err, text)
	}
	line := loafLine{raw: strings.TrimSuffix(text, "\n")}
	err = json.Unmarshal([]byte(line.raw), &line)
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok && strings.HasSuffix(string(wrong.JSONPointer), "/message") {
		err = nil // of an appended message, which is an object
	}
	if err != nil {
		l.t.Fatalf("%v: %s", err, line.raw)
	}
	return line, true
}

// until reads up to the first line that fits, and gives all of them.
func (l *loaf) until(what string, fits func(loafLine) bool) []loafLine {
	l.t.Helper()
	var all []loafLine
	for {
		line, ok := l.line()
		if !ok {
			l.t.Fatalf("the output ended before %s", what)
		}
		all = append(all, line)
		if fits(line) {
			return all
		}
	}
}

// untilEvent returns the first event of that name.
func (l *loaf) untilEvent(name string) loafLine {
	l.t.Helper()
	all := l.until(name, func(line loafLine) bool { return line.Method == name })
	return all[len(all)-1]
}

// ask sends a request and gives its id.
func (l *loaf) ask(method string, params any) string {
	l.t.Helper()
	l.asked++
	l.send(map[string]any{"jsonrpc": "2.0", "id": l.asked, "method": method, "params": params})
	return fmt.Sprint(l.asked)
}

// call sends a request and reads up to its response.
func (l *loaf) call(method string, params any) loafLine {
	l.t.Helper()
	id := l.ask(method, params)
	all := l.until("the answer to "+method, func(line loafLine) bool { return string(line.ID) == id })
	return all[len(all)-1]
}

// result reads the result of a request, which must succeed.
func (l *loaf) result(into any, method string, params any) {
	l.t.Helper()
	line := l.call(method, params)
	if line.Error != nil {
		l.t.Fatalf("%s: %s", method, line.raw)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(line.Result, into); err != nil {
		l.t.Fatalf("%s: %v", method, err)
	}
}

// create makes a session.
func (l *loaf) create() string {
	l.t.Helper()
	var r struct {
		SessionID string `json:"session_id"`
	}
	l.result(&r, "session.create", map[string]any{})
	return r.SessionID
}

// say starts a turn.
func (l *loaf) say(session, text string, images ...map[string]string) {
	l.t.Helper()
	l.result(nil, "session.send", map[string]any{"session_id": session, "text": text, "images": images})
}

// turn reads to the end of the turn.
func (l *loaf) turn() []loafLine {
	l.t.Helper()
	return l.until("the end of the turn", func(line loafLine) bool { return line.Method == "session.status" && !line.Params.Pending })
}

// rest reads to the end of the output; the exit code must be 0 and standard error silent.
func (l *loaf) rest() []loafLine {
	l.t.Helper()
	var all []loafLine
	for {
		line, ok := l.line()
		if !ok {
			break
		}
		all = append(all, line)
	}
	if code := l.code(); code != 0 {
		l.t.Errorf("exit code %d", code)
	}
	if l.stderr.String() != "" {
		l.t.Errorf("standard error says %q", l.stderr)
	}
	return all
}

// quit closes the input and reads to the end.
func (l *loaf) quit() []loafLine {
	l.t.Helper()
	l.stdin.Close()
	return l.rest()
}

// loafSaid returns the text of chunks.
func loafSaid(lines []loafLine) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line.Params.Chunk.AnswerText)
	}
	return b.String()
}

// loafHas reports whether a line of that event holds the text.
func loafHas(lines []loafLine, event, text string) bool {
	for _, line := range lines {
		if line.Method == event && strings.Contains(line.raw, text) {
			return true
		}
	}
	return false
}

// loafChat is what tests read of a saved chat.
type loafChat struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Messages []struct {
		Role string `json:"role"`
		Text string `json:"text"`
	} `json:"messages"`
}

// lastChat returns the chat that was changed last, as a fresh process reads it.
func (p *place) lastChat(t testing.TB) (c loafChat) {
	t.Helper()
	l := p.loaf(t)
	l.result(&c, "history.get", map[string]any{"last": true})
	l.quit()
	return c
}

func (c loafChat) texts() string {
	var texts []string
	for _, m := range c.Messages {
		texts = append(texts, m.Role+": "+m.Text)
	}
	return strings.Join(texts, "\n")
}
