package client

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
)

// An AgentAir is a client of "parley agentair".
type AgentAir struct{ Reader[AirLine] }

// An AirLine is any line of that protocol. That lines are exactly right is checked by the transcripts.
type AirLine struct {
	Variant string
	Raw     string
	AirFields
}

// AirFields are what tests read of any variant.
type AirFields struct {
	Text       string `json:"text"`
	ToolUseID  string `json:"tool_use_id"`
	BatchID    string `json:"batch_id"`
	Result     string `json:"result"`
	StopReason string `json:"stop_reason"`
	Message    string `json:"message"`
	Command    string `json:"command"`
	SessionID  *int64 `json:"session_id"`
	TurnID     struct {
		Sequence uint64 `json:"sequence"`
	} `json:"turn_id"`
}

// ReadAgentAir returns a line of the protocol.
func ReadAgentAir(text string) (AirLine, error) {
	var whole map[string]AirFields
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		return AirLine{}, err
	}
	if len(whole) != 1 {
		return AirLine{}, fmt.Errorf("%d variants", len(whole))
	}
	line := AirLine{Raw: text}
	for line.Variant, line.AirFields = range whole {
	}
	return line, nil
}

// StartAgentAir starts the program and reads that session 1 is there.
func StartAgentAir(t testing.TB, p *stage.Place, args ...string) *AgentAir {
	t.Helper()
	a := &AgentAir{Reader[AirLine]{Start(t, p.Command(t, append([]string{"agentair"}, args...)...)), ReadAgentAir}}
	if line := a.Want("System"); !strings.HasPrefix(line.Message, "Session 1 created") {
		t.Fatalf("%s", line.Raw)
	}
	return a
}

// Until reads up to the first line of a variant.
func (a *AgentAir) Until(variant string) []AirLine {
	a.T.Helper()
	return a.ReadTo(variant, func(l AirLine) bool { return l.Variant == variant })
}

// Want returns the next line, which must be of a variant.
func (a *AgentAir) Want(variant string) AirLine {
	a.T.Helper()
	line, ok := a.Next()
	if !ok || line.Variant != variant {
		a.T.Fatalf("want %s, got %s", variant, line.Raw)
	}
	return line
}

// Say sends a message to session 1.
func (a *AgentAir) Say(sequence int, text string) {
	a.T.Helper()
	a.SendText(fmt.Sprintf(`{"session_id":1,"content":%q,"turn_id":{"role":"User","sequence":%d}}`+"\n", text, sequence))
}

// Permit allows one call.
func (a *AgentAir) Permit(id string) {
	a.T.Helper()
	a.SendText(fmt.Sprintf(`{"PermissionResponse":{"tool_use_id":%q,"response":{"granted":true}}}`+"\n", id))
}

// Leave is Quit, and wants no further line.
func (a *AgentAir) Leave() {
	a.T.Helper()
	if all := a.Quit(); len(all) > 0 {
		a.T.Errorf("%d lines came before the end", len(all))
	}
}

// AirText returns all text of lines.
func AirText(all []AirLine) string {
	var b strings.Builder
	for _, line := range all {
		if line.Variant == "TextChunk" {
			b.WriteString(line.Text)
		}
	}
	return b.String()
}
