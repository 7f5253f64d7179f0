package conform

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// clientVariable makes a client of pisces of the test program: its value is the name of the case that finds what is wrong with it.
const clientVariable = "CONFORM_FAKE_CLIENT"

// knownEvents are the beginnings of the types of lines that the client expects.
var knownEvents = []string{"response", "agent_", "turn_", "message_", "tool_execution_", "queue_", "compaction_", "auto_retry_", "extension_"}

// A clientLine is what the client reads of a line.
type clientLine struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Method  string `json:"method"`
	Success *bool  `json:"success"`
	Message any    `json:"message"` // of some types an object, of others a text
}

// runClient sends a prompt, reads to the end of its run, and returns the exit code.
func runClient(fault string) int {
	command := "prompt"
	if fault == "turn" {
		command = "turn/start"
	}
	fmt.Printf("{\"id\":\"1\",\"type\":%q,\"message\":\"Hello\"}\n", command)
	lines := bufio.NewReader(os.Stdin)
	for {
		text, err := readLine(lines, fault)
		if err != nil {
			if fault == "eof-turn" {
				select {}
			}
			return 1
		}
		var line clientLine
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			if fault == "malformed" {
				return 1
			}
			continue
		}
		if code, over := clientTakes(line, fault); over {
			return code
		}
	}
}

// readLine returns the next line, or what the fault makes of it.
func readLine(r *bufio.Reader, fault string) (string, error) {
	switch fault {
	case "split-line": // each read is a line
		chunk := make([]byte, 64<<10)
		n, err := r.Read(chunk)
		last, _ := strings.CutSuffix(string(chunk[:n]), "\n")
		return last[strings.LastIndex(last, "\n")+1:], err
	case "long-line":
		scanner := bufio.NewScanner(r) // which reads lines of 64 KiB at most
		if !scanner.Scan() {
			return "", io.ErrUnexpectedEOF
		}
		return "{}", nil
	}
	text, err := r.ReadString('\n')
	switch {
	case fault == "line-separator" && strings.Contains(text, "\u2028"), fault == "carriage-return" && strings.HasSuffix(text, "\r\n"):
		return "{", err
	}
	return text, err
}

// clientTakes takes a line, and returns the exit code if the client ends.
func clientTakes(line clientLine, fault string) (code int, over bool) {
	is := func(name string) bool { return strings.HasPrefix(line.Type, name) }
	switch {
	case fault == "unknown-event" && !slices.ContainsFunc(knownEvents, is),
		fault == "tool" && is("tool_execution_update"),
		fault == "events" && is("extension_error"):
		return 1, true
	case is("response") && line.Success != nil && !*line.Success:
		return 1, fault != "refused"
	case fault == "failed-run" && isFailed(line.Message):
		select {}
	case is("extension_ui_request"):
		answerDialog(line, fault)
	case is("agent_end"):
		return 0, true
	}
	return 0, false
}

// isFailed reports whether a message is an answer that the model did not complete.
func isFailed(message any) bool {
	m, _ := message.(map[string]any)
	return m["stopReason"] == "error"
}

// answerDialog answers a request of an extension.
func answerDialog(line clientLine, fault string) {
	answer := `"cancelled":true`
	switch {
	case fault == "dialog", line.Method != "select" && line.Method != "confirm" && fault != "notify":
		return
	case fault == "dialog-timeout":
		answer = `"outcome":"Allow"`
	}
	fmt.Printf("{\"type\":\"extension_ui_response\",\"id\":%q,%s}\n", line.ID, answer)
}

// TestClientCases: each case for clients of pisces is passed by a client without a fault, and finds the fault of its name.
func TestClientCases(t *testing.T) {
	t.Parallel()
	s, err := Load("pisces", Client)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			play := func(fault string, limit time.Duration) Result {
				o := Options{Command: []string{os.Args[0]}, Env: []string{clientVariable + "=" + fault}, Limit: limit, EndLimit: limit}
				return Run(t.Context(), Suite{Side: Client, Cases: []Case{c}}, o, func(Result) {})[0]
			}
			if r := play("", time.Minute); r.Status != Passed {
				t.Errorf("without a fault: %s: %s\n%s", r.Status, r.Reason, strings.Join(r.Dialogue, "\n"))
			}
			want := Failed
			if c.Recommended {
				want = Unmet
			}
			if r := play(c.Name, 3*time.Second); r.Status != want {
				t.Errorf("with the fault: %s: %s\n%s", r.Status, r.Reason, strings.Join(r.Dialogue, "\n"))
			}
		})
	}
}
