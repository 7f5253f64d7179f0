package screen

import (
	"time"

	"parley.dev/parley/record"
)

func sessionsOf() []record.Listed {
	at := time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC)
	return []record.Listed{
		{ID: "s-a", Title: "fix the login page", Workspace: "/home/me/shop", Updated: at.Add(-3 * time.Minute), Open: true, Clients: 1, Status: record.StatusThinking},
		{ID: "s-b", Title: "write the release notes of version 2", Name: "Release notes", Workspace: "/home/me/shop", Updated: at.Add(-49 * time.Hour), Status: record.StatusIdle},
		{ID: "s-c", Title: "explain the parser", Workspace: "/home/me/parser", Updated: at.Add(-90 * time.Minute), Status: record.StatusIdle},
	}
}
