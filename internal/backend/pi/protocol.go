package pi

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lazy"
)

// The types of commands and events are those of docs/rpc.md. Members that are not read are left out.

type promptParams struct {
	Message   string  `json:"message"`
	Images    []image `json:"images,omitzero"`
	Streaming string  `json:"streamingBehavior,omitzero"` // steer: it is queued where pi works
}

type image struct {
	Type     string `json:"type"` // image
	Data     []byte `json:"data"` // base64
	MIMEType string `json:"mimeType"`
}

type setModelParams struct {
	Provider string `json:"provider"`
	ModelID  string `json:"modelId"`
}

type setThinkingParams struct {
	Level string `json:"level"`
}

type forkParams struct {
	EntryID string `json:"entryId"`
}

type switchParams struct {
	SessionPath string `json:"sessionPath"`
}

type compactResult struct {
	Summary string `json:"summary"`
}

// cancelledResult is the data of fork, clone and switch_session, which another extension may cancel.
type cancelledResult struct {
	Cancelled bool `json:"cancelled"`
}

// state is the data of get_state.
type state struct {
	Model         *piModel `json:"model"`
	ThinkingLevel string   `json:"thinkingLevel"`
	IsStreaming   bool     `json:"isStreaming"`
	IsCompacting  bool     `json:"isCompacting"`
	SessionFile   string   `json:"sessionFile"`
	Messages      int      `json:"messageCount"`
	Pending       int      `json:"pendingMessageCount"`
}

type modelsResult struct {
	Models []piModel `json:"models"`
}

type piModel struct {
	ID            string   `json:"id"`
	Provider      string   `json:"provider"`
	Name          string   `json:"name"`
	Reasoning     bool     `json:"reasoning"`
	Input         []string `json:"input"` // text, image
	ContextWindow int      `json:"contextWindow"`
	// Levels has by level the provider's own word for it; null: the model does not have it.
	Levels map[string]*string `json:"thinkingLevelMap"`
}

type messageEvent struct {
	Message message `json:"message"`
}

type agentEndEvent struct {
	Messages []message `json:"messages"`
}

type message struct {
	Role       string         `json:"role"`    // assistant, user, toolResult, custom and others
	Content    jsontext.Value `json:"content"` // of assistants a list of blocks
	Provider   string         `json:"provider"`
	Model      string         `json:"model"`
	Usage      usage          `json:"usage"`
	StopReason string         `json:"stopReason"` // stop, length, toolUse, error, aborted
	Error      string         `json:"errorMessage"`
}

type usage struct {
	Input      int `json:"input"` // without what was cached
	Output     int `json:"output"`
	CacheRead  int `json:"cacheRead"`
	CacheWrite int `json:"cacheWrite"`
	Cost       struct {
		Total float64 `json:"total"` // US dollars
	} `json:"cost"`
}

type block struct {
	Type     string `json:"type"` // text, thinking, toolCall, image
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
}

// toolEvent has the members of tool_execution_start, _update and _end.
type toolEvent struct {
	ID            string         `json:"toolCallId"`
	Name          string         `json:"toolName"`
	Args          jsontext.Value `json:"args"`
	PartialResult toolResult     `json:"partialResult"` // all so far
	Result        toolResult     `json:"result"`
	IsError       bool           `json:"isError"`
}

type toolResult struct {
	Content []block        `json:"content"`
	Details jsontext.Value `json:"details"`
}

// text returns the text of a result: what is no text is named.
func (r toolResult) text() string {
	var parts []string
	for _, b := range r.Content {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		} else {
			parts = append(parts, "["+b.Type+"]")
		}
	}
	return strings.Join(parts, "\n")
}

type retryEvent struct {
	Attempt     int    `json:"attempt"`
	MaxAttempts int    `json:"maxAttempts"`
	DelayMS     int64  `json:"delayMs"`
	Message     string `json:"errorMessage"`
	Success     bool   `json:"success"`
}

type compactionEvent struct {
	Result    *compactResult `json:"result"`
	WillRetry bool           `json:"willRetry"`
	Error     string         `json:"errorMessage"`
}

type extensionErrorEvent struct {
	Path  string `json:"extensionPath"`
	Error string `json:"error"`
}

// dialog is extension_ui_request.
type dialog struct {
	Method      string   `json:"method"` // select, confirm, input and editor want an answer
	Title       string   `json:"title"`
	Message     string   `json:"message"`
	Options     []string `json:"options"`
	Placeholder string   `json:"placeholder"`
	Prefill     string   `json:"prefill"`
	Level       string   `json:"notifyType"` // info, warning, error
	Key         string   `json:"statusKey"`
	Status      string   `json:"statusText"`
}

// asks reports whether pi waits for an answer.
func (d dialog) asks() bool {
	switch d.Method {
	case "select", "confirm", "input", "editor":
		return true
	}
	return false
}

// dialogResult is extension_ui_response.
type dialogResult struct {
	Value     *string `json:"value,omitzero"`
	Confirmed *bool   `json:"confirmed,omitzero"`
	Cancelled bool    `json:"cancelled,omitzero"`
}

// open are the options for what pi writes: JavaScript's strings may have half a character.
var open = lazy.Value[json.Options]{New: func() json.Options {
	return json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}}

// decode reads what pi has written, and reports whether it could.
func decode(value jsontext.Value, into any) bool {
	return value != nil && json.Unmarshal(value, into, open.Get()) == nil
}
