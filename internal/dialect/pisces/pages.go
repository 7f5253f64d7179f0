package pisces

import (
	"encoding/base64"
	"fmt"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
)

// This file contains the messages of a session in pages (get_messages_page).

const (
	defaultPage  = 100       // messages of a page
	largestPage  = 256       // messages of a page
	pageBytes    = 768 << 10 // of the messages of a page, unless a single one is larger
	cursorLimit  = 2048      // bytes of a cursor
	codeBusy     = "session_busy"
	codeStale    = "stale_cursor"
	staleMessage = "the cursor is stale: the session has changed; begin again without a cursor"
)

// pageCursor is the place where a page begins, and the session that it is of.
type pageCursor struct {
	Session  string `json:"session"`
	Leaf     string `json:"leaf"`
	Messages int    `json:"messages"`
	Offset   int    `json:"offset"`
}

func (c pageCursor) encode() string { return base64.RawURLEncoding.EncodeToString(rawjson.Marshal(c)) }

// readCursor reads a cursor of encode.
func readCursor(text string) (c pageCursor, err error) {
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err == nil && len(text) <= cursorLimit {
		err = json.Unmarshal(data, &c, json.RejectUnknownMembers(true))
	}
	if err != nil || len(text) > cursorLimit || c.Offset < 0 || c.Offset > c.Messages {
		return pageCursor{}, fmt.Errorf("cursor: expected the nextCursor of an earlier page, not %q", abridged(text))
	}
	return c, nil
}

// pageOf returns the page of all messages that p asks for. leaf is the last entry of the session.
func pageOf(session, leaf string, all []message.Message, p GetMessagesPage) (MessagesPage, error) {
	limit := p.Limit
	if limit == 0 {
		limit = defaultPage
	}
	if limit < 1 || limit > largestPage {
		return MessagesPage{}, fmt.Errorf("limit: expected 1 to %d", largestPage)
	}
	at := pageCursor{Session: session, Leaf: leaf, Messages: len(all)}
	if p.Cursor != "" {
		from, err := readCursor(p.Cursor)
		if err != nil {
			return MessagesPage{}, err
		}
		at.Offset = from.Offset
		if from != at {
			return MessagesPage{}, codedError{codeStale, staleMessage}
		}
	}
	page := MessagesPage{Messages: []message.Message{}, TotalMessages: len(all)}
	size := 0
	for _, m := range all[at.Offset:] {
		size += len(rawjson.Marshal(m)) + 1
		if len(page.Messages) == limit || len(page.Messages) > 0 && size > pageBytes {
			at.Offset += len(page.Messages)
			page.NextCursor = at.encode()
			break
		}
		page.Messages = append(page.Messages, m)
	}
	return page, nil
}
