package codex

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/racetest"
)

// readSchema reads the schema of what is spoken here, which tools/codexschema writes.
func readSchema() ([]byte, error) { return os.ReadFile("../../../schema/codex.schema.json") }

// part is the schema of one of its definitions.
var part = dialecttest.Parts(readSchema)

// TestSchemaHasEveryMethod: it has the methods of tiers 1 and 2, and so all that are served.
func TestSchemaHasEveryMethod(t *testing.T) {
	text, err := readSchema()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var want []string
	for method, m := range schemaMethods.Get() {
		if m.tier < 3 {
			want = append(want, method)
		} else if _, served := handlers()[method]; served {
			t.Errorf("%s is served, and of tier 3", method)
		}
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(doc.Defs["ClientRequests"].Properties)); !slices.Equal(got, want) {
		t.Errorf("the schema has %q, want %q; go -C tools run ./codexschema writes it", got, want)
	}
}

// TestSchemaOfClientLines has lines of clients, and whether they are right. That lines of the program are is checked by the transcripts.
func TestSchemaOfClientLines(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	inbound := part("Inbound")
	for line, right := range map[string]bool{
		`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"x","title":null,"version":"1"}}}`: true,
		`{"id":1,"method":"initialize","params":{}}`:                                                     false,
		`{"method":"initialized"}`:                                                                       true,
		`{"method":"thread/started"}`:                                                                    false,
		`{"id":"a","method":"thread/start","params":{"cwd":"/srv","approvalPolicy":"on-request","sandbox":"read-only"}}`: true,
		`{"id":"a","method":"thread/start","params":{"sandbox":"readOnly"}}`:                                             false,
		`{"id":true,"method":"thread/loaded/list","params":{}}`:                                                          false,
		`{"id":2,"method":"turn/start","params":{"threadId":"t","input":[{"type":"text","text":"hi"}]}}`:                 true,
		`{"id":2,"method":"turn/start","params":{"threadId":"t","input":[{"type":"verse","text":"hi"}]}}`:                false,
		`{"id":2,"method":"turn/start","params":{"input":[]}}`:                                                           false,
		`{"id":2,"method":"thread/realtime/stop","params":{"threadId":"t"}}`:                                             false,
		`{"id":0,"result":{"decision":"accept"}}`:                                                                        true,
		`{"id":0,"result":{"decision":{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["ls"]}}}}`:               true,
		`{"id":0,"error":{"code":-1,"message":"no"}}`:                                                                    true,
		`{"id":0,"error":"no"}`: false,
		`{"id":0}`:              false,
	} {
		if err := inbound.FitsText(t, line); (err == nil) != right {
			t.Errorf("%s: %v", line, err)
		}
	}
}
