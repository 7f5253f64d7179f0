package codex

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file lists threads, and reads them without loading them.

func threadListMethods() []handler {
	return []handler{
		on("thread/list", (*conn).threadList, checkThreadList),
		on("thread/search", (*conn).threadSearch, checkThreadSearch),
		on("thread/loaded/list", (*conn).threadLoadedList),
		on("thread/read", (*conn).threadRead),
		on("thread/turns/list", (*conn).threadTurnsList),
		on("thread/items/list", (*conn).threadItemsList),
	}
}

const (
	threadsUsual = 25  // on a page, unless its request wants another number
	threadsMost  = 100 // on any page
)

func threadLimit(limit *int64) int {
	if limit == nil || *limit < 1 {
		return threadsUsual
	}
	return int(min(*limit, threadsMost))
}

// threadList lists stored threads (thread/list).
func (c *conn) threadList(ctx context.Context, id jsonrpc.ID, p *ThreadListParams) {
	folders, err := foldersOf(p)
	if err != nil {
		c.fail(id, "", err)
		return
	}
	if p.SectionID != "" || p.ProjectID != "" { // there are none
		c.reply(id, ThreadListResponse{Data: []Thread{}})
		return
	}
	q := engine.Query{Archived: p.Archived, Search: p.SearchTerm, Workspaces: folders, Cursor: p.Cursor}
	order(&q, p.SortKey, p.SortDirection)
	result := ThreadListResponse{Data: []Thread{}}
	result.NextCursor, result.BackwardsCursor, err = c.eachStored(ctx, q, threadLimit(p.Limit), math.MaxInt, func(s engine.Summary) bool {
		t := c.shownStored(ctx, s)
		if t.Ephemeral || !p.selects(t) {
			return false
		}
		result.Data = append(result.Data, t)
		return true
	})
	if err != nil {
		c.fail(id, "", err)
		return
	}
	c.reply(id, result)
}

const excludedMost = 100

func checkThreadList(p *ThreadListParams) error {
	switch {
	case p.SortKey == ThreadSortKeySectionPosition && p.SectionID == "":
		return refused("section-position sorting requires a section filter")
	case len(p.ExcludedThreadIDs) > excludedMost:
		return problem("excludedThreadIds", fmt.Sprintf("has more than %d ids", excludedMost))
	}
	return nil
}

// selects reports whether a request lists a thread, as far as the store does not decide it.
func (p *ThreadListParams) selects(t Thread) bool {
	return (len(p.ModelProviders) == 0 || slices.Contains(p.ModelProviders, t.ModelProvider)) &&
		(len(p.Originators) == 0 || slices.Contains(p.Originators, string(t.Originator))) && !slices.Contains(p.ExcludedThreadIDs, t.ID) &&
		(len(p.SourceKinds) == 0 || slices.Contains(p.SourceKinds, ThreadSourceKind(t.Source.Word))) &&
		(p.ParentThreadID == "" || string(t.ParentThreadID) == p.ParentThreadID)
}

// order sets the order of a list. A thread is recent when it was updated.
func order[K ~string](q *engine.Query, key K, direction SortDirection) {
	q.ByCreation = key == "" || string(key) == string(ThreadSortKeyCreatedAt)
	q.Ascending = direction == SortDirectionAsc
}

// foldersOf returns the folders that a list is about: cwd is one or several.
func foldersOf(p *ThreadListParams) (folders []string, err error) {
	if p.Cwd == nil {
		return nil, nil
	}
	if one := textOf(p.Cwd); one != "" {
		folders = []string{one}
	} else if err := json.Unmarshal(p.Cwd, &folders); err != nil {
		return nil, invalid("cwd must be a string, or an array of strings")
	}
	if len(folders) == 0 {
		return nil, nil
	}
	for i, dir := range folders {
		if real, err := engine.Workspace(dir); err == nil {
			folders[i] = real
		}
	}
	return folders, nil
}

