package journaltest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/racetest"
)

// ids returns all sessions that a query finds, page by page.
func ids(t *testing.T, s journal.Store, q journal.Query) []event.SessionID {
	t.Helper()
	var all []event.SessionID
	for {
		page, err := s.List(t.Context(), q)
		if err != nil {
			t.Fatalf("List: %v", err)
		}
		if q.Limit > 0 && len(page.Sessions) > q.Limit {
			t.Fatalf("page of %d sessions, limit %d", len(page.Sessions), q.Limit)
		}
		for _, sum := range page.Sessions {
			all = append(all, sum.ID)
		}
		if page.Next == "" {
			return all
		}
		q.Cursor = page.Next
	}
}

// turn returns the records of a turn that started the given number of seconds after epoch.
func turn(seconds int, prompt string) []event.Record {
	at := after(seconds)
	return []event.Record{
		{Time: at, Turn: "t", Event: event.TurnStarted{Prompt: "p"}},
		{Time: at, Turn: "t", Event: event.UserMessage{ID: "p", Via: event.ByPrompt, Blocks: []model.Block{model.TextBlock(prompt)}}},
		{Time: at, Turn: "t", Event: event.TurnEnded{Reason: event.TurnCompleted, Mutations: []event.Mutation{}}},
	}
}

func changed(seconds int, settings event.Settings) event.Record {
	return event.Record{Time: after(seconds), Event: event.SessionChanged{Settings: settings}}
}

func testList(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	want := journal.Summary{ID: "a", Workspace: "/home/ada/engine", Model: "offline/demo", Created: epoch, Updated: epoch}
	wantSummary := func(step string) {
		t.Helper()
		for name, store := range map[string]journal.Store{"this": s, "another": env.open(t)} {
			for _, q := range []journal.Query{{}, {Workspace: want.Workspace}, {Search: want.Name}} {
				page, err := store.List(t.Context(), q)
				if err != nil {
					t.Fatalf("List: %v", err)
				}
				if diff := cmp.Diff(journal.Page{Sessions: []journal.Summary{want}}, page); diff != "" {
					t.Fatalf("List(%+v) of %s store %s (-want +got):\n%s", q, name, step, diff)
				}
			}
		}
	}
	wantSummary("after Create")
	appendAll(t, j, turn(5, "Fix the\nbug")...)
	want.Updated, want.Turns, want.Title = after(5), 1, "Fix the bug"
	wantSummary("after a turn")
	appendAll(t, j, changed(6, event.Settings{Name: "engine", Model: "m", Dir: "/home/ada/other"}))
	want.Updated, want.Name, want.Model, want.Workspace = after(6), "engine", "m", "/home/ada/other"
	wantSummary("after a change")
	appendAll(t, j, note(7))
	want.Updated = after(7)
	closeOrFail(t, j)
	wantSummary("after Close")
	j = lease(t, s, "a")
	appendAll(t, j, turn(8, "again")...)
	want.Updated, want.Turns = after(8), 2
	wantSummary("after a turn of a new lease")
}

