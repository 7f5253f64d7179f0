package codex

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file finds threads by what their users wrote.

// searchedMost is how many threads a request looks into: their records are read. The cursor leads to the others.
const searchedMost = 1000

func checkThreadSearch(p *ThreadSearchParams) error {
	if strings.TrimSpace(p.SearchTerm) == "" {
		return refused("thread/search requires a non-empty searchTerm")
	}
	return nil
}

// threadSearch finds threads by their names and by the messages of their users (thread/search).
func (c *conn) threadSearch(ctx context.Context, id jsonrpc.ID, p *ThreadSearchParams) {
	q := engine.Query{Archived: p.Archived, Cursor: p.Cursor}
	order(&q, p.SortKey, p.SortDirection)
	result := ThreadSearchResponse{Data: []ThreadSearchResult{}}
	next, backwards, err := c.eachStored(ctx, q, threadLimit(p.Limit), searchedMost, func(s engine.Summary) bool {
		snippet := c.snippet(ctx, s, p.SearchTerm)
		if snippet == "" {
			return false
		}
		t := c.shownStored(ctx, s)
		if t.Ephemeral || len(p.SourceKinds) > 0 && !slices.Contains(p.SourceKinds, ThreadSourceKind(t.Source.Word)) {
			return false
		}
		result.Data = append(result.Data, ThreadSearchResult{Thread: t, Snippet: snippet})
		return true
	})
	if err != nil {
		c.fail(id, "", err)
		return
	}
	result.NextCursor, result.BackwardsCursor = next, backwards
	c.reply(id, result)
}

// snippet returns the first place of a thread that has a term: its name, its first words, or a message of its user; "": there is none.
func (c *conn) snippet(ctx context.Context, s engine.Summary, term string) string {
	for _, text := range []string{s.Name, s.Title} {
		if found := snippetOf(text, term); found != "" {
			return found
		}
	}
	for rec, err := range c.cfg.Host.Read(ctx, s.ID) {
		if err != nil {
			return "" // it is damaged, or was removed meanwhile
		}
		message, ok := rec.Event.(event.UserMessage)
		if !ok || message.Via == event.ByEngine {
			continue
		}
		for _, block := range message.Blocks {
			if found := snippetOf(block.Text, term); found != "" {
				return found
			}
		}
	}
	return ""
}

// around is how many characters a snippet has before the term, and after it.
const around = 60

// snippetOf returns the part of a text that has a term, in upper or lower case, as one line; "": it does not have it.
func snippetOf(text, term string) string {
	line := strings.Join(strings.Fields(text), " ")
	lower := strings.Map(unicode.ToLower, line)
	term = strings.Map(unicode.ToLower, strings.Join(strings.Fields(term), " "))
	at := strings.Index(lower, term)
	if at < 0 {
		return ""
	}
	runes := []rune(line)
	first := utf8.RuneCountInString(lower[:at])
	from, to := max(0, first-around), min(len(runes), first+utf8.RuneCountInString(term)+around)
	snippet := string(runes[from:to])
	if from > 0 {
		snippet = "…" + snippet
	}
	if to < len(runes) {
		snippet += "…"
	}
	return snippet
}
