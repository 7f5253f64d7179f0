package sessionfile

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/wire"
)

// This file contains the entries of a session file as Go types. Source: the session files of the
// programs that the protocol's document describes; version 3, of which others are made.

// Version is the version of the files that are written.
const Version = 3

// Header is the first line of a file.
type Header struct {
	Type          string `json:"type"` // message.EntryHeader
	Version       int    `json:"version,omitzero"`
	ID            string `json:"id"`
	Timestamp     string `json:"timestamp"`
	Cwd           string `json:"cwd"`
	Title         string `json:"title,omitzero"`
	ParentSession string `json:"parentSession,omitzero"` // a path, or whatever a client gave
}

// The types of entries, besides those of messages.
const (
	entryModel      = "model_change"
	entryThinking   = "thinking_level_change"
	entryCompaction = "compaction"
	entryLabel      = "label"
	entryName       = "session_info"
	entryRules      = "ttsr_injection"
	entryCustom     = "custom"
)

// An Entry is any other line. Entries of unknown types are stored unchanged.
type Entry struct {
	Type      string
	ID        string
	Parent    string // "": null
	Timestamp string // ISO 8601, UTC, with milliseconds

	raw  jsontext.Value  // of one that was read
	body any             // of one of our own: one of the structs below
	msg  message.Message // of one of our own that puts a message into the context
}

// entryHead is what all entries have, in the order in which it is written.
type entryHead struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	ParentID  *string `json:"parentId"` // null: none
	Timestamp string  `json:"timestamp"`
}

// The entries that are written.
type (
	messageEntry struct {
		entryHead
		Message message.Message `json:"message"`
	}

	modelEntry struct {
		entryHead
		Model    string `json:"model"` // provider/id
		Provider string `json:"provider"`
		ModelID  string `json:"modelId"`
	}

	thinkingEntry struct {
		entryHead
		ThinkingLevel message.ThinkingLevel `json:"thinkingLevel"` // message.ThinkingOff for none
	}

	compactionEntry struct {
		entryHead
		message.CompactionResult
	}

	customMessageEntry struct {
		entryHead
		CustomType  string         `json:"customType"`
		Content     jsontext.Value `json:"content"`
		Display     bool           `json:"display"`
		Details     jsontext.Value `json:"details,omitzero"`
		Attribution string         `json:"attribution,omitzero"`
	}

	branchSummaryEntry struct {
		entryHead
		FromID  string `json:"fromId"`
		Summary string `json:"summary"`
	}

	labelEntry struct {
		entryHead
		TargetID string `json:"targetId"`
		Label    string `json:"label,omitzero"` // absent: it is taken away
	}

	rulesEntry struct {
		entryHead
		InjectedRules []string `json:"injectedRules"` // names
	}

	customEntry struct {
		entryHead
		CustomData
	}

	nameEntry struct {
		entryHead
		Name string `json:"name"`
	}
)

// CustomData is what an extension keeps for itself.
type CustomData struct {
	CustomType string         `json:"customType"`
	Data       jsontext.Value `json:"data,omitzero"`
}

// readEntry reads a line of version 3. It refuses what is no entry: without type or id.
func readEntry(raw jsontext.Value) (Entry, bool) {
	obj, err := wire.ParseObject(raw, rawjson.Options)
	if err != nil {
		return Entry{}, false
	}
	e := Entry{
		Type: rawjson.Member(obj, "type"), ID: rawjson.Member(obj, "id"), Parent: rawjson.Member(obj, "parentId"),
		Timestamp: rawjson.Member(obj, "timestamp"), raw: raw,
	}
	return e, e.Type != "" && e.Type != message.EntryHeader && e.ID != ""
}

// Line returns the entry as it stands in a file, without LF.
func (e Entry) Line() jsontext.Value {
	if e.raw != nil {
		return e.raw
	}
	return shortened(rawjson.Marshal(e.body))
}

// field returns a member of an entry that was read; nil if there is none.
func (e Entry) field(name string) jsontext.Value {
	obj, err := wire.ParseObject(e.raw, rawjson.Options)
	if err != nil {
		return nil
	}
	value, _ := obj.Get(name)
	return value
}

// text returns a member of an entry that was read, if it is a text, or "".
func (e Entry) text(name string) string {
	found, _ := rawjson.Text(e.field(name))
	return found
}

// time returns when the entry was made; the zero time if it does not say.
func (e Entry) time() time.Time { return message.EntryTime(e.Timestamp) }

// millis returns that time as messages have it; 0 if it does not say.
func (e Entry) millis() int64 { return message.EntryMillis(e.Timestamp) }

// Message returns what the entry puts into the context: nil for most types.
func (e Entry) Message() message.Message {
	if e.raw == nil {
		return e.msg
	}
	return message.InEntry(e.raw)
}

// compaction returns what a compaction says.
func (e Entry) compaction() message.CompactionResult {
	if own, ok := e.body.(compactionEntry); ok {
		return own.CompactionResult
	}
	r := message.CompactionResult{Summary: e.text("summary"), ShortSummary: e.text("shortSummary"), FirstKeptEntryID: e.text("firstKeptEntryId")}
	_ = wire.DecodeValue(e.field("tokensBefore"), &r.TokensBefore, rawjson.Options) // 0 if it is no number
	return r
}

// Stamp returns a time as entries have it.
func Stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }
