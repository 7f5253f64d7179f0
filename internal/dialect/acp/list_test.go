package acp

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/model"
)

// TestListPages: sessions come fifty a page, the one used last first, without those of subagents and those without a prompt,
// however many of these are among them.
func TestListPages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := file.Open(filepath.Join(dir, "home"), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	var want, archived []string
	for i := range 240 {
		id := fmt.Sprintf("s%03d", i)
		created := event.SessionCreated{Version: event.Version, ID: event.SessionID(id), Workspace: dir}
		events := []event.Event{
			event.TurnStarted{Prompt: "p-1"},
			event.UserMessage{ID: "p-1", Via: event.ByPrompt, Blocks: []model.Block{model.TextBlock("go\nthere")}},
			event.TurnEnded{Reason: event.TurnCompleted},
		}
		switch i % 4 {
		case 0:
			events = events[:0]
		case 1:
			created.Settings.Archived, created.Parent = true, "s000" // a subagent
		case 2:
			want = append([]string{id}, want...)
		case 3: // a fork
			created.Parent = "s000"
			if i%8 == 3 {
				want = append([]string{id}, want...)
				break
			}
			events = append(events, event.SessionChanged{Settings: event.Settings{Archived: true}})
			archived = append([]string{id}, archived...)
		}
		putAt(t, store, id, at.Add(time.Duration(i)*time.Minute), created, events...)
	}
	c := dialHost(t, hostOf(t, dir, store, nil), Flags{Unstable: true})
	defer c.close()
	for params, all := range map[string][]string{
		`"cwd":null`: want, `"archived":"exclude"`: want, `"archived":"only"`: archived, fmt.Sprintf(`"cwd":%q`, dir): want, `"cwd":"/"`: nil,
	} {
		var got []string
		var sizes []int
		cursor := ""
		for {
			page := c.call("session/list", fmt.Sprintf(`{%s,"cursor":%q}`, params, cursor), nil).Result
			sizes = append(sizes, len(page.Sessions))
			for _, s := range page.Sessions {
				got = append(got, s.SessionID)
				if _, err := time.Parse(time.RFC3339, s.UpdatedAt); err != nil || s.Title != "go there" || s.Cwd != dir {
					t.Errorf("%+v", s)
				}
			}
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		if d := cmp.Diff(all, got); d != "" {
			t.Errorf("%s: %s", params, d)
		}
		for _, n := range sizes[:len(sizes)-1] {
			if n != pageSize {
				t.Errorf("%s: pages of %v", params, sizes)
			}
		}
	}
	if all := c.list(`{"archived":"include"}`); len(all) != pageSize || all[0].SessionID != "s239" || !all[0].Archived || all[1].SessionID != "s238" || all[1].Archived {
		t.Errorf("%+v", all[:2])
	}
}
