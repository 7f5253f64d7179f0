package codex

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/model"
)

// A storedThread is a thread that another process has left. Times are seconds.
type storedThread struct {
	id, dir, name    string
	created, updated int
	messages         []string
	archived         bool
}

var storedThreads = []storedThread{
	{"a", "/w/0", "Alpha", 1, 10, []string{"Fix the parser", "the\nZEBRA has " + strings.Repeat("x", 100)}, false},
	{"b", "/w/1", "", 2, 8, []string{"look at zebras"}, false},
	{"c", "/w/0", "", 3, 5, []string{"write a test"}, false},
	{"d", "/w/2", "", 4, 6, []string{"hello"}, false},
	{"e", "/w/0", "", 5, 7, []string{"zebra"}, true},
}

// A listClient sends requests to a server that has these threads.
type listClient struct {
	*dialecttest.Client
	t    *testing.T
	sent int
}

func newListClient(t *testing.T) *listClient {
	p := dialecttest.NewPlace(t, t.TempDir(), "")
	store, err := file.Open(filepath.Join(p.Home, ".parley"), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range storedThreads {
		at := func(seconds int) time.Time { return time.Unix(int64(seconds), 0).UTC() }
		settings := event.Settings{Name: s.name, Archived: s.archived}
		records := []event.Record{{Time: at(s.created), Event: event.SessionCreated{Version: event.Version, ID: event.SessionID(s.id), Workspace: s.dir, Settings: settings}}}
		for i, message := range s.messages {
			turn := event.TurnID(fmt.Sprint(i))
			records = append(records,
				event.Record{Time: at(s.created), Turn: turn, Event: event.TurnStarted{}},
				event.Record{Time: at(s.created), Turn: turn, Event: event.UserMessage{Via: event.ByPrompt, Blocks: []model.Block{model.TextBlock(message)}}},
				event.Record{Time: at(s.created), Turn: turn, Event: event.UserMessage{Via: event.ByEngine, Blocks: []model.Block{model.TextBlock("reminder")}}},
				event.Record{Time: at(s.updated), Turn: turn, Event: event.TurnEnded{Reason: event.TurnCompleted, Mutations: []event.Mutation{}}},
			)
		}
		j, err := store.Create(t.Context(), event.SessionID(s.id), records)
		if err == nil {
			err = j.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	c := &listClient{Client: p.Dial(t, serveInProcess), t: t}
	t.Cleanup(func() {
		c.HangUp()
		c.Over()
	})
	c.request("initialize", `{"clientInfo":{"name":"test","version":"1"},"capabilities":{"experimentalApi":true}}`, nil)
	return c
}

// request sends a request and returns the message of the error; "": the result is stored.
func (c *listClient) request(method, params string, result any) string {
	c.t.Helper()
	c.sent++
	c.Send(fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`+"\n", c.sent, method, params))
	for {
		line, ok := c.Next()
		if !ok {
			c.t.Fatal("the server has ended")
		}
		var answer struct {
			ID     int            `json:"id"`
			Result jsontext.Value `json:"result"`
			Error  struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		_ = json.Unmarshal([]byte(line), &answer)
		if answer.ID != c.sent {
			continue
		}
		if result != nil && answer.Error.Message == "" {
			if err := json.Unmarshal(answer.Result, result); err != nil {
				c.t.Fatal(err)
			}
		}
		return answer.Error.Message
	}
}

// A listPage is a page of thread/list or thread/search.
type listPage struct {
	Data []struct {
		ID      string `json:"id"`
		Snippet string `json:"snippet"`
		Thread  struct {
			ID string `json:"id"`
		} `json:"thread"`
	} `json:"data"`
	Next      string `json:"nextCursor"`
	Backwards string `json:"backwardsCursor"`
}

func (p listPage) ids() (ids string) {
	for _, t := range p.Data {
		ids += t.ID + t.Thread.ID
	}
	return ids
}

// page requests a page; params lack the last brace.
func (c *listClient) page(method, params string, limit int, cursor string) (p listPage) {
	c.t.Helper()
	if message := c.request(method, fmt.Sprintf(`%s"limit":%d,"cursor":%q}`, params, limit, cursor), &p); message != "" {
		c.t.Fatalf("%s %s: %s", method, params, message)
	}
	return p
}

// TestThreadListOrders has a row for each order and filter, with pages of each size.
func TestThreadListOrders(t *testing.T) {
	c := newListClient(t)
	for _, test := range []struct{ method, params, want string }{
		{"thread/list", `{`, "dcba"},
		{"thread/list", `{"sortKey":"created_at",`, "dcba"},
		{"thread/list", `{"sortKey":"created_at","sortDirection":"asc",`, "abcd"},
		{"thread/list", `{"sortKey":"updated_at",`, "abdc"},
		{"thread/list", `{"sortKey":"updated_at","sortDirection":"asc",`, "cdba"},
		{"thread/list", `{"sortKey":"recency_at","sortDirection":"desc",`, "abdc"},
		{"thread/list", `{"sortKey":"section_position","sectionId":"s",`, ""},
		{"thread/list", `{"archived":true,`, "e"},
		{"thread/list", `{"cwd":"/w/0",`, "ca"},
		{"thread/list", `{"cwd":["/w/0","/w/2","/w/9"],`, "dca"},
		{"thread/list", `{"cwd":[],`, "dcba"},
		{"thread/list", `{"cwd":["/w/0","/w/1"],"sortKey":"updated_at","sortDirection":"asc","excludedThreadIds":["c"],`, "ba"},
		{"thread/list", `{"searchTerm":"ALPHA",`, "a"},
		{"thread/list", `{"searchTerm":"zebra",`, "b"},
		{"thread/search", `{"searchTerm":"zebra",`, "ba"},
		{"thread/search", `{"searchTerm":"zebra","sortDirection":"asc",`, "ab"},
		{"thread/search", `{"searchTerm":"zebra","sortKey":"updated_at",`, "ab"},
		{"thread/search", `{"searchTerm":"zebra","archived":true,`, "e"},
		{"thread/search", `{"searchTerm":"alpha",`, "a"},
		{"thread/search", `{"searchTerm":"reminder",`, ""},
		{"thread/search", `{"searchTerm":"zebra","sourceKinds":["exec"],`, ""},
	} {
		for _, limit := range []int{1, 2, 3, 100} {
			var got string
			cursor, pages := "", 0
			for cursor != "" || pages == 0 {
				p := c.page(test.method, test.params, limit, cursor)
				if pages++; len(p.Data) > limit || pages > 9 {
					t.Fatalf("%s %s: page %d has %q, limit %d", test.method, test.params, pages, p.ids(), limit)
				}
				got += p.ids()
				cursor = p.Next
			}
			if got != test.want {
				t.Errorf("%s %s, by %d: %s, want %s", test.method, test.params, limit, got, test.want)
			}
		}
	}
	var p listPage
	for params, want := range map[string]string{
		`{"sortKey":"section_position"}`: "section-position sorting requires a section filter",
		`{"sortKey":"size"}`:             "Invalid request: sortKey must be",
		`{"cursor":"x"}`:                 "Invalid request: ",
		`{"cwd":1}`:                      "Invalid request: cwd must be",
		`{"excludedThreadIds":["` + strings.Repeat(`x","`, 100) + `"]}`:                      "Invalid request: excludedThreadIds",
		`{"cursor":"` + c.page("thread/list", `{`, 1, "").Next + `","sortKey":"updated_at"}`: "Invalid request: ",
	} {
		if got := c.request("thread/list", params, &p); !strings.HasPrefix(got, want) {
			t.Errorf("thread/list %s: %q, want %q", params, got, want)
		}
	}
	for _, term := range []string{``, `  `} {
		if got := c.request("thread/search", fmt.Sprintf(`{"searchTerm":%q}`, term), nil); got != "thread/search requires a non-empty searchTerm" {
			t.Errorf("a search for %q: %q", term, got)
		}
	}
}

// TestThreadListChanges updates threads between two pages: none comes twice, those that stay in their place all come, and the cursor of
// the first page leads to what has moved before it.
func TestThreadListChanges(t *testing.T) {
	for _, test := range []struct{ params, renamed, first, rest, before string }{
		{`{"sortKey":"created_at",`, "d", "dc", "ba", ""},
		{`{"sortKey":"created_at",`, "a", "dc", "ba", ""},
		{`{"sortKey":"created_at","sortDirection":"asc",`, "a", "ab", "cd", ""},
		{`{"sortKey":"updated_at",`, "a", "ab", "dc", "a"},
		{`{"sortKey":"updated_at",`, "c", "ab", "d", "c"},
		{`{"sortKey":"updated_at","sortDirection":"asc",`, "a", "cd", "ba", ""},
		{`{"sortKey":"updated_at","sortDirection":"asc",`, "d", "cd", "bad", ""}, // it has changed since
	} {
		c := newListClient(t)
		first := c.page("thread/list", test.params, 2, "")
		if message := c.request("thread/name/set", fmt.Sprintf(`{"threadId":%q,"name":"new"}`, test.renamed), nil); message != "" {
			t.Fatal(message)
		}
		rest := c.page("thread/list", test.params, 100, first.Next)
		back, ascending := strings.CutSuffix(test.params, `"sortDirection":"asc",`)
		if !ascending {
			back += `"sortDirection":"asc",`
		}
		before := c.page("thread/list", back, 100, first.Backwards)
		if got := []string{first.ids(), rest.ids(), before.ids()}; !slices.Equal(got, []string{test.first, test.rest, test.before}) {
			t.Errorf("%s and %s renamed: %q, want %q %q %q", test.params, test.renamed, got, test.first, test.rest, test.before)
		}
	}
}

// TestSnippetOf has a row for each place that a term can be found in.
func TestSnippetOf(t *testing.T) {
	long := strings.Repeat("ä", 80)
	for _, test := range []struct{ text, term, want string }{
		{"Fix the parser", "THE", "Fix the parser"},
		{"Fix\n\tthe  parser", "fix the", "Fix the parser"},
		{"Fix the parser", "lexer", ""},
		{"", "x", ""},
		{long + "ZEBRA" + long, "zebra", "…" + strings.Repeat("ä", 60) + "ZEBRA" + strings.Repeat("ä", 60) + "…"},
		{long + "ß", "SS", ""},
		{"ÄÖÜ zebra", "äöü", "ÄÖÜ zebra"},
	} {
		if got := snippetOf(test.text, test.term); got != test.want {
			t.Errorf("%q in %q: %q, want %q", test.term, test.text, got, test.want)
		}
	}
}