func testListFilters(t *testing.T, env *testEnv) {
	s := env.open(t)
	for i := range 12 {
		id := event.SessionID(fmt.Sprintf("s%02d", i))
		first := event.SessionCreated{Version: event.Version, ID: id, Workspace: fmt.Sprintf("/w%d", i%2)}
		j, err := s.Create(t.Context(), id, []event.Record{{Time: after(i / 2), Event: first}})
		if err != nil {
			t.Fatalf("Create: %v", err)
		}
		if i%3 == 0 {
			appendAll(t, j, changed(i/2, event.Settings{Archived: true}))
		}
		if i == 4 {
			appendAll(t, j, append(turn(i/2, "Größe 100% _of_ it"), changed(i/2, event.Settings{Name: "The NAME"}))...)
		}
		closeOrFail(t, j)
	}
	for _, limit := range []int{0, 1, 3, 100} {
		for _, test := range []struct {
			query journal.Query
			want  []event.SessionID
		}{
			{journal.Query{}, []event.SessionID{"s11", "s10", "s08", "s07", "s05", "s04", "s02", "s01"}},
			{journal.Query{Archived: true}, []event.SessionID{"s09", "s06", "s03", "s00"}},
			{journal.Query{All: true, Archived: true, Workspace: "/w1"}, []event.SessionID{"s11", "s09", "s07", "s05", "s03", "s01"}},
			{journal.Query{Workspace: "/w0"}, []event.SessionID{"s10", "s08", "s04", "s02"}},
			{journal.Query{Workspace: "/w1", Archived: true}, []event.SessionID{"s09", "s03"}},
			{journal.Query{Workspace: "/w"}, nil},
			{journal.Query{Search: "S1"}, []event.SessionID{"s11", "s10"}},
			{journal.Query{Search: "gröSSE"}, nil},
			{journal.Query{Search: "GRÖßE"}, []event.SessionID{"s04"}},
			{journal.Query{Search: "100%"}, []event.SessionID{"s04"}},
			{journal.Query{Search: "1_0"}, nil},
			{journal.Query{Search: "the name"}, []event.SessionID{"s04"}},
			{journal.Query{Search: "name", Workspace: "/w1"}, nil},
			{journal.Query{Search: `"'; --`}, nil},
			{journal.Query{IDs: []event.SessionID{"s02", "s11", "s03", "none"}}, []event.SessionID{"s11", "s02"}},
			{journal.Query{IDs: []event.SessionID{"s02", "s11"}, Workspace: "/w0"}, []event.SessionID{"s02"}},
			{journal.Query{IDs: []event.SessionID{}}, nil},
			{journal.Query{Within: "/w1"}, []event.SessionID{"s11", "s07", "s05", "s01"}},
			{journal.Query{Within: "/"}, []event.SessionID{"s11", "s10", "s08", "s07", "s05", "s04", "s02", "s01"}},
			{journal.Query{Within: "/w"}, nil},
			{journal.Query{WithTurns: true}, []event.SessionID{"s04"}},
			{journal.Query{WithTurns: true, Workspace: "/w1"}, nil},
			{journal.Query{Workspaces: []string{"/w1", "/w"}}, []event.SessionID{"s11", "s07", "s05", "s01"}},
			{journal.Query{Workspaces: []string{"/w1", "/w0"}, Archived: true}, []event.SessionID{"s09", "s06", "s03", "s00"}},
			{journal.Query{Workspaces: []string{}}, nil},
			{journal.Query{Ascending: true}, []event.SessionID{"s01", "s02", "s04", "s05", "s07", "s08", "s10", "s11"}},
			{journal.Query{Ascending: true, Archived: true, Workspace: "/w1"}, []event.SessionID{"s03", "s09"}},
			{journal.Query{ByCreation: true, All: true}, []event.SessionID{"s11", "s10", "s09", "s08", "s07", "s06", "s05", "s04", "s03", "s02", "s01", "s00"}},
			{journal.Query{ByCreation: true, Ascending: true, Search: "s1"}, []event.SessionID{"s10", "s11"}},
		} {
			test.query.Limit = limit
			if got := ids(t, s, test.query); !slices.Equal(got, test.want) {
				t.Errorf("List(%+v) = %v, want %v", test.query, got, test.want)
			}
		}
	}
	page, err := s.List(t.Context(), journal.Query{Workspace: "/w0", Skip: 1, Limit: 2, Count: true})
	if err != nil || page.Total != 4 || len(page.Sessions) != 2 || page.Sessions[0].ID != "s08" || page.Next == "" {
		t.Errorf("List with a skip: %+v, %v", page, err)
	}
	page, err = s.List(t.Context(), journal.Query{Workspace: "/w0", Limit: 2, Cursor: page.Next, Count: true})
	if err != nil || page.Total != 4 || len(page.Sessions) != 1 || page.Sessions[0].ID != "s02" || page.Next != "" {
		t.Errorf("List of a second page: %+v, %v", page, err)
	}
	last := page
	page, err = s.List(t.Context(), journal.Query{Skip: 100, Count: true})
	if err != nil || page.Total != 8 || len(page.Sessions) != 0 {
		t.Errorf("List after the end: %+v, %v", page, err)
	}
	for _, byCreation := range []bool{false, true} {
		cursor := journal.Query{ByCreation: !byCreation}.CursorAfter(last.Sessions[0])
		if _, err := s.List(t.Context(), journal.Query{ByCreation: byCreation, Cursor: cursor}); !errors.Is(err, journal.ErrCursor) {
			t.Errorf("List with the cursor of another order: %v, want ErrCursor", err)
		}
	}
	for _, cursor := range []string{"x", "!", "AAAA", " "} {
		if _, err := s.List(t.Context(), journal.Query{Cursor: cursor}); !errors.Is(err, journal.ErrCursor) {
			t.Errorf("List with cursor %q: %v, want ErrCursor", cursor, err)
		}
	}
}

// testListWhileUpdated reads pages while sessions move to the front: none is listed twice, and all
// that do not move are listed.
func testListWhileUpdated(t *testing.T, env *testEnv) {
	s := env.open(t)
	const total = 30
	journals := map[event.SessionID]journal.Journal{}
	for i := range total {
		id := event.SessionID(fmt.Sprintf("s%02d", i))
		journals[id] = create(t, s, id)
		appendAll(t, journals[id], turn(i, "x")...)
	}
	seen, moved := map[event.SessionID]bool{}, map[event.SessionID]bool{}
	q := journal.Query{Limit: 4}
	for clock := total; ; clock++ {
		page, err := s.List(t.Context(), q)
		if err != nil {
			t.Fatalf("List: %v", err)
		}
		for _, sum := range page.Sessions {
			if seen[sum.ID] {
				t.Errorf("%s comes twice", sum.ID)
			}
			seen[sum.ID] = true
		}
		if q.Cursor = page.Next; page.Next == "" {
			break
		}
		for _, id := range []event.SessionID{page.Sessions[0].ID, event.SessionID(fmt.Sprintf("s%02d", clock-total))} {
			appendAll(t, journals[id], turn(clock, "y")...)
			moved[id] = true
		}
	}
	for id := range journals {
		if !seen[id] && !moved[id] {
			t.Errorf("%s does not come", id)
		}
	}
	if got := ids(t, s, journal.Query{Limit: 7}); len(got) != total {
		t.Errorf("List = %d sessions, want %d", len(got), total)
	}
}

