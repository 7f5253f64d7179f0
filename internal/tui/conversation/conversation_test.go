package conversation

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/record"
)

var update = flag.Bool("update", false, "write the golden files anew")

// journals returns the records of testdata, with the transient ones, by name. They were written by the program, with
// scripted models, but for made.jsonl.
func journals(t testing.TB) map[string][]record.Record {
	t.Helper()
	names, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	all := map[string][]record.Record{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(name), ".jsonl")] = parse(t, string(data))
	}
	return all
}

// parse returns records that are a line each.
func parse(t testing.TB, lines string) (records []record.Record) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var rec record.Record
		if err := json.Unmarshal([]byte(line), &rec); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		records = append(records, rec)
	}
	return records
}

func fold(records []record.Record) *Conversation {
	c := &Conversation{}
	for _, rec := range records {
		c.Apply(rec)
	}
	return c
}

// compared returns items without what transient records and the order of pages may change.
func compared(items []Item) []Item {
	items = slices.Clone(items)
	for i := range items {
		items[i].Version = 0
		if s := items[i].Shell; s != nil {
			shell := *s
			shell.Output = plainText(shell.Output)
			items[i].Shell = &shell
		}
		if w := items[i].Subagent; w != nil {
			work := *w
			work.Conversation, work.Dir = nil, ""
			items[i].Subagent = &work
		}
	}
	return items
}

// form is how items are written.
var form json.Options

func init() {
	form = json.JoinOptions(json.Deterministic(true), json.OmitZeroStructFields(true), jsontext.WithIndent("  "), json.WithMarshalers(json.JoinMarshalers(
		json.MarshalFunc(func(d time.Duration) ([]byte, error) { return json.Marshal(d.String()) }),
		json.MarshalFunc(func(c *Conversation) ([]byte, error) { return json.Marshal(c.Items(), form) }),
	)))
}

// dump returns items as text.
func dump(items []Item) string {
	var b strings.Builder
	for _, i := range items {
		data, err := json.Marshal(i, form)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "%s\n", data)
	}
	return b.String()
}

// TestGolden compares the conversations of journals with golden files.
func TestGolden(t *testing.T) {
	for name, records := range journals(t) {
		t.Run(name, func(t *testing.T) {
			c := fold(records)
			data, err := json.Marshal(c.State(), form)
			if err != nil {
				t.Fatal(err)
			}
			got := dump(c.Items()) + string(data) + "\n"
			file := "testdata/" + name + ".golden"
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("items differ from %s:\n%s", file, got)
			}
			check(t, c)
		})
	}
}

// check reports a list that is not in order.
func check(t testing.TB, c *Conversation) {
	t.Helper()
	if len(c.list.places) != len(c.Items()) || c.list.pending > len(c.Items()) {
		t.Fatalf("%d items, %d places, %d pending", len(c.Items()), len(c.list.places), c.list.pending)
	}
	checkPlaces(t, c)
	for _, key := range c.State().Waiting {
		if _, ok := c.Find(key); !ok {
			t.Fatalf("%q waits and has no item", key)
		}
	}
}

// checkPlaces reports an item that is not found where it is.
func checkPlaces(t testing.TB, c *Conversation) {
	t.Helper()
	for i, item := range c.Items() {
		if at, ok := c.list.index(item.Key); !ok || at != i {
			t.Fatalf("item %d, %q, is found at %d, %v", i, item.Key, at, ok)
		}
	}
}

// TestTransient: the items are the same, whichever transient records come.
func TestTransient(t *testing.T) {
	for name, records := range journals(t) {
		t.Run(name, func(t *testing.T) {
			durable := slices.DeleteFunc(slices.Clone(records), func(r record.Record) bool { return r.Seq == 0 })
			want := compared(fold(durable).Items())
			if len(want) == 0 {
				t.Fatal("there are no items")
			}
			if got := compared(fold(records).Items()); !reflect.DeepEqual(got, want) {
				t.Errorf("with all transient records:\n%s\nwithout:\n%s", dump(got), dump(want))
			}
			random := rand.New(rand.NewPCG(1, 2))
			for range 200 {
				some := slices.DeleteFunc(slices.Clone(records), func(r record.Record) bool { return r.Seq == 0 && random.IntN(3) == 0 })
				if got := compared(fold(some).Items()); !reflect.DeepEqual(got, want) {
					t.Fatalf("with some transient records:\n%s\nwithout:\n%s", dump(got), dump(want))
				}
			}
		})
	}
}

