package pisces

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
)

// This file reads what the program writes, as strictly as the types of the wire allow.

// strictly takes nothing that the types do not have.
func strictly() json.Options {
	return json.JoinOptions(json.RejectUnknownMembers(true), json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(readContent), json.UnmarshalFromFunc(readWireMessage), json.UnmarshalFromFunc(readBlockEvent),
	)))
}

func readContent(dec *jsontext.Decoder, to *message.Content) error {
	return readUnion(dec, to, "type", map[string]func(jsontext.Value) (message.Content, error){
		message.TypeText: readAs[message.Text, message.Content], message.TypeThinking: readAs[message.Thinking, message.Content],
		message.TypeRedacted: readAs[message.RedactedThinking, message.Content], message.TypeImage: readAs[message.Image, message.Content],
		message.TypeCall: readAs[message.ToolCall, message.Content],
	})
}

func readWireMessage(dec *jsontext.Decoder, to *message.Message) error {
	return readUnion(dec, to, "role", map[string]func(jsontext.Value) (message.Message, error){
		"user": readAs[message.User, message.Message], "developer": readAs[message.User, message.Message],
		"assistant": readAs[message.Assistant, message.Message], "toolResult": readAs[message.ToolResult, message.Message],
		"bashExecution": readAs[message.BashExecution, message.Message], "fileMention": readAs[message.FileMention, message.Message],
		"custom": readAs[message.Custom, message.Message], "branchSummary": readAs[message.BranchSummary, message.Message],
		"compactionSummary": readAs[message.CompactionSummary, message.Message],
	})
}

func readBlockEvent(dec *jsontext.Decoder, to *AssistantMessageEvent) error {
	type reader = func(jsontext.Value) (AssistantMessageEvent, error)
	readers := map[string]reader{CallEnd: readAs[ToolCallEnd, AssistantMessageEvent]}
	for names, read := range map[[3]string]reader{
		{TextStart, ThinkingStart, CallStart}: readAs[BlockStart, AssistantMessageEvent],
		{TextDelta, ThinkingDelta, CallDelta}: readAs[BlockDelta, AssistantMessageEvent],
		{TextEnd, ThinkingEnd}:                readAs[BlockEnd, AssistantMessageEvent],
	} {
		for _, name := range names {
			if name != "" {
				readers[name] = read
			}
		}
	}
	return readUnion(dec, to, "type", readers)
}

func readUnion[I any](dec *jsontext.Decoder, to *I, member string, readers map[string]func(jsontext.Value) (I, error)) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	head := map[string]jsontext.Value{}
	if err := json.Unmarshal(raw, &head); err != nil {
		return err
	}
	var kind string
	_ = json.Unmarshal(head[member], &kind) // what is no text has no reader
	read := readers[kind]
	if read == nil {
		return fmt.Errorf("%s is %s", member, head[member])
	}
	*to, err = read(raw)
	return err
}

func readAs[T, I any](raw jsontext.Value) (I, error) {
	var value T
	err := json.Unmarshal(raw, &value, strictly())
	return any(value).(I), err
}

// exactly reads a value that has all that its type has to have, and nothing besides: written
// again it is the same.
func exactly[T any](raw jsontext.Value) (value T, err error) {
	if err := json.Unmarshal(raw, &value, strictly()); err != nil {
		return value, err
	}
	if !sameJSON(raw, rawjson.Marshal(value)) {
		return value, fmt.Errorf("not as %T is written", value)
	}
	return value, nil
}

func sameJSON(a, b jsontext.Value) bool {
	if bytes.Equal(a, b) {
		return true
	}
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && bytes.Equal(a, b)
}

// sameValue reports whether two values of the wire are written alike.
func sameValue(a, b any) bool { return sameJSON(rawjson.Marshal(a), rawjson.Marshal(b)) }

// lineType returns the type of a line, and the line without it.
func lineType(line []byte) (kind string, rest jsontext.Value, ok bool) {
	after, ok := strings.CutPrefix(string(line), `{"type":"`)
	if !ok {
		return "", nil, false
	}
	kind, after, _ = strings.Cut(after, `"`)
	return kind, jsontext.Value("{" + strings.TrimPrefix(after, ",")), true
}
