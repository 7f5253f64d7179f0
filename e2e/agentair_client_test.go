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

	"parley.dev/parley/internal/transcript"
)

// An air is a running "parley agentair"; the test is its client.
type air struct {
	*server
	bytes int // of output that was read
}

// An airLine is any line of that protocol. That lines are exactly right is for the transcripts
// to test.
type airLine struct {
	variant string
	raw     string
	airFields
}

type airFields struct {
	Text       string  `json:"text"`
	ToolUseID  string  `json:"tool_use_id"`
	BatchID    string  `json:"batch_id"`
	Result     string  `json:"result"`
	StopReason string  `json:"stop_reason"`
	Message    string  `json:"message"`
	Command    string  `json:"command"`
	SessionID  *int64  `json:"session_id"`
	TurnID     airTurn `json:"turn_id"`
}

type airTurn struct {
	Sequence uint64 `json:"sequence"`
}

// air starts the program in this place and reads that session 1 is there.
func (p *place) air(t testing.TB, args ...string) *air {
	t.Helper()
	if p.model != "" {
		args = append([]string{"--model", p.model}, args...)
	}
	cmd := exec.Command(transcript.Build(t), append([]string{"agentair"}, args...)...)
	cmd.Dir = p.work
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "PARLEY_HOME=" + p.state(), "LANG=C.UTF-8"}, p.env...)
	a := &air{server: launch(t, cmd)}
	if line := a.want("System"); !strings.HasPrefix(line.Message, "Session 1 created") {
		t.Fatalf("%s", line.raw)
	}
	return a
}

// next returns the next line; false at the end of the output.
func (a *air) next() (airLine, bool) {
	a.t.Helper()
	if err := a.stdout.SetReadDeadline(time.Now().Add(patience)); err != nil {
		a.t.Fatal(err)
	}
	raw, err := a.lines.ReadString('\n')
	if errors.Is(err, io.EOF) && raw == "" {
		return airLine{}, false
	}
	if err != nil {
		a.t.Fatalf("read: %v behind %.500q", err, raw)
	}
	a.bytes += len(raw)
	var whole map[string]airFields
	if err := json.Unmarshal([]byte(raw), &whole); err != nil || len(whole) != 1 {
		a.t.Fatalf("%v: %s", err, raw)
	}
	line := airLine{raw: strings.TrimSuffix(raw, "\n")}
	for line.variant, line.airFields = range whole {
	}
	return line, true
}

// until reads up to the first line of a variant.
func (a *air) until(variant string) []airLine {
	a.t.Helper()
	var all []airLine
	for {
		line, ok := a.next()
		if !ok {
			a.t.Fatalf("the output ended behind %d lines, before %s", len(all), variant)
		}
		if all = append(all, line); line.variant == variant {
			return all
		}
	}
}

// want returns the next line, which is of a variant.
func (a *air) want(variant string) airLine {
	a.t.Helper()
	line, ok := a.next()
	if !ok || line.variant != variant {
		a.t.Fatalf("want %s, got %s", variant, line.raw)
	}
	return line
}

// say sends a message to session 1.
func (a *air) say(sequence int, text string) {
	a.t.Helper()
	a.sendText(fmt.Sprintf(`{"session_id":1,"content":%q,"turn_id":{"role":"User","sequence":%d}}`+"\n", text, sequence))
}

// permit says yes to one request.
func (a *air) permit(id string) {
	a.t.Helper()
	a.sendText(fmt.Sprintf(`{"PermissionResponse":{"tool_use_id":%q,"response":{"granted":true}}}`+"\n", id))
}

// rest reads to the end of the output and is the exit code.
func (a *air) rest() ([]airLine, int) {
	a.t.Helper()
	var all []airLine
	for {
		line, ok := a.next()
		if !ok {
			return all, a.code()
		}
		all = append(all, line)
	}
}

// quit closes the input and wants nothing more, and exit code 0.
func (a *air) quit() {
	a.t.Helper()
	a.stdin.Close()
	if all, code := a.rest(); len(all) > 0 || code != 0 {
		a.t.Errorf("exit code %d behind %d lines", code, len(all))
	}
}

// textOfAir returns all text of the lines.
func textOfAir(all []airLine) string {
	var b strings.Builder
	for _, line := range all {
		if line.variant == "TextChunk" {
			b.WriteString(line.Text)
		}
	}
	return b.String()
}
