package client

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Record is something that has happened in a session. docs/journal.md describes all kinds.
type Record struct {
	Seq  uint64         `json:"seq"` // 1, 2, 3 …; 0: it is transient, and not kept
	Time time.Time      `json:"time"`
	Turn string         `json:"turn"` // "": between turns
	Kind string         `json:"kind"`
	Data jsontext.Value `json:"data"`
}

// Decode reads the data of the record into a struct: one of this package, or one of your own with the members that you need.
func (r Record) Decode(data any) error { return json.Unmarshal(r.Data, data) }

// The kinds of records that have types here.
const (
	KindTurnStarted      = "turn_started"
	KindTurnEnded        = "turn_ended"        // TurnEnded
	KindUserMessage      = "user_message"      // UserMessage
	KindAssistantMessage = "assistant_message" // AssistantMessage
	KindToolIntended     = "tool_intended"     // ToolIntended
	KindToolEnded        = "tool_ended"        // ToolEnded
	KindApprovalAsked    = "approval_asked"    // ApprovalAsked
	KindApprovalAnswered = "approval_answered" // ApprovalAnswered
	KindQuestionAsked    = "question_asked"    // QuestionAsked

	// Transient ones: they come only if FollowOptions.Transient has them.
	KindTextDelta     = "text_delta"     // Delta
	KindThinkingDelta = "thinking_delta" // Delta
	KindToolOutput    = "tool_output"    // Delta
)

// A Delta is a piece of an answer, of reasoning, or of the output of a call.
type Delta struct {
	Message string `json:"message"` // the answer
	Call    string `json:"call"`    // whose output it is
	Text    string `json:"text"`
}

// A Block is a piece of a message.
type Block struct {
	Kind string `json:"kind"` // text, thinking, call, image, …
	Text string `json:"text,omitzero"`
}

// A UserMessage is a prompt, or what was said during a turn.
type UserMessage struct {
	ID     string  `json:"id"`
	Via    string  `json:"via"` // prompt, steer, follow_up or engine
	Blocks []Block `json:"blocks"`
	Client Peer    `json:"client"`
}

// An AssistantMessage is an answer of the model.
type AssistantMessage struct {
	ID      string  `json:"id"`
	Model   string  `json:"model"`
	Blocks  []Block `json:"blocks"`
	Partial bool    `json:"partial"` // it was cut
	Usage   Usage   `json:"usage"`
	Cost    float64 `json:"cost"` // US dollars
}

// Usage is in tokens.
type Usage struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// A ToolIntended is a call that the model has asked for.
type ToolIntended struct {
	Call  string         `json:"call"`
	Name  string         `json:"name"`
	Tool  string         `json:"tool"` // our name of the tool
	Input jsontext.Value `json:"input"`
}

// A ToolEnded is the end of a call.
type ToolEnded struct {
	Call    string `json:"call"`
	Outcome string `json:"outcome"` // succeeded, failed, denied, …
	Output  string `json:"output"`
}

// An ApprovalAsked is a call that waits for [Session.Approve] or [Session.Deny].
type ApprovalAsked struct {
	ID      string  `json:"id"`
	Call    string  `json:"call"`
	Request Request `json:"request"`
}

// A Request is what a call needs.
type Request struct {
	Tool    string `json:"tool"`
	Command string `json:"command"` // shell text; "": it runs none
	URL     string `json:"url"`
	Summary string `json:"summary"` // one line for the user
	Paths   []struct {
		Path  string `json:"path"`
		Write bool   `json:"write"`
	} `json:"paths"`
}

// An ApprovalAnswered is the answer to an ApprovalAsked.
type ApprovalAnswered struct {
	ID      string `json:"id"`
	Allowed bool   `json:"allowed"`
	By      string `json:"by"` // client, grant, absence, …
	Client  Peer   `json:"client"`
}

// A QuestionAsked is questions that wait for [Session.Answer].
type QuestionAsked struct {
	ID        string `json:"id"`
	Questions []struct {
		Text    string `json:"text"`
		Multi   bool   `json:"multi"`
		Options []struct {
			Label       string `json:"label"`
			Description string `json:"description"`
		} `json:"options"`
	} `json:"questions"`
}

// A Peer is a client of a session.
type Peer struct {
	N    int    `json:"n"` // 1, 2, 3 … in the order in which clients came; 0: not known
	Name string `json:"name"`
}

// A TurnEnded is the last record of a turn.
type TurnEnded struct {
	Reason  string   `json:"reason"` // completed, interrupted, failed, …
	Failure *Failure `json:"failure"`
	Usage   Usage    `json:"usage"`
	Cost    float64  `json:"cost"`   // US dollars
	Client  Peer     `json:"client"` // who has interrupted it
}

// A Failure is why a turn failed.
type Failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// A State is what a session is now.
type State struct {
	Session   string          `json:"session"`
	Workspace string          `json:"workspace"`
	Settings  jsontext.Value  `json:"settings"`
	Head      uint64          `json:"head"`    // number of the last record
	Changed   uint64          `json:"changed"` // number of the record that set the settings
	Turn      string          `json:"turn"`    // "": none runs
	Status    string          `json:"status"`  // idle, thinking, working, waiting or compacting
	Busy      bool            `json:"busy"`
	Turns     int             `json:"turns"`
	Messages  int             `json:"messages"`
	Usage     Usage           `json:"usage"`
	Cost      float64         `json:"cost"`    // US dollars
	Context   int             `json:"context"` // tokens
	Approvals []ApprovalAsked `json:"approvals"`
	Questions []QuestionAsked `json:"questions"`
}
