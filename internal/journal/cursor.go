package journal

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"parley.dev/parley/internal/event"
)

// sortKeyLen is the length of every SortKey of the years 0 to 9999, in bytes.
const sortKeyLen = len("2006-01-02T15:04:05.000000000Z")

// SortKey formats a time as a text that sorts in order of time.
func SortKey(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000000Z") }

// createdMark begins the text of a cursor of a list that is sorted by creation.
const createdMark = "created:"

// CursorAfter returns the cursor of the page that follows sum. It contains the sort key and the id. With the other direction it is the
// cursor of the page that precedes sum.
func (q Query) CursorAfter(sum Summary) string {
	mark := ""
	if q.ByCreation {
		mark = createdMark
	}
	return base64.RawURLEncoding.EncodeToString([]byte(mark + q.Key(sum) + string(sum.ID)))
}

// ParseCursor returns the sort key and the id of the last session of the page before Cursor, or ErrCursor: it is no cursor, or one
// of a list that is sorted by another time.
func (q Query) ParseCursor() (key, id string, err error) {
	whole, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	text, byCreation := strings.CutPrefix(string(whole), createdMark)
	if err != nil || byCreation != q.ByCreation || len(text) <= sortKeyLen || !ValidID(event.SessionID(text[sortKeyLen:])) {
		return "", "", fmt.Errorf("%w: %q", ErrCursor, q.Cursor)
	}
	return text[:sortKeyLen], text[sortKeyLen:], nil
}
