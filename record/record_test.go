package record

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// internal returns the event of the engine of that kind, without members.
func internal(t *testing.T, kind string) event.Event {
	t.Helper()
	var rec event.Record
	if err := json.Unmarshal([]byte(`{"time":"2026-11-21T06:40:00Z","kind":"`+kind+`","data":{}}`), &rec); err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return rec.Event
}

// TestKinds: each kind is read as the type that returns it, and the members of the type are those of the engine's.
func TestKinds(t *testing.T) {
	for kind := range kinds {
		e, err := Record{Kind: kind, Data: jsontext.Value("{}")}.Event()
		if err != nil || e.Kind() != kind {
			t.Errorf("%s is read as %T, %v", kind, e, err)
			continue
		}
		ours := internal(t, kind)
		if _, unknown := ours.(event.Unknown); unknown {
			t.Errorf("the engine has no kind %s", kind)
			continue
		}
		compare(t, kind, reflect.TypeOf(e), reflect.TypeOf(ours))
	}
}

// TestAllTypes: each type with a method Kind is read, or it would come back as an Other.
func TestAllTypes(t *testing.T) {
	read := map[string]bool{"Other": true}
	for kind := range kinds {
		e, _ := Record{Kind: kind, Data: jsontext.Value("{}")}.Event()
		read[reflect.TypeOf(e).Name()] = true
	}
	for _, name := range []string{"record.go", "session.go", "turn.go", "tool.go", "transient.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == "Kind" && f.Recv != nil {
				if typ := f.Recv.List[0].Type.(*ast.Ident).Name; !read[typ] {
					t.Errorf("%s is not in kinds", typ)
				}
			}
		}
	}
}

// compare reports members of public that internal lacks, or has in another form.
func compare(t *testing.T, path string, public, internal reflect.Type) {
	t.Helper()
	for public.Kind() == reflect.Pointer && internal.Kind() == reflect.Pointer || public.Kind() == reflect.Slice && internal.Kind() == reflect.Slice {
		public, internal = public.Elem(), internal.Elem()
	}
	if _, text := reflect.New(internal).Interface().(interface{ MarshalText() ([]byte, error) }); text && public.Kind() == reflect.String {
		return
	}
	if public == reflect.TypeFor[Record]() && internal == reflect.TypeFor[event.Record]() {
		return // its form is its own
	}
	if public.Kind() != internal.Kind() {
		t.Errorf("%s is %s here and %s in the engine", path, public, internal)
		return
	}
	if public.Kind() != reflect.Struct {
		return
	}
	theirs := members(internal)
	for name, field := range members(public) {
		other, ok := theirs[name]
		if !ok {
			t.Errorf("%s.%s is not in the engine", path, name)
			continue
		}
		compare(t, path+"."+name, field, other)
	}
}

// members returns the types of the members of a struct by their names in JSON.
func members(t reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" {
			all[name] = t.Field(i).Type
		}
	}
	return all
}

// TestEvent: data is read, members that are not known are ignored, and a kind without a type is an Other.
func TestEvent(t *testing.T) {
	var rec Record
	line := `{"seq":7,"time":"2026-11-21T06:40:00Z","turn":"t-1","kind":"tool_ended","data":{"call":"c","outcome":"failed","ran":1500000000,"later":1},"hash":"x"}`
	if err := json.Unmarshal([]byte(line), &rec); err != nil {
		t.Fatal(err)
	}
	e, err := rec.Event()
	if ended, ok := e.(ToolEnded); err != nil || !ok || ended.Outcome != CallFailed || ended.Ran.String() != "1.5s" || rec.Seq != 7 || rec.Turn != "t-1" {
		t.Errorf("%+v, %v in %+v", e, err, rec)
	}
	if e, err := (Record{Kind: "foreign", Data: jsontext.Value(`{"format":"x"}`)}).Event(); err != nil || e.Kind() != "foreign" || string(e.(Other).Data) != `{"format":"x"}` {
		t.Errorf("a kind without a type: %+v, %v", e, err)
	}
	rec.Data = jsontext.Value(`{"call":1}`)
	if e, err := rec.Event(); err == nil || !strings.HasPrefix(err.Error(), "record 7 of kind tool_ended: ") {
		t.Errorf("data of another form: %+v, %v", e, err)
	}
}

// TestText: the text of an answer is without reasoning and calls.
func TestText(t *testing.T) {
	m := AssistantMessage{Blocks: []Block{{Kind: BlockThinking, Text: "Hm."}, {Kind: BlockText, Text: "It is "}, {Kind: BlockCall}, {Kind: BlockText, Text: "done."}}}
	if got := m.Text(); got != "It is done." {
		t.Errorf("%q", got)
	}
}

// TestBlockKinds: the kinds of blocks are those of the engine.
func TestBlockKinds(t *testing.T) {
	for ours, theirs := range map[string]model.BlockKind{
		BlockText: model.KindText, BlockThinking: model.KindThinking, BlockImage: model.KindImage, BlockCall: model.KindToolCall,
	} {
		if ours != string(theirs) {
			t.Errorf("%s is %s in the engine", ours, theirs)
		}
	}
}
