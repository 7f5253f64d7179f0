package native

import (
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/dialect/schema"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/wire/jsonrpc"
)

func TestSchemaIsCheckedIn(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	dialecttest.CheckedIn(t, "native", Schema)
}

// part is the schema of one of the document's definitions.
var part = dialecttest.Parts(Schema)

// document returns the schema itself.
func document(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc := new(jsonschema.Schema)
	if err := json.Unmarshal(text, doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// minimal returns a value with the required members only.
func minimal(doc, s *jsonschema.Schema) any {
	name, isRef := strings.CutPrefix(s.Ref, "#/$defs/")
	switch {
	case isRef:
		return minimal(doc, doc.Defs[name])
	case s.Const != nil:
		return *s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AnyOf) > 0:
		return minimal(doc, s.AnyOf[0])
	case len(s.Types) > 0:
		return minimal(doc, &jsonschema.Schema{Type: s.Types[0], Items: s.Items})
	}
	switch s.Type {
	case "integer", "number":
		return 1
	case "boolean":
		return true
	case "array":
		return []any{minimal(doc, s.Items)}
	case "object":
		members := map[string]any{}
		required := s.Required
		if len(s.OneOf) > 0 {
			required = slices.Concat(required, s.OneOf[0].Required)
		}
		for _, name := range required {
			members[name] = minimal(doc, s.Properties[name])
		}
		return members
	}
	return "x"
}

// leastRequest returns a request with minimal params, as a client sends it.
func leastRequest(doc *jsonschema.Schema, c call) map[string]any {
	return map[string]any{"jsonrpc": "2.0", "id": 1, "method": c.method, "params": minimal(doc, doc.Defs[c.params.Name()])}
}

// decodes returns what the program makes of a request.
func decodes(t *testing.T, line any) (any, error) {
	t.Helper()
	f, invalid := jsonrpc.Parse(value(line), frames)
	if invalid != nil {
		_, err := lineError(invalid)
		return nil, err
	}
	return table().Params(f, frames)
}

// TestSchemaHasEveryMethod: a request with the required members of its definition, and no others, is one that the program
// accepts.
func TestSchemaHasEveryMethod(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	doc := document(t)
	for _, c := range calls() {
		params, err := decodes(t, leastRequest(doc, c))
		if err != nil || reflect.TypeOf(params).Elem() != c.params.Is {
			t.Errorf("%s: decode gives %T, %v; the schema has %s", c.method, params, err, c.params.Is)
		}
		if doc.Defs["Requests"].Properties[c.method] == nil {
			t.Errorf("Requests has no %s", c.method)
		}
	}
}

// TestSchemaHasEveryNotification compares the table with the notifications that the code of this package sends.
func TestSchemaHasEveryNotification(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	var described []string
	for _, n := range notes.Get() {
		described = append(described, n.method)
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	sent := regexp.MustCompile(`(?:notification|clientNote|AppendNotification)\((?:[^"]*, )?"([a-z/_]+)"`)
	var found []string
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range sent.FindAllSubmatch(text, -1) {
			if name := string(match[1]); !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	slices.Sort(found)
	slices.Sort(described)
	if diff := cmp.Diff(found, described); diff != "" {
		t.Errorf("notifications (-sent +schema_types.go)\n%s", diff)
	}
}

// TestSchemaAgreesWithDecode compares the verdicts of the schema and of the program on requests: with the required members,
// without any of them, with each of another type, and with one more.
func TestSchemaAgreesWithDecode(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	doc := document(t)
	check := func(line map[string]any) {
		t.Helper()
		_, refused := decodes(t, line)
		if err := part("Request").FitsText(t, string(value(line))); (err == nil) != (refused == nil) {
			t.Errorf("%s: the schema says %v, decode %v", value(line), err, refused)
		}
	}
	for _, c := range calls() {
		line := leastRequest(doc, c)
		check(line)
		params := line["params"].(map[string]any)
		for name, was := range params {
			delete(params, name)
			check(line)
			if s := doc.Defs[c.params.Name()].Properties[name]; s.Ref == "" && s.Type != "array" { // those are read later
				params[name] = map[string]any{"odd": 7.5}
				check(line)
			}
			params[name] = was
		}
		params["unheard_of"] = true
		check(line)
		delete(line, "params")
		check(line)
	}
	check(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "session/teleport", "params": map[string]any{}})
	check(map[string]any{"jsonrpc": "1.0", "id": 1, "method": "ping"})
	check(map[string]any{"jsonrpc": "2.0", "id": true, "method": "ping"})
}

// TestSchemaHasEveryStruct compares the definitions with protocol*.go: a struct that no row leads to is not described.
func TestSchemaHasEveryStruct(t *testing.T) {
	described := map[string]bool{}
	for _, one := range allTypes() {
		described[one.Is.Name()] = true
		for _, f := range reflect.VisibleFields(one.Is) {
			described[f.Type.Name()] = described[f.Type.Name()] || f.Anonymous // its members are those of the other one
		}
	}
	structs, _ := dialecttest.Declared(t)
	for _, s := range structs {
		if !described[s.Name] {
			t.Errorf("%s is in no definition", s.Name)
		}
	}
}

// TestNamesAreUnique: two structs of different packages have one name only if renamed says otherwise.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]reflect.Type{}
	for _, one := range allTypes() {
		if other := seen[one.Name()]; other != nil {
			t.Errorf("%s and %s are both %s", other, one.Is, one.Name())
		}
		seen[one.Name()] = one.Is
	}
	others := slices.Concat(slices.Collect(maps.Keys(lineDefs())), slices.Collect(maps.Keys(recordDefs())))
	for w := range wordTypes.Get() {
		others = append(others, w.Name())
	}
	for _, name := range others {
		if one := seen[name]; one != nil {
			t.Errorf("%s has the name of another definition", one)
		}
	}
}

// TestSchemaHasEveryWord compares the words with the constants of their types.
func TestSchemaHasEveryWord(t *testing.T) {
	constants := map[string]map[string][]string{} // by package and type
	of := func(w reflect.Type) []string {
		dir, ours := strings.CutPrefix(w.PkgPath(), "parley.dev/parley/internal/")
		if !ours || w.Kind() != reflect.String {
			return nil
		}
		if constants[dir] == nil {
			constants[dir] = declaredWords(t, filepath.Join("../..", dir))
		}
		return constants[dir][w.Name()]
	}
	texts := map[reflect.Type]bool{}
	for w := range wordTypes.Get() {
		texts[w.Is] = true
	}
	for _, one := range allTypes() {
		for _, m := range schema.Members(one.Is) {
			texts[elementOf(m.Type)] = true
		}
	}
	delete(texts, reflect.TypeFor[event.Kind]()) // event.Kinds has them
	for w := range texts {
		want := of(w)
		if diff := cmp.Diff(want, wordTypes.Get()[schema.Named(w)]); diff != "" && w.Kind() == reflect.String {
			t.Errorf("%s (-constants +schema_types.go)\n%s", w, diff)
		}
	}
	if len(constants) < 4 {
		t.Errorf("only the constants of %v were read", slices.Collect(maps.Keys(constants)))
	}
}

func elementOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// declaredWords returns the texts that a package declares, by their type.
func declaredWords(t *testing.T, dir string) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
	words := map[string][]string{}
	_, constants := dialecttest.DeclaredIn(t, paths...)
	for _, c := range constants {
		words[c.Type] = append(words[c.Type], c.Value)
	}
	return words
}

