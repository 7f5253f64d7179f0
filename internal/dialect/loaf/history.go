package loaf

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file handles chats that were kept.

// historyList pages them (history.list).
func (c *conn) historyList(ctx context.Context, id jsonrpc.ID, p *HistoryListParams) {
	result, err := c.saved(ctx, p)
	if err != nil {
		c.fail(id, err)
		return
	}
	c.reply(id, result)
}

func (c *conn) saved(ctx context.Context, p *HistoryListParams) (HistoryListResult, error) {
	page, err := c.cfg.Host.List(ctx, engine.Query{Skip: p.Cursor, Limit: p.Limit, Count: true})
	if err != nil {
		return HistoryListResult{}, err
	}
	result := HistoryListResult{Total: page.Total, Cursor: p.Cursor, Limit: p.Limit, Sessions: []SavedChat{}}
	for _, s := range page.Sessions {
		result.Sessions = append(result.Sessions, c.savedChat(s))
	}
	if next := p.Cursor + len(page.Sessions); page.Next != "" {
		result.NextCursor = &next
	}
	return result, nil
}

// savedChat returns a chat as lists show it. Its messages are counted as two a turn.
func (c *conn) savedChat(s engine.Summary) SavedChat {
	model := s.Model
	if model == "" {
		model = c.defaultModel()
	}
	provider, id := c.outward(model)
	title := s.Name
	if title == "" {
		title = s.Title
	}
	if title == "" {
		title = "untitled chat"
	}
	return SavedChat{
		ID: string(s.ID), Title: firstRunes(title, mostTitle), Provider: provider, Model: id, ThinkingLevel: c.selected().thinking,
		CreatedAt: stamp(s.Created), UpdatedAt: stamp(s.Updated), MessageCount: 2 * s.Turns, RolloutPath: c.cfg.Host.Location(s.ID),
	}
}

// mostTitle is the length of a title, in characters.
const mostTitle = 80

// firstRunes returns at most n characters of text.
func firstRunes(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

// historyGet is one chat with its messages (history.get).
func (c *conn) historyGet(ctx context.Context, id jsonrpc.ID, p *HistoryGetParams) {
	summary, err := c.find(ctx, p)
	if err != nil {
		c.fail(id, err)
		return
	}
	result := HistoryGetResult{SavedChat: c.savedChat(summary), Messages: []HistoryEntry{}}
	v := c.pastView(ctx, summary.ID)
	for rec, err := range c.cfg.Host.Read(ctx, summary.ID) {
		if err != nil {
			c.fail(id, internal("", "failed to load chat: "+string(summary.ID)))
			return
		}
		v.render(rec)
	}
	if v.turn != nil { // it runs, or its process was killed
		v.keep(string(v.turn.answer))
	}
	for _, e := range v.history {
		result.Messages = append(result.Messages, e.HistoryEntry)
	}
	result.MessageCount = len(result.Messages)
	c.reply(id, result)
}

// pastView returns a view that is not sent to a client, for a chat that is not open.
func (c *conn) pastView(ctx context.Context, id event.SessionID) *view {
	count := 0
	return &view{label: labelReady, context: surroundings{
		nextMessage: func() int { count++; return count },
		blob:        func(address string) ([]byte, error) { return c.cfg.Host.Blob(ctx, id, address) },
		pinned:      func() int { return 0 },
		schema:      func() int { return 0 },
		provider:    c.providerOf,
		window:      func(string) int { return 0 },
		mentioned:   func(string) []string { return nil },
	}}
}

// find returns the chat that a request names: the last one, that of a path, or that of an id or
// its unique beginning.
func (c *conn) find(ctx context.Context, p *HistoryGetParams) (engine.Summary, error) {
	switch {
	case p.Last:
		page, err := c.cfg.Host.List(ctx, engine.Query{Limit: 1})
		if err == nil && len(page.Sessions) == 0 {
			err = internal(KindNotFound, "no saved chat history yet")
		}
		if err != nil {
			return engine.Summary{}, err
		}
		return page.Sessions[0], nil
	case p.RolloutPath != "":
		s, err := c.findID(ctx, filepath.Base(p.RolloutPath))
		if err != nil || filepath.Clean(c.cfg.Host.Location(s.ID)) != filepath.Clean(p.RolloutPath) {
			return engine.Summary{}, internal(KindNotFound, "failed to load chat: "+abridged(p.RolloutPath))
		}
		return s, nil
	case p.ID != "":
		s, err := c.findID(ctx, p.ID)
		if errors.Is(err, engine.ErrNoSession) {
			err = internal(KindNotFound, "no saved chat matched id: "+abridged(p.ID))
		}
		return s, err
	}
	return engine.Summary{}, internal(KindMissingParam, "history.get requires one of: id, last, rollout_path")
}

// mostMatches is how many chats are looked through for a beginning of an id.
const mostMatches = 1000

func (c *conn) findID(ctx context.Context, id string) (engine.Summary, error) {
	page, err := c.cfg.Host.List(ctx, engine.Query{Search: id, Limit: mostMatches})
	if err != nil {
		return engine.Summary{}, err
	}
	var found []engine.Summary
	for _, s := range page.Sessions {
		own := strings.ToLower(string(s.ID))
		if own == strings.ToLower(id) {
			return s, nil
		}
		if strings.HasPrefix(own, strings.ToLower(id)) {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		return engine.Summary{}, engine.ErrNoSession
	}
	return found[0], nil
}

// resume puts a kept chat into a session, and selects its model.
func (c *conn) resume(ctx context.Context, s *session, p *HistoryGetParams) (string, error) {
	summary, err := c.find(ctx, p)
	if err != nil {
		return "", err
	}
	if s.chat.eng.ID() == summary.ID {
		err = s.chat.eng.Log().Refresh()
	} else {
		_, err = c.exchange(ctx, s, func() (*engine.Session, error) { return c.open(ctx, summary.ID) })
	}
	if err != nil {
		return "", err
	}
	if summary.Model != "" {
		c.cfg.Settings.set(func(k *kept) { k.Model = summary.Model })
	}
	return string(summary.ID), nil
}

// open returns a kept chat.
func (c *conn) open(ctx context.Context, id event.SessionID) (*engine.Session, error) {
	eng, err := c.cfg.Host.Open(ctx, id, c.options())
	if err != nil {
		return nil, err
	}
	if c.cfg.Flags.Confine {
		if err := dialect.SwitchPolicy(eng, profile, "--sandbox", c.confine); err != nil {
			return nil, errors.Join(err, eng.Close(ctx))
		}
	}
	return eng, nil
}