// TestAgain: records that come again change nothing.
func TestAgain(t *testing.T) {
	for name, records := range journals(t) {
		c := fold(records)
		want := dump(c.Items())
		for _, rec := range records {
			if rec.Seq == 0 {
				continue
			}
			if changed := c.Apply(rec); changed != nil {
				t.Errorf("%s: record %d again changes %v", name, rec.Seq, changed)
			}
		}
		if dump(c.Items()) != want {
			t.Errorf("%s: items have changed", name)
		}
	}
}

// stateOf returns the state that a host reports after records.
func stateOf(records []record.Record) (s record.State) {
	c := fold(records)
	st := c.State()
	s = record.State{
		Head: st.Head, Workspace: st.Workspace, Settings: st.Settings, Status: st.Status, Turn: st.Turn, Context: st.Context,
		Usage: st.Usage, Cost: st.Cost, Steering: st.Steering, FollowUps: st.FollowUps,
	}
	for _, key := range st.Waiting {
		item, _ := c.Find(key)
		if item.Approval != nil {
			s.Approvals = append(s.Approvals, item.Approval.ApprovalAsked)
		} else {
			s.Questions = append(s.Questions, item.Question.QuestionAsked)
		}
	}
	return s
}

// TestPages: a session that is opened at any record, and whose older records come in pages of any size at any time, has the
// same items in the end, and the same state.
func TestPages(t *testing.T) {
	for name, records := range journals(t) {
		t.Run(name, func(t *testing.T) {
			whole := fold(records)
			want := compared(whole.Items())
			random := rand.New(rand.NewPCG(3, 4))
			for range 150 {
				at := random.IntN(len(records)) + 1
				var durable []record.Record
				for _, rec := range records[:at] {
					if rec.Seq != 0 {
						durable = append(durable, rec)
					}
				}
				c, rest := &Conversation{}, records[at:]
				var steps []string
				c.Seed(stateOf(records[:at]))
				for len(durable) > 0 || len(rest) > 0 {
					if len(rest) > 0 && random.IntN(2) == 0 {
						n := random.IntN(len(rest)) + 1
						for _, rec := range rest[:n] {
							c.Apply(rec)
						}
						rest = rest[n:]
						steps = append(steps, fmt.Sprint("apply ", n))
					} else if n := min(len(durable), random.IntN(10)+1); n > 0 {
						c.Prepend(durable[len(durable)-n:])
						durable = durable[:len(durable)-n]
						steps = append(steps, fmt.Sprint("prepend ", n))
					}
					check(t, c)
				}
				if got := compared(c.Items()); !reflect.DeepEqual(got, want) {
					t.Fatalf("opened at record %d of %d, then %v:\n%s", at, len(records), steps, difference(got, want))
				}
				if c.State().First != 1 || c.State().Head != whole.State().Head || !slices.Equal(c.State().Waiting, whole.State().Waiting) {
					t.Fatalf("the state is %+v", c.State())
				}
			}
		})
	}
}

// difference returns the first items that differ.
func difference(got, want []Item) string {
	for i := range max(len(got), len(want)) {
		var g, w []Item
		if i < len(got) {
			g = got[i : i+1]
		}
		if i < len(want) {
			w = want[i : i+1]
		}
		if !reflect.DeepEqual(g, w) {
			return fmt.Sprintf("item %d is\n%s\nwant\n%s", i, dump(g), dump(w))
		}
	}
	return ""
}

// TestVersions: an item that changes has a later version, and is reported.
func TestVersions(t *testing.T) {
	for name, records := range journals(t) {
		c, before := &Conversation{}, map[string]Item{}
		for _, rec := range records {
			changed := c.Apply(rec)
			now := map[string]Item{}
			for _, item := range c.Items() {
				now[item.Key] = item
				old, known := before[item.Key]
				if reflect.DeepEqual(old, item) {
					continue
				}
				if !slices.Contains(changed, item.Key) || known && item.Version <= old.Version {
					t.Errorf("%s: record %d %s changes %q without saying so: version %d after %d, reported are %v", name, rec.Seq, rec.Kind, item.Key, item.Version, old.Version, changed)
				}
			}
			for key := range before {
				if _, there := now[key]; !there && !slices.Contains(changed, key) {
					t.Errorf("%s: record %d %s removes %q without saying so", name, rec.Seq, rec.Kind, key)
				}
			}
			before = now
		}
	}
}

