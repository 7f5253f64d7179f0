package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley.dev/parley/internal/event"
)

// Latest is the name of the session that was used last.
const Latest = "latest"

// shownMatches is how many sessions an error names of those that a name could mean.
const shownMatches = 5

var errNoneSaved = errors.New("no saved session in this workspace")

// Find returns the id of the session that name means: Latest, an id, or the beginning of the id
// of one session only. Latest and beginnings are looked up among the sessions of workspace, or
// among all where it is ""; a whole id is found wherever it is.
// ErrNoSession if no id is or begins with name.
func (h *Host) Find(ctx context.Context, workspace, name string) (event.SessionID, error) {
	if name == Latest {
		page, err := h.List(ctx, Query{Workspace: workspace, Limit: 1})
		if err != nil {
			return "", err
		}
		if len(page.Sessions) == 0 {
			return "", errNoneSaved
		}
		return page.Sessions[0].ID, nil
	}
	if h.Holders(event.SessionID(name)) > 0 || h.Exists(ctx, event.SessionID(name)) {
		return event.SessionID(name), nil
	}
	found, err := h.beginningWith(ctx, workspace, name)
	switch {
	case err != nil:
		return "", err
	case len(found) == 1:
		return event.SessionID(found[0]), nil
	case len(found) > shownMatches:
		found = append(found[:shownMatches], "…")
		fallthrough
	case len(found) > 1:
		return "", fmt.Errorf("more than one session begins with it: %s", strings.Join(found, ", "))
	case workspace != "":
		return "", fmt.Errorf("%w in this workspace", ErrNoSession)
	}
	return "", ErrNoSession
}

// beginningWith returns the ids that begin with prefix, those of archived sessions too.
func (h *Host) beginningWith(ctx context.Context, workspace, prefix string) (ids []string, err error) {
	if prefix == "" {
		return nil, nil
	}
	for _, archived := range []bool{false, true} {
		q := Query{Workspace: workspace, Search: prefix, Archived: archived}
		for {
			page, err := h.List(ctx, q)
			if err != nil {
				return nil, err
			}
			for _, s := range page.Sessions {
				if strings.HasPrefix(string(s.ID), prefix) {
					ids = append(ids, string(s.ID))
				}
			}
			if page.Next == "" {
				break
			}
			q.Cursor = page.Next
		}
	}
	return ids, nil
}
