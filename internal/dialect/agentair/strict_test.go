package agentair

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// The types of this file were written from the page "Server Messages" alone, and share
// nothing with protocol.go. They are closed: what a client that knows only the page would not
// know is a breach, but for the three members marked +.
type (
	seedTextChunk struct {
		Text      string     `json:"text"`
		SessionID int64      `json:"session_id"`
		TurnID    seedTurnID `json:"turn_id"`
	}
	seedToolExecuting struct {
		ToolUseID string         `json:"tool_use_id"`
		ToolName  string         `json:"tool_name"`
		Input     jsontext.Value `json:"input"`
		SessionID int64          `json:"session_id"`
	}
	seedToolCompleted struct {
		ToolUseID string `json:"tool_use_id"`
		Result    string `json:"result"`
		SessionID int64  `json:"session_id"`
	}
	seedComplete struct {
		SessionID  int64      `json:"session_id"`
		TurnID     seedTurnID `json:"turn_id"`
		StopReason string     `json:"stop_reason" enum:"EndTurn,MaxTokens,StopSequence,ToolUse"`
	}
	seedPermissionRequired struct {
		ToolUseID string                `json:"tool_use_id"`
		Request   seedPermissionRequest `json:"request"`
		SessionID int64                 `json:"session_id"`
	}
	seedBatchPermissionRequired struct {
		BatchID   string                  `json:"batch_id"`
		Requests  []seedPermissionRequest `json:"requests"`
		SessionID int64                   `json:"session_id"`
	}
	seedUserInteractionRequired struct {
		ToolUseID string                      `json:"tool_use_id"`
		Request   seedAskUserQuestionsRequest `json:"request"`
		SessionID int64                       `json:"session_id"`
	}
	seedTokenUpdate struct {
		InputTokens  int64 `json:"input_tokens"`
		OutputTokens int64 `json:"output_tokens"`
		SessionID    int64 `json:"session_id"`
	}
	seedMessage struct { // Error and System
		Message   string `json:"message"`
		SessionID *int64 `json:"session_id"`
	}
	seedDisplay struct {
		Content   string `json:"content"`
		SessionID int64  `json:"session_id"`
	}
	seedCommandComplete struct {
		Command   string `json:"command"`
		SessionID int64  `json:"session_id"`
	}

	seedTurnID struct {
		Role     string `json:"role" enum:"User,Assistant"`
		Sequence uint64 `json:"sequence"`
	}
	seedPermissionRequest struct {
		TargetType  string  `json:"target_type" enum:"Path,Domain,Command"`
		Target      string  `json:"target"`
		Level       string  `json:"level" enum:"Read,Write,Execute,Admin"`
		Description string  `json:"description"`
		Reason      *string `json:"reason"`
		Recursive   bool    `json:"recursive"`
		ID          string  `json:"id"`        // +
		ToolName    string  `json:"tool_name"` // +
	}
	seedAskUserQuestionsRequest struct {
		Questions []seedQuestion `json:"questions"`
	}
	seedQuestion struct {
		ID           string    `json:"id"`
		Text         string    `json:"text"`
		QuestionType string    `json:"question_type" enum:"SingleChoice,MultiChoice,FreeText"` // the page has no list of them
		Options      *[]string `json:"options"`
		Required     bool      `json:"required"`
		DefaultValue *string   `json:"defaultValue,omitzero"` // +
	}
)

// seedMessageOf returns a value of a variant to decode into; nil if the page has none such.
func seedMessageOf(variant string) any {
	switch variant {
	case "TextChunk":
		return &seedTextChunk{}
	case "ToolExecuting":
		return &seedToolExecuting{}
	case "ToolCompleted":
		return &seedToolCompleted{}
	case "Complete":
		return &seedComplete{}
	case "PermissionRequired":
		return &seedPermissionRequired{}
	case "BatchPermissionRequired":
		return &seedBatchPermissionRequired{}
	case "UserInteractionRequired":
		return &seedUserInteractionRequired{}
	case "TokenUpdate":
		return &seedTokenUpdate{}
	case "Error", "System":
		return &seedMessage{}
	case "Display":
		return &seedDisplay{}
	case "CommandComplete":
		return &seedCommandComplete{}
	}
	return nil
}

// readAsSeed reads a line as a client of the page does; open ignores unknown fields, which
// is the default of such clients.
func readAsSeed(line []byte, open bool) (variant string, message any, err error) {
	options := wire.ObjectOptions{Open: open}
	whole, err := wire.ParseObject(line, options)
	if err != nil {
		return "", nil, err
	}
	names := whole.Names()
	if len(names) != 1 {
		return "", nil, fmt.Errorf("an object with %d members", len(names))
	}
	message = seedMessageOf(names[0])
	if message == nil {
		return "", nil, fmt.Errorf("unknown variant %s", names[0])
	}
	value, _ := whole.Get(names[0])
	inner, err := wire.OpenObject(value, options)
	if err != nil {
		return "", nil, err
	}
	return names[0], message, inner.Decode(message)
}