// eachStored calls take with stored threads in the order of a query, until it has taken limit of them or was called most times. It
// returns the cursors of what follows the last of them, and of what precedes the first that was taken.
func (c *conn) eachStored(ctx context.Context, q engine.Query, limit, most int, take func(engine.Summary) bool) (next, backwards nullString, err error) {
	for limit > 0 && most > 0 {
		q.Limit = min(limit, most) // no thread is left out at the end of a page
		page, err := c.cfg.Host.List(ctx, q)
		if err != nil {
			return "", "", err
		}
		most -= len(page.Sessions)
		for _, s := range page.Sessions {
			if !take(s) {
				continue
			}
			if limit--; backwards == "" {
				backwards = nullString(q.CursorAfter(s))
			}
		}
		if q.Cursor = page.Next; page.Next == "" {
			break
		}
	}
	return nullString(q.Cursor), backwards, nil
}

// threadLoadedList lists the threads that are loaded (thread/loaded/list).
func (c *conn) threadLoadedList(_ context.Context, id jsonrpc.ID, p *ThreadLoadedListParams) {
	var ids []string
	for _, loaded := range c.cfg.Process.list(c.cfg.Host) {
		ids = append(ids, string(loaded))
	}
	page, err := pageOf(ids, p.Cursor, p.Limit, SortDirectionAsc, SortDirectionAsc, threadsMost)
	if err != nil {
		c.fail(id, "", err)
		return
	}
	c.reply(id, ThreadLoadedListResponse{Data: page.data, NextCursor: page.next})
}

// summary returns the summary of a stored thread.
func (c *conn) summary(ctx context.Context, id string) (engine.Summary, error) {
	page, err := c.cfg.Host.List(ctx, engine.Query{IDs: []event.SessionID{event.SessionID(id)}, All: true, Limit: 1})
	if err != nil {
		return engine.Summary{}, err
	}
	if len(page.Sessions) == 0 {
		return engine.Summary{}, engine.ErrNoSession
	}
	return page.Sessions[0], nil
}

// threadRead returns a thread without loading it (thread/read).
func (c *conn) threadRead(ctx context.Context, id jsonrpc.ID, p *ThreadReadParams) {
	var shown Thread
	answer := ThreadReadResponse{}
	if open, err := c.cfg.Host.Session(event.SessionID(p.ThreadID)); err == nil {
		shown = c.shownOpen(open)
	} else {
		s, err := c.summary(ctx, p.ThreadID)
		if err != nil {
			c.fail(id, p.ThreadID, err)
			return
		}
		shown = c.shownStored(ctx, s)
	}
	if p.IncludeTurns || c.experimental && !shown.Ephemeral {
		d := whole
		if !p.IncludeTurns {
			d = outline
		}
		h, err := c.storedHistory(ctx, p.ThreadID, d)
		if err != nil {
			c.fail(id, p.ThreadID, err)
			return
		}
		if p.IncludeTurns {
			shown.Turns = h.turns
		}
		state := h.view.read.shown()
		answer.ReadState = &state
	}
	answer.Thread = shown
	c.reply(id, answer)
}

// threadTurnsList returns a page of the turns of a thread (thread/turns/list).
func (c *conn) threadTurnsList(ctx context.Context, id jsonrpc.ID, p *ThreadTurnsListParams) {
	h, err := c.storedHistory(ctx, p.ThreadID, whole)
	if err == nil {
		var page page[Turn]
		if page, err = h.turnsPage(p.Cursor, p.Limit, p.SortDirection, p.ItemsView); err == nil {
			c.reply(id, ThreadTurnsListResponse{Data: page.data, NextCursor: page.next, BackwardsCursor: page.backwards})
			return
		}
	}
	c.fail(id, p.ThreadID, err)
}

// threadItemsList returns a page of the items of a thread (thread/items/list).
func (c *conn) threadItemsList(ctx context.Context, id jsonrpc.ID, p *ThreadItemsListParams) {
	h, err := c.storedHistory(ctx, p.ThreadID, whole)
	if err == nil {
		var page page[ThreadItemEntry]
		if page, err = pageOf(h.entries(p.TurnID), textOf(p.Cursor), p.Limit, p.SortDirection, SortDirectionAsc, itemsMost); err == nil {
			c.reply(id, ThreadItemsListResponse{Data: page.data, NextCursor: page.next, BackwardsCursor: page.backwards})
			return
		}
	}
	c.fail(id, p.ThreadID, err)
}
