package conform

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// clientVariable makes a client of the test program: its value is the dialect, and the name of the case that finds what is wrong with it.
const clientVariable = "CONFORM_FAKE_CLIENT"

// A fakeClient is a client of a dialect.
type fakeClient struct {
	begin func(fault string)                                        // sends a prompt
	take  func(line clientLine, fault string) (code int, over bool) // takes a line, and returns the exit code if the client ends
}

// fakeClients are the clients by their dialects.
var fakeClients = map[string]fakeClient{
	"pisces": {piscesBegins, piscesTakes},
	"native": {nativeBegins, nativeTakes},
}

// A clientLine is what clients read of a line.
type clientLine struct {
	Type    string `json:"type"`
	ID      any    `json:"id"`
	Method  string `json:"method"`
	Success *bool  `json:"success"`
	Message any    `json:"message"` // of some types an object, of others a text
	Params  struct {
		Record struct {
			Kind string `json:"kind"`
			Data struct {
				ID string `json:"id"`
			} `json:"data"`
		} `json:"record"`
	} `json:"params"`
}

// runClient sends a prompt, reads to the end of its run, and returns the exit code.
func runClient(value string) int {
	dialect, fault, _ := strings.Cut(value, " ")
	client := fakeClients[dialect]
	client.begin(fault)
	lines := bufio.NewReader(os.Stdin)
	for {
		text, err := readLine(lines, fault)
		if err != nil {
			if fault == "eof-turn" {
				hang()
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
		if code, over := client.take(line, fault); over {
			return code
		}
	}
}

// hang waits for an interrupt. An empty select would be a deadlock, which ends a program without other goroutines.
func hang() {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	<-interrupted
}

// readLine returns the next line, or what the fault makes of it.
func readLine(r *bufio.Reader, fault string) (string, error) {
	switch fault {
	case "split-line": // each read is a line; a small one, so that a client that was not waiting does not read both parts at once
		chunk := make([]byte, 256)
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

// piscesEvents are the beginnings of the types of lines that a client of pisces expects.
var piscesEvents = []string{"response", "agent_", "turn_", "message_", "tool_execution_", "queue_", "compaction_", "auto_retry_", "extension_"}

func piscesBegins(fault string) {
	command := "prompt"
	if fault == "turn" {
		command = "turn/start"
	}
	fmt.Printf("{\"id\":\"1\",\"type\":%q,\"message\":\"Hello\"}\n", command)
}

func piscesTakes(line clientLine, fault string) (code int, over bool) {
	is := func(name string) bool { return strings.HasPrefix(line.Type, name) }
	switch {
	case fault == "unknown-event" && !slices.ContainsFunc(piscesEvents, is),
		fault == "tool" && is("tool_execution_update"),
		fault == "events" && is("extension_error"):
		return 1, true
	case is("response") && line.Success != nil && !*line.Success:
		return 1, fault != "refused"
	case fault == "failed-run" && isFailed(line.Message):
		hang()
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

// nativeKinds are the kinds of records that a client of the native protocol expects, beside those of its approvals.
var nativeKinds = []string{"", "session_created", "turn_started", "user_message", "step_started", "text_delta", "assistant_message", "step_ended"}

func nativeBegins(fault string) {
	fmt.Print(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"fake"}}}
{"jsonrpc":"2.0","id":2,"method":"session/create","params":{"workspace":"/","id":"s"}}
{"jsonrpc":"2.0","id":3,"method":"session/follow","params":{"session":"s","from":1}}
`)
	if fault != "turn" {
		fmt.Print(`{"jsonrpc":"2.0","id":4,"method":"turn/prompt","params":{"session":"s","id":"p","blocks":[{"kind":"text","text":"Hello"}]}}
`)
	}
}

func nativeTakes(line clientLine, fault string) (code int, over bool) {
	switch kind := line.Params.Record.Kind; {
	case kind == "turn_ended":
		return 0, true
	case kind == "approval_asked" && fault != "approval":
		fmt.Printf(`{"jsonrpc":"2.0","id":5,"method":"approval/answer","params":{"session":"s","approval":%q,"allow":true}}`+"\n", line.Params.Record.Data.ID)
	case fault == "unknown-notification" && !slices.Contains(nativeKinds, kind):
		return 1, true
	}
	return 0, false
}

// TestClientCases: each case is passed by a client without a fault, and finds the fault of its name.
func TestClientCases(t *testing.T) {
	t.Parallel()
	for dialect := range fakeClients {
		s, err := Load(dialect, Client)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Cases {
			t.Run(dialect+" "+c.Name, func(t *testing.T) {
				t.Parallel()
				want := Failed
				if c.Recommended {
					want = Unmet
				}
				playClient(t, c, dialect+" ", time.Minute, Passed)
				playClient(t, c, dialect+" "+c.Name, 3*time.Second, want)
			})
		}
	}
}

// playClient plays a case with a client of the test program.
func playClient(t *testing.T, c Case, client string, limit time.Duration, want Status) {
	t.Helper()
	o := Options{Command: []string{os.Args[0]}, Env: []string{clientVariable + "=" + client}, Limit: limit, EndLimit: limit}
	if r := Run(t.Context(), Suite{Side: Client, Cases: []Case{c}}, o, func(Result) {})[0]; r.Status != want {
		t.Errorf("%s: %s: %s\n%s", client, r.Status, r.Reason, strings.Join(r.Dialogue, "\n"))
	}
}
