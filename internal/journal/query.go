package journal

import (
	"slices"
	"strings"
)

// Key returns the text by which a query sorts a session; sessions with the same key are sorted by their ids.
func (q Query) Key(sum Summary) string {
	if q.ByCreation {
		return SortKey(sum.Created)
	}
	return SortKey(sum.Updated)
}

// DefaultLimit is the size of a page if Query.Limit is 0.
const DefaultLimit = 50

// SearchText returns the text in which Query.Search is searched for, in lower case.
func SearchText(sum Summary) string {
	return strings.ToLower(sum.Name + "\n" + sum.Title + "\n" + string(sum.ID))
}

// Matches reports whether a query selects a session. Limit, Cursor and Skip are not considered.
func (q Query) Matches(sum Summary) bool {
	switch {
	case !q.All && sum.Archived != q.Archived,
		q.IDs != nil && !slices.Contains(q.IDs, sum.ID),
		q.Workspace != "" && sum.Workspace != q.Workspace,
		q.Workspaces != nil && !slices.Contains(q.Workspaces, sum.Workspace),
		q.Within != "" && sum.Workspace != q.Within && !strings.HasPrefix(sum.Workspace, strings.TrimSuffix(q.Within, "/")+"/"),
		q.WithTurns && sum.Turns == 0:
		return false
	}
	return q.Search == "" || strings.Contains(SearchText(sum), strings.ToLower(q.Search))
}
