package agentair

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/racetest"
)

func TestSchemaIsCheckedIn(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	dialecttest.CheckedIn(t, "agentair", Schema)
}

// part is the schema of one of the document's definitions.
var part = dialecttest.Parts(Schema)

// TestSchemaHasEverything compares the tables with protocol*.go itself: every struct is in
// them, and every word of each set.
func TestSchemaHasEverything(t *testing.T) {
	structs, constants := declared(t)
	var tabled []string
	for _, n := range allTypes() {
		tabled = append(tabled, n.Name())
	}
	slices.Sort(tabled)
	if diff := cmp.Diff(structs, tabled); diff != "" {
		t.Errorf("structs (-protocol*.go +schema_types.go)\n%s", diff)
	}
	tabledWords := map[string][]string{}
	for n, words := range wordTypes.Get() {
		tabledWords[n.Name()] = words
	}
	if diff := cmp.Diff(constants, tabledWords); diff != "" {
		t.Errorf("words (-protocol*.go +schema_types.go)\n%s", diff)
	}
	if names := slices.Sorted(maps.Keys(requests.Get())); len(names) != len(requestTypes.Get()) {
		t.Errorf("decode.go knows %q", names)
	}
	for _, n := range requestTypes.Get() {
		if requests.Get()[n.Name()] == nil {
			t.Errorf("decode.go does not know %s", n.Name())
		}
	}
}

// declared returns the names of all structs of protocol*.go but what --extended adds, and the
// values of its constants by their type.
func declared(t *testing.T) (structs []string, constants map[string][]string) {
	t.Helper()
	all, texts := dialecttest.Declared(t)
	for _, s := range all {
		if !strings.HasSuffix(s.Name, "More") {
			structs = append(structs, s.Name)
		}
	}
	slices.Sort(structs)
	constants = map[string][]string{}
	for _, c := range texts {
		constants[c.Type] = append(constants[c.Type], c.Value)
	}
	return structs, constants
}

// TestSchemaAgreesWithDecode holds the schema and the decoder to the same verdict, over the
// lines that the decoder's own tests take and refuse.
func TestSchemaAgreesWithDecode(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	for _, test := range acceptedLines {
		if err := part("Inbound").FitsText(t, test.line); err != nil {
			t.Errorf("%s: %v", test.line, err)
		}
	}
	for _, test := range refusedShapes {
		if test.onlyDecode {
			continue
		}
		if err := part("Inbound").FitsText(t, test.line); err == nil {
			t.Errorf("%s fits", test.line)
		}
	}
}

// TestMessagesFit: every message there is fits, and no message does without a field of the
// source, with null where there is no Option, or with another type.
func TestMessagesFit(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	for _, m := range samples {
		nullable := []string{"reason", "options"}
		if m.message.variant() == "Error" || m.message.variant() == "System" {
			nullable = append(nullable, "session_id")
		}
		line := string(encode(m.message))
		if err := part("Outbound").FitsText(t, line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		for _, spoilt := range spoil(t, m.line, nullable) {
			if err := part("Outbound").FitsText(t, spoilt); err == nil {
				t.Errorf("%s fits", spoilt)
			}
		}
		if err := part("Outbound").FitsText(t, strings.Replace(line, `":{`, `":{"unheard_of":[],`, 1)); err != nil {
			t.Errorf("%s is not open: %v", line, err)
		}
	}
	for _, line := range []string{
		`{}`, `{"TextChunk":null}`, `{"Unheard":{}}`,
		`{"System":{"message":"m","session_id":1},"Display":{"content":"c","session_id":1}}`,
		`{"Complete":{"session_id":1,"turn_id":{"role":"assistant","sequence":1},"stop_reason":"EndTurn"}}`,
		`{"Complete":{"session_id":1,"turn_id":{"role":"Assistant","sequence":1},"stop_reason":"end_turn"}}`,
		`{"Complete":{"session_id":null,"turn_id":{"role":"Assistant","sequence":1},"stop_reason":"EndTurn"}}`,
		`{"ToolExecuting":{"tool_use_id":"t","tool_name":"ls","input":[],"session_id":1}}`,
	} {
		if err := part("Outbound").FitsText(t, line); err == nil {
			t.Errorf("%s fits", line)
		}
	}
}

// spoil returns the line without each of its members in turn, however deep, and with each of
// them null or of another type.
func spoil(t *testing.T, line string, nullable []string) (spoilt []string) {
	t.Helper()
	var whole any
	if err := json.Unmarshal([]byte(line), &whole); err != nil {
		t.Fatal(err)
	}
	keep := func() {
		text, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		spoilt = append(spoilt, string(text))
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, element := range v {
				walk(element)
			}
		case map[string]any:
			for name, was := range v {
				if name == "input" { // of any form
					continue
				}
				walk(was)
				delete(v, name)
				keep()
				v[name] = true
				if was != true && was != false {
					keep()
				}
				if v[name] = nil; !slices.Contains(nullable, name) {
					keep()
				}
				v[name] = was
			}
		}
	}
	walk(whole)
	return spoilt
}