// testListOrders updates sessions between two pages: by creation each is listed once, in its place, and the cursor after a session
// leads back to those before it.
func testListOrders(t *testing.T, env *testEnv) {
	s := env.open(t)
	const total = 9
	var made []event.SessionID
	journals := map[event.SessionID]journal.Journal{}
	for i := range total {
		id := event.SessionID(fmt.Sprintf("s%02d", i))
		first := event.SessionCreated{Version: event.Version, ID: id, Workspace: "/w"}
		j, err := s.Create(t.Context(), id, []event.Record{{Time: after(i), Event: first}})
		if err != nil {
			t.Fatalf("Create: %v", err)
		}
		journals[id], made = j, append(made, id)
	}
	clock := total
	for _, ascending := range []bool{false, true} {
		want := slices.Clone(made)
		if !ascending {
			slices.Reverse(want)
		}
		var got []event.SessionID
		q := journal.Query{ByCreation: true, Ascending: ascending, Limit: 2}
		for more := true; more; more = q.Cursor != "" {
			page, err := s.List(t.Context(), q)
			if err != nil {
				t.Fatalf("List: %v", err)
			}
			for _, sum := range page.Sessions {
				got = append(got, sum.ID)
				appendAll(t, journals[sum.ID], turn(clock, "y")...)
				clock++
			}
			back := q
			back.Ascending, back.Cursor, back.Limit = !ascending, q.CursorAfter(page.Sessions[0]), 1
			before, err := s.List(t.Context(), back)
			if err != nil {
				t.Fatalf("List: %v", err)
			}
			if at := len(got) - len(page.Sessions); at > 0 && (len(before.Sessions) != 1 || before.Sessions[0].ID != got[at-1]) || at == 0 && len(before.Sessions) > 0 {
				t.Errorf("before %s: %+v", page.Sessions[0].ID, before.Sessions)
			}
			q.Cursor = page.Next
		}
		if !slices.Equal(got, want) {
			t.Errorf("by creation, ascending %t: %v, want %v", ascending, got, want)
		}
	}
}

// testListCounts creates, changes, archives and removes sessions in two stores at one location: after
// each step the lists of one of them contain and count all remaining sessions.
func testListCounts(t *testing.T, env *testEnv) {
	racetest.Skip(t, racetest.Sequential)
	stores := []journal.Store{env.open(t), env.open(t)}
	archived := map[event.SessionID]bool{}
	dice := rand.New(rand.NewPCG(1, 2))
	for step := range 200 {
		here, there := stores[dice.IntN(2)], stores[dice.IntN(2)]
		left := slices.Sorted(maps.Keys(archived))
		var what string
		switch {
		case len(left) < 3 || dice.IntN(6) == 0:
			id := event.SessionID(fmt.Sprintf("s%d", step))
			closeOrFail(t, create(t, here, id))
			archived[id], what = false, "create"
		case dice.IntN(5) == 0:
			id := left[dice.IntN(len(left))]
			if err := here.Remove(t.Context(), id); err != nil {
				t.Fatalf("Remove: %v", err)
			}
			delete(archived, id)
			what = "remove"
		default:
			id, away := left[dice.IntN(len(left))], dice.IntN(2) == 0
			j := lease(t, here, id)
			appendAll(t, j, changed(step, event.Settings{Name: fmt.Sprint(step), Archived: away}))
			closeOrFail(t, j)
			archived[id], what = away, fmt.Sprintf("archived=%t", away)
		}
		for _, away := range []bool{false, true} {
			page, err := there.List(t.Context(), journal.Query{Archived: away, Limit: 1000, Count: true})
			if err != nil {
				t.Fatalf("List: %v", err)
			}
			got := map[event.SessionID]bool{}
			for _, sum := range page.Sessions {
				got[sum.ID] = sum.Archived
			}
			want := maps.Clone(archived)
			maps.DeleteFunc(want, func(_ event.SessionID, is bool) bool { return is != away })
			if !maps.Equal(got, want) || page.Total != len(want) {
				t.Fatalf("step %d, %s: List = %v and counts %d, want %v", step, what, got, page.Total, want)
			}
		}
	}
}