// checkAsSeed reads a line in the strictest way: closed types, and what was understood,
// written again in the order of the page, is the line byte for byte. So there are no other
// fields, no other order, no spaces, no number but integers.
func checkAsSeed(line []byte) error {
	variant, message, err := readAsSeed(line, false)
	if err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	value, err := json.Marshal(message, jsontext.AllowDuplicateNames(true))
	if err != nil {
		return err
	}
	if again := `{"` + variant + `":` + string(value) + `}`; again != string(line) {
		return fmt.Errorf("%s\nis not %s", line, again)
	}
	switch m := message.(type) {
	case *seedTextChunk:
		if m.Text == "" || m.TurnID.Role != "Assistant" {
			return fmt.Errorf("%s: no text, or not the assistant's", line)
		}
	case *seedComplete:
		if m.TurnID.Role != "Assistant" {
			return fmt.Errorf("%s: not the assistant's", line)
		}
	case *seedToolExecuting:
		if m.Input.Kind() != '{' {
			return fmt.Errorf("%s: the input is no object", line)
		}
	case *seedBatchPermissionRequired:
		if len(m.Requests) < 2 {
			return fmt.Errorf("%s: a batch of %d", line, len(m.Requests))
		}
	case *seedUserInteractionRequired:
		for _, q := range m.Request.Questions {
			if (q.Options == nil) != (q.QuestionType == "FreeText") || q.DefaultValue != nil && q.Options != nil {
				return fmt.Errorf("%s: options of %s", line, q.ID)
			}
		}
	case *seedCommandComplete:
		if !regexp.MustCompile(`^[a-z][a-z0-9_-]*$`).MatchString(m.Command) {
			return fmt.Errorf("%s: not a name", line)
		}
	}
	return nil
}

// TestStrictClient: a client that knows the page alone, and takes nothing else, takes every
// message that goes out without --extended; with it, one that ignores what it does not know.
func TestStrictClient(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range samples {
		line := m.message
		if batch, ok := line.(BatchPermissionRequired); ok {
			batch.Requests = append(batch.Requests, write) // one is not a batch
			line = batch
		}
		seen[m.message.variant()] = true
		if err := checkAsSeed(encode(line)); err != nil {
			t.Error(err)
		}
	}
	for _, n := range messageTypes.Get() {
		if !seen[n.Name()] || seedMessageOf(n.Name()) == nil {
			t.Errorf("no sample of %s, or the page has none", n.Name())
		}
	}
	for _, m := range extendedSamples {
		line := encode(m.message)
		if _, _, err := readAsSeed(line, true); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if _, more := m.message.(UserInteractionRequired); !more && checkAsSeed(line) == nil {
			t.Errorf("%s has nothing more", line)
		}
	}
}

// TestCheckAsSeed shows that the strict client sees each kind of breach, so that its silence
// elsewhere means something.
func TestCheckAsSeed(t *testing.T) {
	const complete = `{"Complete":{"session_id":1,"turn_id":{"role":"Assistant","sequence":1},"stop_reason":"EndTurn"}}`
	if err := checkAsSeed([]byte(complete)); err != nil {
		t.Error(err)
	}
	instead := func(old, text string) string {
		if !strings.Contains(complete, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(complete, old, text, 1)
	}
	for name, line := range map[string]string{
		"unknown field":     instead(`"session_id":1`, `"session_id":1,"input_tokens":0`),
		"unknown, inside":   instead(`"sequence":1`, `"sequence":1,"number":1`),
		"missing field":     instead(`,"stop_reason":"EndTurn"`, ``),
		"null":              instead(`"session_id":1`, `"session_id":null`),
		"order":             `{"Complete":{"turn_id":{"role":"Assistant","sequence":1},"session_id":1,"stop_reason":"EndTurn"}}`,
		"order, inside":     instead(`"role":"Assistant","sequence":1`, `"sequence":1,"role":"Assistant"`),
		"float":             instead(`"sequence":1`, `"sequence":1.0`),
		"negative sequence": instead(`"sequence":1`, `"sequence":-1`),
		"space":             instead(`:{"session`, `: {"session`),
		"unknown role":      instead(`Assistant`, `assistant`),
		"the user's":        instead(`Assistant`, `User`),
		"unknown reason":    instead(`EndTurn`, `end_turn`),
		"unknown variant":   instead(`Complete`, `Completed`),
		"two variants":      strings.TrimSuffix(complete, `}`) + `,"System":{"message":"m","session_id":1}}`,
		"not tagged":        `{"type":"System","message":"m","session_id":1}`,
		"absent option":     `{"System":{"message":"m"}}`,
		"empty text":        `{"TextChunk":{"text":"","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}`,
		"input not object":  `{"ToolExecuting":{"tool_use_id":"t","tool_name":"ls","input":"{}","session_id":1}}`,
		"batch of one":      `{"BatchPermissionRequired":{"batch_id":"b","requests":[],"session_id":1}}`,
		"level":             `{"PermissionRequired":{"tool_use_id":"t","request":{"target_type":"Path","target":"/p","level":"None","description":"d","reason":null,"recursive":false,"id":"t","tool_name":"ls"},"session_id":1}}`,
		"options of a text": `{"UserInteractionRequired":{"tool_use_id":"t","request":{"questions":[{"id":"q1","text":"?","question_type":"FreeText","options":[],"required":false}]},"session_id":1}}`,
		"slash":             `{"CommandComplete":{"command":"/clear","session_id":1}}`,
	} {
		if checkAsSeed([]byte(line)) == nil {
			t.Errorf("%s: not seen in %s", name, line)
		}
	}
}