// A lineCheck compares the lines of one process with the schema: requests that have a result are valid, and so is each result
// for its method, each error and each notification.
type lineCheck struct {
	t        dialecttest.Tester
	pending  map[string]pendingRequest // by id
	problems []string
}

type pendingRequest struct {
	method string
	line   []byte
}

func (l *lineCheck) fits(name string, line []byte) {
	if err := part(name).FitsText(l.t, string(line)); err != nil {
		l.problems = append(l.problems, string(line)+": "+err.Error())
	}
}

// sent remembers a request.
func (l *lineCheck) sent(line []byte) {
	if f, invalid := jsonrpc.Parse(line, frames); invalid == nil && f.Kind == jsonrpc.Request {
		l.pending[string(f.ID)] = pendingRequest{f.Method, line}
	}
}

// received checks a line of the program, and the request that it is the result of.
func (l *lineCheck) received(line []byte) {
	l.fits("Outbound", line)
	var answer struct {
		ID     any `json:"id"`
		Result any `json:"result"`
	}
	if err := json.Unmarshal(line, &answer); err != nil || answer.Result == nil {
		return
	}
	r := l.pending[string(value(answer.ID))]
	for _, c := range calls() {
		if c.method == r.method {
			l.fits("Inbound", r.line)
			l.fits(c.result.Name(), value(answer.Result))
			return
		}
	}
	l.problems = append(l.problems, string(line)+": the result of no request")
}

