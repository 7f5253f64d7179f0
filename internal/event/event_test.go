package event

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// fill sets every field of v to something that is not its zero value, n levels deep.
func fill(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("té\"x\n")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64, reflect.Int32:
		v.SetInt(7)
	case reflect.Uint64, reflect.Uint32:
		v.SetUint(7)
	case reflect.Uint8:
		v.SetUint(2)
	case reflect.Float64:
		v.SetFloat(0.25)
	case reflect.Pointer:
		if n > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), n-1)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[jsontext.Value]() {
			v.SetBytes([]byte(`{"a":1}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), n-1)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, n-1)
		v.SetMapIndex(reflect.ValueOf("key"), value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Record]() {
			v.Set(reflect.ValueOf(Record{Seq: 7, Time: time.Unix(1, 0).UTC(), Turn: "t", Event: ToolStarted{Call: "c"}}))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				fill(v.Field(i), n)
			}
		}
	}
}

// samples returns one event of every kind, with every field set that a journal has.
func samples(t testing.TB) []Event {
	var all []Event
	for kind, r := range kinds.Get() {
		e, err := r.read(jsontext.NewDecoder(strings.NewReader("{}")))
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		v := reflect.New(reflect.TypeOf(e)).Elem()
		fill(v, 4)
		all = append(all, v.Interface().(Event))
	}
	return all
}

// TestAnswers: answers that were cancelled are null, which is not the same as none.
func TestAnswers(t *testing.T) {
	for want, answers := range map[string]Answers{"null": nil, "[]": {}, `[["a"],[]]`: {{"a"}, {}}} {
		line, err := Record{Seq: 1, Event: QuestionAnswered{ID: "q", Answers: answers}}.AppendJSON(nil)
		if err != nil || !strings.Contains(string(line), `"answers":`+want+`,`) {
			t.Fatalf("%s: %s, %v", want, line, err)
		}
		var read Record
		if err := json.Unmarshal(line, &read); err != nil {
			t.Fatal(err)
		}
		if got := read.Event.(QuestionAnswered).Answers; !cmp.Equal(got, answers) {
			t.Errorf("%s is read as %#v", line, got)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	at := time.Date(2026, 11, 21, 6, 40, 0, 123456789, time.UTC)
	for _, e := range append(samples(t), Unknown{Name: "from_the_future", Data: jsontext.Value(`{"x":[1,2.50,"é"]}`)}) {
		for _, want := range []Record{
			{Seq: 12, Time: at, Turn: "t1", Event: e},
			{Time: at, Event: e},
			{Seq: 1, Time: at, Event: e, Origin: jsontext.Value(`{"id":"é"}`)},
		} {
			line, err := want.AppendJSON(nil)
			if err != nil {
				t.Fatalf("%s: %v", e.Kind(), err)
			}
			if strings.Contains(string(line), "\n") {
				t.Errorf("%s: a line feed in %s", e.Kind(), line)
			}
			var got Record
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatalf("%s: %v in %s", e.Kind(), err, line)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s came back changed:\n%s", e.Kind(), diff)
			}
		}
	}
}

// TestKinds: every kind is read as the type that has it.
func TestKinds(t *testing.T) {
	for kind, r := range kinds.Get() {
		e, err := r.read(jsontext.NewDecoder(strings.NewReader("{}")))
		if err != nil || e.Kind() != kind {
			t.Errorf("%s is read as %v, %v", kind, e, err)
		}
	}
	if KindTextDelta.Durable() || !KindTurnEnded.Durable() || !Kind("from_the_future").Durable() {
		t.Error("Durable is wrong")
	}
}

// TestAllKindsAreRead: no type of event is missing where they are read, or it would come
// back as an Unknown.
func TestAllKindsAreRead(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "kinds.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]bool{"Unknown": true}
	for _, r := range kinds.Get() {
		e, _ := r.read(jsontext.NewDecoder(strings.NewReader("{}")))
		read[reflect.TypeOf(e).Name()] = true
	}
	types := 0
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Name.Name != "Kind" || f.Recv == nil {
			continue
		}
		types++
		if name := f.Recv.List[0].Type.(*ast.Ident).Name; !read[name] {
			t.Errorf("%s is not in kinds", name)
		}
	}
	if types != len(kinds.Get())+1 {
		t.Errorf("%d types, %d kinds", types, len(kinds.Get()))
	}
}

// TestMemberOrder: other writers may order the members as they like, and add their own.
func TestMemberOrder(t *testing.T) {
	line := `{"hash":"x","data":{"level":"info","code":"c","text":"é"},"kind":"notice","turn":"t","time":"2026-11-21T06:40:00Z","seq":3}`
	var rec Record
	if err := json.Unmarshal([]byte(line), &rec); err != nil {
		t.Fatal(err)
	}
	want := Record{Seq: 3, Turn: "t", Time: time.Date(2026, 11, 21, 6, 40, 0, 0, time.UTC), Event: Notice{Info, "c", "é"}}
	if diff := cmp.Diff(want, rec); diff != "" {
		t.Error(diff)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, line := range []string{``, `{}`, `[]`, `{"kind":"notice"}`, `{"data":{}}`, `{"kind":"notice","data":[]}`, `{"kind":"notice","data":{"level":1}}`, `{"kind":"notice","data":{}} x`} {
		var rec Record
		if err := json.Unmarshal([]byte(line), &rec); err == nil {
			t.Errorf("%s was read as %+v", line, rec)
		}
	}
}

func FuzzRecord(f *testing.F) {
	for _, e := range samples(f) {
		line, _ := Record{Seq: 1, Event: e}.AppendJSON(nil)
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var rec Record
		if json.Unmarshal(line, &rec) != nil {
			return
		}
		again, err := rec.AppendJSON(nil)
		if err != nil {
			return // times that JSON cannot write
		}
		var back Record
		if err := json.Unmarshal(again, &back); err != nil {
			t.Fatalf("%s was written as %s: %v", line, again, err)
		}
	})
}

func BenchmarkAppendJSON(b *testing.B) {
	rec := Record{Seq: 7, Time: time.Now(), Turn: "5be01c77a210", Event: ToolEnded{Call: "call_1", Outcome: Succeeded, Output: strings.Repeat("line\n", 50)}}
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = rec.AppendJSON(dst[:0])
	}
}