// TestCost: the text of an answer and the output of a command grow without copies of what there was, in a session of any
// length.
func TestCost(t *testing.T) {
	const items, deltas = 100_000, 20_000
	c := &Conversation{}
	for n := range uint64(items) {
		c.Apply(record.Record{Seq: n + 1, Turn: "t", Kind: record.KindUserMessage, Data: jsontext.Value(`{"id":"p","via":"prompt","blocks":[{"kind":"text","text":"x"}]}`)})
	}
	c.Apply(record.Record{Seq: items + 1, Turn: "t", Kind: record.KindToolIntended, Data: jsontext.Value(`{"call":"c","name":"shell","tool":"shell","input":{}}`)})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range deltas {
		c.Apply(record.Record{Turn: "t", Kind: record.KindTextDelta, Data: jsontext.Value(`{"message":"m-1","block":0,"text":"0123456789012345678901234567890123456789"}`)})
		c.Apply(record.Record{Turn: "t", Kind: record.KindToolOutput, Data: jsontext.Value(`{"call":"c","text":"0123456789012345678901234567890123456789"}`)})
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 100<<20 { // with copies it is 16 GB
		t.Errorf("%d deltas need %d MiB", 2*deltas, used>>20)
	}
	answer, _ := c.Find("answer m-1 0")
	call, _ := c.Find("call c")
	if len(answer.Text) != 40*deltas || len(call.Shell.Output) != OutputLimit || !call.Shell.Cut || len(c.Items()) != items+2 {
		t.Errorf("%d bytes of the answer, %d of the output, %d items", len(answer.Text), len(call.Shell.Output), len(c.Items()))
	}
	old := answer.Text
	c.Apply(record.Record{Turn: "t", Kind: record.KindTextDelta, Data: jsontext.Value(`{"message":"m-1","block":0,"text":"more"}`)})
	if answer.Text != old || len(old) != 40*deltas {
		t.Error("the text of an older version has changed")
	}
}

// TestForeignHost: a host that reads what another process records sends the growth of an answer first, then the same as
// deltas.
func TestForeignHost(t *testing.T) {
	c := fold(parse(t, `{"seq":1,"kind":"session_created","data":{}}
{"seq":2,"turn":"t","kind":"turn_started","data":{}}
{"seq":3,"turn":"t","kind":"answer_grew","data":{"message":"m","restart":true,"pieces":[{"block":0,"text":"abc"},{"block":1,"thinking":true,"text":"hm"}]}}
{"turn":"t","kind":"text_delta","data":{"message":"m","block":0,"text":"abc"}}
{"turn":"t","kind":"thinking_delta","data":{"message":"m","block":1,"text":"hm"}}
{"seq":4,"turn":"t","kind":"answer_grew","data":{"message":"m","pieces":[{"block":0,"text":"def"}]}}
{"turn":"t","kind":"text_delta","data":{"message":"m","block":0,"text":"def"}}
{"turn":"t","kind":"text_delta","data":{"message":"m","block":0,"text":"gh"}}
`))
	if text := c.Items()[0].Text; text != "abcdefgh" {
		t.Errorf("%q", text)
	}
	if text := c.Items()[1].Text; text != "hm" {
		t.Errorf("%q", text)
	}
}

// TestMidAnswer: a client that comes while the model writes has the whole text with the next record.
func TestMidAnswer(t *testing.T) {
	c := &Conversation{}
	c.Seed(record.State{Head: 7, Turn: "t", Status: record.StatusThinking})
	for _, rec := range parse(t, `{"turn":"t","kind":"text_delta","data":{"message":"m","block":0,"text":"ef"}}
{"seq":8,"turn":"t","kind":"answer_grew","data":{"message":"m","pieces":[{"block":0,"text":"cdef"}]}}
{"turn":"t","kind":"text_delta","data":{"message":"m","block":0,"text":"gh"}}
`) {
		c.Apply(rec)
	}
	c.Prepend(parse(t, `{"seq":6,"turn":"t","kind":"step_started","data":{}}
{"seq":7,"turn":"t","kind":"answer_grew","data":{"message":"m","restart":true,"pieces":[{"block":0,"text":"ab"}]}}
`))
	c.Apply(parse(t, `{"turn":"t","kind":"text_delta","data":{"message":"m","block":0,"text":"ij"}}`)[0])
	if len(c.Items()) != 1 || c.Items()[0].Text != "abcdefghij" {
		t.Errorf("%s", dump(c.Items()))
	}
}

// FuzzApply: no data and no order of records does harm.
func FuzzApply(f *testing.F) {
	for _, records := range journals(f) {
		for part := range slices.Chunk(records, 6) { // short texts are mutated faster
			var b bytes.Buffer
			for _, rec := range part {
				fmt.Fprintf(&b, "%s %d %s\n", rec.Kind, rec.Seq, rec.Data)
			}
			f.Add(b.String(), 3)
		}
	}
	f.Add("objected 1 {\"rules\":[\"a\"]}\ntext_delta 0 {\"message\":\"m\",\"block\":-1,\"text\":\"x\"}\nanswer_grew 0 {}", 0)
	f.Fuzz(func(t *testing.T, text string, page int) {
		c := &Conversation{}
		var held []record.Record
		var seq uint64
		for line := range strings.Lines(text) {
			kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			number, data, _ := strings.Cut(rest, " ")
			rec := record.Record{Kind: kind, Turn: "t", Data: jsontext.Value(cmp.Or(data, "{}"))}
			if number != "0" {
				seq++
				rec.Seq = seq
			}
			if rec.Seq != 0 && int(rec.Seq) <= page%50 {
				held = append(held, rec)
				continue
			}
			c.Apply(rec)
		}
		check(t, c)
		c.Prepend(held)
		check(t, c)
	})
}

// TestDisorder: records in any order, and more than once, do no harm.
func TestDisorder(t *testing.T) {
	var all []record.Record
	for _, records := range journals(t) {
		all = append(all, records...)
	}
	random := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		c := &Conversation{}
		var held []record.Record
		var seq uint64
		for range random.IntN(300) {
			rec := all[random.IntN(len(all))]
			if rec.Seq != 0 {
				seq++
				rec.Seq = seq
			}
			if rec.Seq != 0 && rec.Seq < 20 {
				held = append(held, rec)
				continue
			}
			c.Apply(rec)
		}
		check(t, c)
		c.Prepend(held)
		check(t, c)
		for len(c.Items()) > 0 {
			c.list.remove(c.Items()[random.IntN(len(c.Items()))].Key)
			checkPlaces(t, c)
		}
	}
}

