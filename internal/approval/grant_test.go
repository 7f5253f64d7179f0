package approval

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

func TestParseGrant(t *testing.T) {
	for _, text := range []string{
		`{"target":{"type":"path","path":"/w","recursive":true},"level":"write","scope":"always"}`,
		`{"target":{"type":"path","path":"/w"},"level":"read","scope":"session","given":"2030-01-02T03:04:05Z"}`,
		`{"target":{"type":"domain","pattern":"*.x.y"},"level":"execute","scope":"once","expires":"2030-01-02T03:04:05Z"}`,
		`{"target":{"type":"command","pattern":"git *"},"level":"execute","scope":"always"}`,
		`{"target":{"type":"command","pattern":"*"},"level":"admin","scope":"always"}`,
		`{"target":{"type":"tool","server":"s","tool":"*"},"level":"execute","scope":"always"}`,
		`{"target":{"type":"file","path":"/w/a"},"level":"write","scope":"always"}`,
		`{"target":{"type":"line","command":"make > x","dir":"/w"},"level":"execute","scope":"always"}`,
		`{"target":{"type":"url","url":"https://x.y/"},"level":"execute","scope":"always"}`,
		`{"target":{"type":"call","server":"s","tool":"t","summary":"t 1"},"level":"execute","scope":"always"}`,
	} {
		g, err := ParseGrant([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		again, err := json.Marshal(g)
		if want := `{"id":"` + g.ID + `",` + text[1:]; err != nil || string(again) != want {
			t.Errorf("%s is written as %s, %v", text, again, err)
		}
		if same, err := ParseGrant(again); err != nil || same != g {
			t.Errorf("%s is read as %+v, %v", again, same, err)
		}
		if strings.Contains(g.Target.String(), "unknown") || g.Target.String() == "" {
			t.Errorf("%s for users is %q", text, g.Target)
		}
	}
	for text, want := range map[string]string{
		`{"target":{"type":"path","path":"w"},"level":"read","scope":"once"}`:                       "in full",
		`{"target":{"type":"path","path":""},"level":"read","scope":"once"}`:                        "in full",
		`{"target":{"type":"path"},"level":"read","scope":"once"}`:                                  "in full",
		`{"target":{"type":"path","path":"/w/"},"level":"read","scope":"once"}`:                     "in full",
		`{"target":{"type":"path","path":"/w/../x"},"level":"read","scope":"once"}`:                 "in full",
		`{"target":{"type":"file","path":"w"},"level":"read","scope":"once"}`:                       "in full",
		`{"target":{"type":"path","path":"/w\u0000"},"level":"read","scope":"once"}`:                "NUL",
		`{"target":{"type":"path","path":"/w","pattern":"*"},"level":"read","scope":"once"}`:        "another type",
		`{"target":{"type":"file","path":"/w","recursive":true},"level":"read","scope":"once"}`:     "another type",
		`{"target":{"type":"command","pattern":"git *","dir":"/w"},"level":"read","scope":"once"}`:  "another type",
		`{"target":{"type":"command","pattern":""},"level":"execute","scope":"once"}`:               "has words",
		`{"target":{"type":"command","pattern":"sh *"},"level":"execute","scope":"once"}`:           "far more",
		`{"target":{"type":"domain","pattern":"https://x"},"level":"read","scope":"once"}`:          "host name",
		`{"target":{"type":"tool","tool":"t"},"level":"read","scope":"once"}`:                       "names its server",
		`{"target":{"type":"tool","server":"s"},"level":"read","scope":"once"}`:                     "names its server",
		`{"target":{"type":"line","command":"make","dir":"w"},"level":"read","scope":"once"}`:       "absolute folder",
		`{"target":{"type":"line","dir":"/w"},"level":"read","scope":"once"}`:                       "absolute folder",
		`{"target":{"type":"url","url":"%"},"level":"read","scope":"once"}`:                         "address",
		`{"target":{"type":"call","server":"s","tool":"t"},"level":"read","scope":"once"}`:          "summary",
		`{"target":{"type":"paths","path":"/w"},"level":"read","scope":"once"}`:                     "unknown type",
		`{"target":{"path":"/w"},"level":"read","scope":"once"}`:                                    "unknown type",
		`{"target":{"type":"path","path":"/w","Recursive":true},"level":"read","scope":"once"}`:     "Recursive",
		`{"target":{"type":"path","path":"/w"},"level":"read","scope":"once","except":"/w/a"}`:      "except",
		`{"target":{"type":"path","path":"/w"},"level":"all","scope":"once"}`:                       "unknown approval level",
		`{"target":{"type":"path","path":"/w"},"scope":"once"}`:                                     "has a level",
		`{"target":{"type":"path","path":"/w"},"level":"read"}`:                                     "unknown scope",
		`{"target":{"type":"path","path":"/w"},"level":"read","scope":"forever"}`:                   "unknown scope",
		`{"target":{"type":"path","path":"/w"},"level":"read","scope":"once","expires":"tomorrow"}`: "cannot be read",
		`{"target":{"type":"path","path":"/w"},"level":"read","level":"write","scope":"once"}`:      "cannot be read",
		`{"target":"/w","level":"read","scope":"once"}`:                                             "cannot be read",
		`{}`: "has a level",
		``:   "cannot be read",
		`{`:  "cannot be read",
		`[]`: "cannot be read",
	} {
		if g, err := ParseGrant([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v, want %q", text, g, err, want)
		}
	}
}

// TestIDs: an ID says the same thing in every process and at every time.
func TestIDs(t *testing.T) {
	g := Grant{Target: Target{Kind: TargetCommand, Pattern: "git *"}, Level: Execute, Scope: Always}
	const want = "xdu3olmg"
	if got := g.Named().ID; got != want {
		t.Errorf("the id is %s, want %s", got, want)
	}
	later := g
	later.Given, later.Expires, later.ID = time.Now(), time.Now(), "x"
	if later.Named().ID != want {
		t.Error("the id depends on time")
	}
	seen := map[string]bool{}
	for _, target := range []Target{
		{Kind: TargetPath, Path: "/w"},
		{Kind: TargetPath, Path: "/w", Recursive: true},
		{Kind: TargetFile, Path: "/w"},
		{Kind: TargetTool, Server: "a", Tool: "b"},
		{Kind: TargetTool, Server: "b", Tool: "a"},
		{Kind: TargetTool, Server: `a" "b`, Tool: "c"},
		{Kind: TargetTool, Server: "a", Tool: `b" "c`},
	} {
		for _, level := range []Level{Read, Write} {
			for _, scope := range []Scope{Session, Always} {
				id := Grant{Target: target, Level: level, Scope: scope}.Named().ID
				if seen[id] || len(id) != 8 {
					t.Errorf("%+v has the id %s", target, id)
				}
				seen[id] = true
			}
		}
	}
}
