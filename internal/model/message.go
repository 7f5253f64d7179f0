package model

import (
	"encoding/base64"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Role is the author of a Message.
type Role string

// The roles. Tool results are a message of their own role; a provider folds them into
// whatever its wire wants.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// A Message is one entry of the conversation as a model sees it.
type Message struct {
	Role   Role    `json:"role"`
	Blocks []Block `json:"blocks"`

	// Of an answer: where it is from. Reasoning is sent to no other model.
	Provider string `json:"provider,omitzero"` // our name of it; "": not known
	Model    string `json:"model,omitzero"`    // as in Request; "": not known
}

// Text returns all text blocks of m, joined without a separator.
func (m Message) Text() string {
	var b strings.Builder
	for _, block := range m.Blocks {
		if block.Kind == KindText {
			b.WriteString(block.Text)
		}
	}
	return b.String()
}

// Calls returns the tool calls of m in the model's order.
func (m Message) Calls() []Call {
	var calls []Call
	for _, block := range m.Blocks {
		if block.Kind == KindToolCall {
			calls = append(calls, *block.Call)
		}
	}
	return calls
}

// BlockKind determines which fields of a Block are set.
type BlockKind string

// The kinds of blocks.
const (
	KindText       BlockKind = "text"        // Text
	KindThinking   BlockKind = "thinking"    // Text, Signature, Summary
	KindImage      BlockKind = "image"       // Image
	KindToolCall   BlockKind = "tool_call"   // Call
	KindToolResult BlockKind = "tool_result" // Result
)

// A Block is one piece of a Message; Kind says which other fields count.
type Block struct {
	Kind      BlockKind `json:"kind"`
	Text      string    `json:"text,omitzero"`
	Signature string    `json:"signature,omitzero"` // of thinking; opaque, for the provider and the model that the message is from
	Summary   bool      `json:"summary,omitzero"`   // of thinking: Text is a summary of the reasoning, not the reasoning
	Image     *Image    `json:"image,omitzero"`
	Call      *Call     `json:"call,omitzero"`
	Result    *Result   `json:"result,omitzero"`
}

// An Image is inline, or a Blob of the session's journal that is loaded before a request is sent.
type Image struct {
	MIME string `json:"mime"`          // image/png, image/jpeg, image/gif or image/webp
	Data []byte `json:"data,omitzero"` // base64 in JSON
	Blob string `json:"blob,omitzero"` // content address; "" when Data is set
	Name string `json:"name,omitzero"` // for users; may be ""
	URL  string `json:"url,omitzero"`  // where it is on the net, for the provider to get; then there is no Data
}

// DataURL returns the address that has the data of i in it (RFC 2397).
func (i Image) DataURL() string {
	const scheme, encoding = "data:", ";base64,"
	var url strings.Builder
	url.Grow(len(scheme) + len(i.MIME) + len(encoding) + base64.StdEncoding.EncodedLen(len(i.Data)))
	url.WriteString(scheme + i.MIME + encoding)
	encoder := base64.NewEncoder(base64.StdEncoding, &url) // neither fails
	_, _ = encoder.Write(i.Data)
	_ = encoder.Close()
	return url.String()
}

// A Call is the model's wish to run a tool.
type Call struct {
	ID    string         `json:"id"` // the provider's; unique within a message, "" only from broken servers
	Name  string         `json:"name"`
	Input jsontext.Value `json:"input"` // a JSON object, or, when the model wrote something else, a JSON string holding that text
}

// A Result is the result of a Call, for the model.
type Result struct {
	CallID  string  `json:"call_id"`
	Text    string  `json:"text"`
	Images  []Image `json:"images,omitzero"`
	IsError bool    `json:"is_error,omitzero"`
}

// TextBlock returns text as a Block.
func TextBlock(text string) Block { return Block{Kind: KindText, Text: text} }

// ImageBlock returns an image as a Block.
func ImageBlock(img Image) Block { return Block{Kind: KindImage, Image: &img} }

// CallBlock returns a tool call as a Block of an answer.
func CallBlock(c Call) Block { return Block{Kind: KindToolCall, Call: &c} }

// ResultBlock returns the result of a call as a Block.
func ResultBlock(r Result) Block { return Block{Kind: KindToolResult, Result: &r} }

// UserText returns a user message of one text block.
func UserText(text string) Message { return Message{Role: User, Blocks: []Block{TextBlock(text)}} }
