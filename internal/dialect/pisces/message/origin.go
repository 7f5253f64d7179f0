package message

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/wire"
)

// This file finds messages of other programs in the entries of session files.

// The types of the entries that put a message into the context.
const (
	EntryMessage       = "message"
	EntryBranchSummary = "branch_summary"
	EntryCustomMessage = "custom_message"
)

// EntryHeader is the type of the first line of a session file, which is no entry.
const EntryHeader = "session"

// entryID returns the id of an entry; "" if it is none: without type or id.
func entryID(raw jsontext.Value) string {
	obj, err := wire.ParseObject(raw, rawjson.Options)
	if err != nil {
		return ""
	}
	if kind := rawjson.Member(obj, "type"); kind == "" || kind == EntryHeader {
		return ""
	}
	return rawjson.Member(obj, "id")
}

// InEntry returns the message that an entry puts into the context: nil for most types.
func InEntry(raw jsontext.Value) Message {
	obj, err := wire.ParseObject(raw, rawjson.Options)
	if err != nil {
		return nil
	}
	value := func(name string) jsontext.Value {
		v, _ := obj.Get(name)
		return v
	}
	at := EntryMillis(rawjson.Member(obj, "timestamp"))
	switch rawjson.Member(obj, "type") {
	case EntryMessage:
		if found, ok := RawMessage(value("message")); ok {
			return found
		}
	case EntryCustomMessage:
		m := Custom{
			Role: RoleCustom, CustomType: rawjson.Member(obj, "customType"), Content: value("content"), Display: rawjson.IsTrue(value("display")),
			Details: value("details"), Attribution: rawjson.Member(obj, "attribution"), Timestamp: at,
		}
		if m.Content == nil {
			m.Content = jsontext.Value(`""`)
		}
		return m
	case EntryBranchSummary:
		return BranchSummary{RoleBranchSummary, rawjson.Member(obj, "summary"), rawjson.Member(obj, "fromId"), at}
	}
	return nil
}

// EntryTime returns the time that an entry has as text; the zero time if it is none.
func EntryTime(text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// EntryMillis returns the time that an entry has as text, as messages have it; 0 if it is none.
func EntryMillis(text string) int64 {
	if at := EntryTime(text); !at.IsZero() {
		return at.UnixMilli()
	}
	return 0
}

// RoleOf returns the role of a message that is JSON.
func RoleOf(raw jsontext.Value) (Role, bool) {
	if raw.Kind() != jsontext.KindBeginObject {
		return "", false
	}
	var m struct {
		Role Role `json:"role"`
	}
	err := json.Unmarshal(raw, &m, jsontext.AllowDuplicateNames(true))
	return m.Role, err == nil && m.Role != ""
}
