package codex

import (
	"context"
	"path"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file finds files by parts of their paths.

func fuzzyMethods() []handler {
	return []handler{
		on("fuzzyFileSearch", (*conn).fuzzySearch, func(p *FuzzyFileSearchParams) error { return checkFolders("roots", p.Roots) }),
		on("fuzzyFileSearch/sessionStart", (*conn).fuzzyStart, func(p *FuzzyFileSearchSessionStartParams) error { return checkFolders("roots", p.Roots) }),
		on("fuzzyFileSearch/sessionUpdate", (*conn).fuzzyUpdate),
		on("fuzzyFileSearch/sessionStop", (*conn).fuzzyStop),
	}
}

// filesMost is how many files a search returns.
const filesMost = 50

// fuzzySearch finds the files whose paths are most like a query (fuzzyFileSearch). Other requests are handled meanwhile.
func (c *conn) fuzzySearch(_ context.Context, id jsonrpc.ID, p *FuzzyFileSearchParams) {
	c.answering.Go(func() {
		index, err := c.cfg.Host.IndexFiles(c.life, p.Roots)
		if err != nil {
			c.fail(id, "", refused(err.Error()))
			return
		}
		c.reply(id, FuzzyFileSearchResponse{Files: filesFound(index, p.Query)})
	})
}

// filesFound returns what an index has for a query; for none: nothing.
func filesFound(index *engine.FileIndex, query string) []FuzzyFileSearchResult {
	found := []FuzzyFileSearchResult{}
	if query == "" {
		return found
	}
	for _, m := range index.Search(query, filesMost) {
		r := FuzzyFileSearchResult{Root: m.Root, Path: m.Path, FileName: path.Base(m.Path), MatchType: FuzzyFileSearchMatchTypeFile, Score: int64(m.Score)}
		if m.Folder {
			r.MatchType = FuzzyFileSearchMatchTypeDirectory
		}
		for _, i := range m.Indices {
			r.Indices = append(r.Indices, int64(i))
		}
		found = append(found, r)
	}
	return found
}

// fuzzyStart indexes the files of folders for several searches (fuzzyFileSearch/sessionStart).
func (c *conn) fuzzyStart(_ context.Context, id jsonrpc.ID, p *FuzzyFileSearchSessionStartParams) {
	index, err := c.cfg.Host.IndexFiles(c.life, p.Roots)
	if err != nil {
		c.fail(id, "", refused(err.Error()))
		return
	}
	if c.searches == nil {
		c.searches = map[string]*engine.FileIndex{}
	}
	c.searches[p.SessionID] = index
	c.reply(id, FuzzyFileSearchSessionStartResponse{})
}

// fuzzyUpdate searches with a new query (fuzzyFileSearch/sessionUpdate).
func (c *conn) fuzzyUpdate(_ context.Context, id jsonrpc.ID, p *FuzzyFileSearchSessionUpdateParams) {
	index := c.searches[p.SessionID]
	if index == nil {
		c.fail(id, "", refused("fuzzy file search session not found: "+abridged(p.SessionID)))
		return
	}
	c.reply(id, FuzzyFileSearchSessionUpdateResponse{})
	lines := c.announce("fuzzyFileSearch/sessionUpdated", FuzzyFileSearchSessionUpdatedNotification{
		SessionID: p.SessionID, Query: p.Query, Files: filesFound(index, p.Query),
	})
	for _, line := range append(lines, c.announce("fuzzyFileSearch/sessionCompleted", FuzzyFileSearchSessionCompletedNotification{p.SessionID})...) {
		c.out.Post(line)
	}
}

// fuzzyStop ends the searches (fuzzyFileSearch/sessionStop).
func (c *conn) fuzzyStop(_ context.Context, id jsonrpc.ID, p *FuzzyFileSearchSessionStopParams) {
	delete(c.searches, p.SessionID)
	c.reply(id, FuzzyFileSearchSessionStopResponse{})
}