// checkedServe is serveInProcess, of which each line is compared with the schema.
func checkedServe(t *testing.T) dialecttest.Server {
	return func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
		l := &lineCheck{t: t, pending: map[string]pendingRequest{}}
		return dialecttest.Tapped(serveInProcess, l.sent, l.received, func(string) { dialecttest.Report(t, env, l.problems) })(ctx, args, stdin, stdout, stderr, env)
	}
}

// TestOddLinesAreInvalid: the schema refuses lines that the program would never send.
func TestOddLinesAreInvalid(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	for _, line := range []string{
		`{}`, `{"jsonrpc":"2.0","method":"record","params":{}}`,
		`{"jsonrpc":"2.0","method":"record","params":{"session":"s","record":{"seq":1,"time":"2026-11-21T06:40:00Z","kind":"from_the_future","data":{}}}}`,
		`{"jsonrpc":"2.0","method":"record","params":{"session":"s","record":{"time":"2026-11-21T06:40:00Z","kind":"turn_started","data":{"prompt":"p"}}}}`,
		`{"jsonrpc":"2.0","method":"record","params":{"session":"s","record":{"seq":1,"time":"2026-11-21T06:40:00Z","kind":"text_delta","data":{"message":"m","block":0,"text":"x"}}}}`,
		`{"jsonrpc":"2.0","method":"record","params":{"session":"s","record":{"seq":1,"time":"2026-11-21T06:40:00Z","kind":"turn_started","data":{}}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x","data":{}}}`,
		`{"jsonrpc":"2.0","method":"session/opened","params":{}}`,
	} {
		if part("Outbound").FitsText(t, line) == nil {
			t.Errorf("%s is valid", line)
		}
	}
}

// TestEveryRecordIsValid: an event of each kind, as the journal has it, is the record of its kind, and of no other with the
// same members.
func TestEveryRecordIsValid(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	doc := document(t)
	for kind := range event.Kinds() {
		name := ""
		for def, s := range doc.Defs {
			if strings.HasSuffix(def, "Record") && s.Properties["kind"] != nil && *s.Properties["kind"].Const == any(string(kind)) {
				name = def
			}
		}
		record := minimal(doc, doc.Defs[name]).(map[string]any)
		const time = "2026-11-21T06:40:00.123456789Z"
		record["time"] = time
		if inner, ok := record["data"].(map[string]any)["record"].(map[string]any); ok {
			inner["time"] = time
		}
		text := value(record)
		if err := part("SessionRecord").FitsText(t, string(text)); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		var rec event.Record
		if err := rec.UnmarshalJSON(text); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		written, err := rec.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := part(name).FitsText(t, string(written)); err != nil {
			t.Errorf("%s: %v", written, err)
		}
	}
}
