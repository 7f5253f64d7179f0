package codex

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// This file makes pages of lists whose order does not change. A cursor is a place between two entries, which are counted
// from the oldest; a page goes on from it in either direction.

// A page is a part of a list.
type page[T any] struct {
	data            []T
	next, backwards nullString // cursors; "": nothing follows, nothing is there
}

// pageOf returns a page of all entries, the oldest first in them.
func pageOf[T any](all []T, cursor string, limit *int64, direction, otherwise SortDirection, most int) (page[T], error) {
	if direction == "" {
		direction = otherwise
	}
	n := most
	if limit != nil && *limit < int64(most) {
		n = int(*limit)
	}
	if n < 1 {
		return page[T]{}, invalid("limit must be at least 1")
	}
	from := 0
	if direction == SortDirectionDesc {
		from = len(all)
	}
	if cursor != "" {
		place, err := placeOf(cursor)
		if err != nil {
			return page[T]{}, err
		}
		from = min(place, len(all))
	}
	p := page[T]{data: []T{}}
	if direction == SortDirectionDesc {
		first := max(from-n, 0)
		p.data = append(p.data, all[first:from]...)
		slices.Reverse(p.data)
		if first > 0 {
			p.next = cursorAt(first)
		}
	} else {
		end := min(from+n, len(all))
		p.data = append(p.data, all[from:end]...)
		if end < len(all) {
			p.next = cursorAt(end)
		}
	}
	if len(p.data) > 0 {
		p.backwards = cursorAt(from)
	}
	return p, nil
}

const cursorMark = "codex:"

func cursorAt(place int) nullString {
	return nullString(base64.RawURLEncoding.EncodeToString([]byte(cursorMark + strconv.Itoa(place))))
}

func placeOf(cursor string) (int, error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	number, ours := strings.CutPrefix(string(text), cursorMark)
	place, bad := strconv.Atoi(number)
	if err != nil || !ours || bad != nil || place < 0 {
		return 0, invalid("cursor is not one of this list")
	}
	return place, nil
}

// textOf returns a text that a member of another type may stand in for; "" if it does.
func textOf(value jsontext.Value) string {
	var text string
	_ = json.Unmarshal(value, &text)
	return text
}

// turnsEnd and itemsEnd return the cursors after which the history grows.
func (h history) turnsEnd() nullString {
	if len(h.turns) == 0 {
		return ""
	}
	return cursorAt(len(h.turns))
}

func (h history) itemsEnd() nullString {
	if h.items == 0 {
		return ""
	}
	return cursorAt(h.items)
}

// turnsMost is how many turns are on a page, unless its request wants fewer; itemsMost the same of items.
const (
	turnsMost = 100
	itemsMost = 500
)

// turnsPage returns a page of turns.
func (h history) turnsPage(cursor string, limit *int64, direction SortDirection, view TurnItemsView) (page[Turn], error) {
	p, err := pageOf(h.turns, cursor, limit, direction, SortDirectionDesc, turnsMost)
	for i, t := range p.data {
		p.data[i] = t.in(view)
	}
	return p, err
}

// initialPage returns the first page of turns; nil if what is asked for is wrong.
func (h history) initialPage(ask *ThreadResumeInitialTurnsPageParams) *TurnsPage {
	p, err := h.turnsPage("", ask.Limit, ask.SortDirection, ask.ItemsView)
	if err != nil {
		return nil
	}
	return &TurnsPage{Data: p.data, NextCursor: p.next, BackwardsCursor: p.backwards}
}
