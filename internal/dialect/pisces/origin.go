package pisces

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// This file finds messages of other programs in the entries of session files.

// The types of the entries that put a message into the context.
const (
	entryMessage       = "message"
	entryBranchSummary = "branch_summary"
	entryCustomMessage = "custom_message"
)

// entryHeader is the type of the first line of a session file, which is no entry.
const entryHeader = "session"

// entryID is the id of an entry; "" if it is none: without type or id.
func entryID(raw jsontext.Value) string {
	obj, err := wire.ParseObject(raw, manners)
	if err != nil {
		return ""
	}
	if kind := member(obj, "type"); kind == "" || kind == entryHeader {
		return ""
	}
	return member(obj, "id")
}

// inEntry is the message that an entry puts into the context: nil for most types.
func inEntry(raw jsontext.Value) Message {
	obj, err := wire.ParseObject(raw, manners)
	if err != nil {
		return nil
	}
	value := func(name string) jsontext.Value {
		v, _ := obj.Get(name)
		return v
	}
	at := millisOf(member(obj, "timestamp"))
	switch member(obj, "type") {
	case entryMessage:
		if found, ok := rawMessage(value("message")); ok {
			return found
		}
	case entryCustomMessage:
		m := CustomMessage{
			Role: RoleCustom, CustomType: member(obj, "customType"), Content: value("content"), Display: isTrue(value("display")),
			Details: value("details"), Attribution: member(obj, "attribution"), Timestamp: at,
		}
		if m.Content == nil {
			m.Content = jsontext.Value(`""`)
		}
		return m
	case entryBranchSummary:
		return BranchSummaryMessage{RoleBranchSummary, member(obj, "summary"), member(obj, "fromId"), at}
	}
	return nil
}

// timeOf is the time that an entry has as text; the zero time if it is none.
func timeOf(text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// millisOf is the time that an entry has as text, as messages have it; 0 if it is none.
func millisOf(text string) int64 {
	if at := timeOf(text); !at.IsZero() {
		return at.UnixMilli()
	}
	return 0
}

// roleOf is the role of a message that is JSON.
func roleOf(raw jsontext.Value) (Role, bool) {
	if raw.Kind() != jsontext.KindBeginObject {
		return "", false
	}
	var m struct {
		Role Role `json:"role"`
	}
	err := json.Unmarshal(raw, &m, jsontext.AllowDuplicateNames(true))
	return m.Role, err == nil && m.Role != ""
}
