package pisces

import (
	"errors"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/pisces/message"
)

// textMessages returns user messages of these sizes, in bytes.
func textMessages(sizes ...int) (all []message.Message) {
	for _, size := range sizes {
		all = append(all, message.User{Role: message.RoleUser, Content: []message.Content{message.NewText(strings.Repeat("x", size))}})
	}
	return all
}

// TestPages: all pages together are the messages, and none is larger than it may be, unless a
// single message is.
func TestPages(t *testing.T) {
	for _, c := range []struct {
		limit int
		all   []message.Message
		want  []int // messages of each page
	}{
		{0, nil, []int{0}},
		{0, textMessages(1, 2, 3), []int{3}},
		{1, textMessages(1, 2, 3), []int{1, 1, 1}},
		{2, textMessages(1, 2, 3), []int{2, 1}},
		{3, textMessages(1, 2, 3), []int{3}},
		{0, textMessages(make([]int, defaultPage+1)...), []int{defaultPage, 1}},
		{largestPage, textMessages(pageBytes/4, pageBytes/2, pageBytes/2, 2*pageBytes, 10), []int{2, 1, 1, 1}},
	} {
		got, counts := []message.Message{}, []int{}
		p := GetMessagesPage{Limit: c.limit}
		for {
			page, err := pageOf("s", "leaf", c.all, p)
			if err != nil {
				t.Fatal(err)
			}
			if page.TotalMessages != len(c.all) {
				t.Errorf("%d messages, want %d", page.TotalMessages, len(c.all))
			}
			got, counts = append(got, page.Messages...), append(counts, len(page.Messages))
			if p.Cursor = page.NextCursor; p.Cursor == "" {
				break
			}
		}
		if !sameValue(counts, c.want) || len(c.all) > 0 && !sameValue(got, c.all) {
			t.Errorf("limit %d: pages of %v messages, want %v", c.limit, counts, c.want)
		}
	}
}

// TestPageRefused: limits out of range, texts that are no cursors, and cursors of another state.
func TestPageRefused(t *testing.T) {
	all := textMessages(1, 2)
	first, err := pageOf("s", "leaf", all, GetMessagesPage{Limit: 1})
	if err != nil || first.NextCursor == "" {
		t.Fatalf("no second page: %v", err)
	}
	for _, p := range []GetMessagesPage{
		{Limit: -1},
		{Limit: largestPage + 1},
		{Cursor: "!"},
		{Cursor: "e30="},
		{Cursor: strings.Repeat("A", cursorLimit+1)},
		{Cursor: "W10"},
		{Cursor: pageCursor{"s", "leaf", 2, 3}.encode()},
		{Cursor: pageCursor{"s", "leaf", 2, -1}.encode()},
	} {
		if _, err := pageOf("s", "leaf", all, p); err == nil {
			t.Errorf("%+v was taken", p)
		}
	}
	p := GetMessagesPage{Cursor: first.NextCursor}
	for name, page := range map[string]func() (MessagesPage, error){
		"session":  func() (MessagesPage, error) { return pageOf("other", "leaf", all, p) },
		"leaf":     func() (MessagesPage, error) { return pageOf("s", "other", all, p) },
		"messages": func() (MessagesPage, error) { return pageOf("s", "leaf", textMessages(1, 2, 3), p) },
	} {
		_, err := page()
		if coded, ok := errors.AsType[codedError](err); !ok || coded.code != codeStale {
			t.Errorf("another %s: %v", name, err)
		}
	}
}