// BenchmarkDelta is the cost of a piece of an answer.
func BenchmarkDelta(b *testing.B) {
	rec := record.Record{Turn: "t", Kind: record.KindTextDelta, Data: jsontext.Value(`{"message":"m-1","block":0,"text":"0123456789 0123456789"}`)}
	c := &Conversation{}
	b.ReportAllocs()
	for b.Loop() {
		c.Apply(rec)
	}
}

// BenchmarkPrepend is the cost of a page of 500 records.
func BenchmarkPrepend(b *testing.B) {
	var page []record.Record
	for n := range uint64(500) {
		page = append(page, record.Record{Seq: n + 1, Turn: "t", Kind: record.KindUserMessage, Data: jsontext.Value(`{"id":"p","via":"prompt","blocks":[{"kind":"text","text":"some words of a user"}]}`)})
	}
	b.ReportAllocs()
	for b.Loop() {
		c := &Conversation{}
		c.Seed(record.State{Head: 500})
		c.Prepend(page)
	}
}

// TestBackend: sessions of agents and their summaries are lines.
func TestBackend(t *testing.T) {
	c := fold(parse(t, `{"seq":1,"time":"2026-11-26T06:00:00Z","kind":"backend_opened","data":{"backend":"acp:x","session":"s","program":"agent","version":"7"}}
{"seq":2,"time":"2026-11-26T06:00:00Z","kind":"backend_opened","data":{"backend":"acp:x","session":"s","resumed":true}}
{"seq":3,"time":"2026-11-26T06:00:00Z","kind":"backend_opened","data":{"backend":"acp:x","session":"s","resumed":true,"forked":2}}
{"seq":4,"time":"2026-11-26T06:00:00Z","kind":"backend_opened","data":{"backend":"acp:x","session":"s","told":3}}
{"seq":5,"time":"2026-11-26T06:00:00Z","kind":"backend_answered","data":{"session":"s"}}
{"seq":6,"time":"2026-11-26T06:00:00Z","kind":"compacted","data":{"reason":"asked","summary":"","tokens_after":5,"agent":true}}
`))
	var texts []string
	for _, i := range c.Items() {
		texts = append(texts, i.Text)
	}
	want := []string{
		"acp:x: session begun (agent 7)", "acp:x: session resumed", "acp:x: session copied", "acp:x: session begun, received 3 messages as text",
		"Compacted: the agent of the back end has summarised its own context",
	}
	if !slices.Equal(texts, want) {
		t.Errorf("got %q", texts)
	}
}

// TestPlainText: a live output, in which a progress bar has all its states, is the same as what the journal has of it, so that its colours
// stay.
func TestPlainText(t *testing.T) {
	for live, stored := range map[string]string{
		"\x1b[32m 10 %\r\x1b[32m100 %\x1b[0m\ndone\n": "100 %\ndone\n",
		"a\r\nb\r\n":         "a\nb\n",
		"wait\rwa\x1b[K\nok": "wa\nok",
		"kept\r":             "kept",
	} {
		if got := plainText(live); got != plainText(stored) {
			t.Errorf("plainText(%q) = %q, want that of %q", live, got, stored)
		}
	}
}
