package sessionfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/dialect/pisces/recordtest"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// around is surroundings with one model, and one blob.
func around() message.Surroundings {
	return message.Surroundings{Blob: recordtest.Pixels, Model: func(name string) message.Model {
		provider, id, _ := strings.Cut(name, "/")
		return message.Model{ID: id, Provider: provider, API: message.APICompletions, Cost: message.ModelCost{Input: 1, Output: 2, CacheRead: 0.1}}
	}}
}

func TestPlaces(t *testing.T) {
	at := time.Date(2026, 4, 5, 12, 20, 30, 123_456_789, time.FixedZone("", 7200))
	if got := Name(at, "15d65af22b6106c4"); got != "2026-04-05T10-20-30-123Z_15d65af22b6106c4.jsonl" {
		t.Error(got)
	}
	if got := Artifacts("/s/x.jsonl"); got != "/s/x" {
		t.Error(got)
	}
	for cwd, want := range map[string]string{
		"/home/ana": "-", "/home/ana/shop": "-shop", "/home/ana/a/b:c": "-a-b-c", "/home/anabel": "--home-anabel--",
		"/tmp/x/y": "-tmp-x-y", "/tmp": "-tmp", "/": "----", "/srv/app": "--srv-app--", "/home/ana/..x": "-..x",
	} {
		if got := cwdCode(cwd, "/home/ana", "/tmp"); got != want {
			t.Errorf("%s is %s, want %s", cwd, got, want)
		}
	}
	sessions := t.TempDir()
	old := filepath.Join(sessions, "--home-ana-shop--")
	if err := os.Mkdir(old, 0o700); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(sessions, "-shop")
	for range 2 {
		if got := Folder(sessions, "/home/ana/shop", "/home/ana", "/tmp"); got != want {
			t.Error(got)
		}
		if _, err := os.Stat(want); err != nil {
			t.Error("the old folder has not got its new name")
		}
	}
}

func TestNewSessionID(t *testing.T) {
	before := NewID(recordtest.Start, 1<<32-1)
	after := NewID(recordtest.Start.Add(time.Millisecond), 0)
	if len(before) != 16 || len(after) != 16 || before >= after || strings.Trim(string(before), "0123456789abcdef") != "" {
		t.Errorf("%s comes before %s", before, after)
	}
	if NewID(recordtest.Start, 1) == NewID(recordtest.Start, 2) {
		t.Error("chance does not count")
	}
}

func TestShortened(t *testing.T) {
	long := strings.Repeat("x", longestText)
	wide := strings.Repeat("😀", longestText/2)
	line := func(text, signature, data string) []byte {
		return rawjson.Marshal(map[string]any{
			"n": []any{1.5, true}, "text": text, "textSignature": signature, "image": map[string]any{"type": "image", "data": data},
		})
	}
	for _, test := range []struct {
		name              string
		text, signature   string
		wantText, wantSig string
	}{
		{"as long as may be", long, long, long, long},
		{"one more", long + "x", long + "x", long[:longestText-len(cutNote)] + cutNote, ""},
		{"wide characters", wide, "", wide, ""},
		{"one wide character more", wide + "😀", "", strings.Repeat("😀", (longestText-len(cutNote))/2) + cutNote, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			image := long + "xx"
			got := shortened(line(test.text, test.signature, image))
			if string(got) != string(line(test.wantText, test.wantSig, image)) {
				t.Errorf("got %d bytes", len(got))
			}
			if n := utf16Length(test.wantText); n > longestText {
				t.Errorf("%d units", n)
			}
		})
	}
}

// A mirrored is a mirror under test, and its file.
type mirrored struct {
	*Mirror
	t    *testing.T
	file string
}

func (m mirrored) check(all []event.Record) {
	m.t.Helper()
	got, err := os.ReadFile(m.file)
	if err != nil {
		m.t.Fatal(err)
	}
	var want strings.Builder
	if err := Write(&want, recordtest.Sequence(all), around(), ""); err != nil {
		m.t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		m.t.Fatal(diff)
	}
	if info, _ := os.Stat(m.file); info.Mode().Perm() != 0o600 {
		m.t.Errorf("the file has mode %v", info.Mode())
	}
}

func (m mirrored) take(all ...event.Record) {
	m.t.Helper()
	for _, rec := range all {
		if err := m.Mirror.Take(rec); err != nil {
			m.t.Fatal(err)
		}
	}
}

func openAt(t *testing.T, file string, all *[]event.Record) mirrored {
	t.Helper()
	m, err := OpenMirror(file, around(), "", func(yield func(event.Record, error) bool) { recordtest.Sequence(*all)(yield) })
	if err != nil {
		t.Fatal(err)
	}
	return mirrored{m, t, file}
}

// TestMirror: after each record from the first answer on, the file is what an export would
// be, also when the mirror is opened anew after any record.
func TestMirror(t *testing.T) {
	whole := recordtest.Conversation()
	file := filepath.Join(t.TempDir(), "sessions", "-shop", "x.jsonl")
	var journal []event.Record
	m := openAt(t, file, &journal)
	for i, rec := range whole {
		journal = whole[:i+1]
		if i%3 == 2 {
			m = openAt(t, file, &journal)
		}
		m.take(rec, rec, event.Record{Event: event.TextDelta{Text: "x"}})
		if rec.Seq < 5 {
			if _, err := os.Stat(file); !os.IsNotExist(err) {
				t.Fatalf("there is a file after record %d", rec.Seq)
			}
			continue
		}
		m.check(journal)
	}
	if info, _ := os.Stat(filepath.Dir(file)); info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v", info.Mode())
	}
}

func TestMirrorAtOnce(t *testing.T) {
	whole := recordtest.Conversation()
	for n := range 4 { // create is called after n records
		file := filepath.Join(t.TempDir(), "x.jsonl")
		journal := []event.Record{}
		m := openAt(t, file, &journal)
		for i, rec := range whole {
			if i == n {
				if err := m.Create(); err != nil {
					t.Fatal(err)
				}
			}
			journal = whole[:i+1]
			m.take(rec)
			if i >= n {
				m.check(journal)
			}
		}
	}
}

// TestMirrorContinues: what a mirror finds in place of its file.
func TestMirrorContinues(t *testing.T) {
	whole := recordtest.Conversation()
	var text strings.Builder
	if err := Write(&text, recordtest.Sequence(whole), around(), ""); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(text.String(), "\n"), "\n")
	foreign := `{"type":"custom","id":"ffffffff","parentId":null}` + "\n"
	for _, test := range []struct {
		name, text string
		want       error
	}{
		{"the whole file", text.String(), nil},
		{"a part of it", strings.Join(lines[:7], ""), nil},
		{"only the header", lines[0], nil},
		{"half a line", strings.Join(lines[:7], "") + lines[7][:20], nil},
		{"no line feed at its end", strings.TrimSuffix(strings.Join(lines[:7], ""), "\n"), nil},
		{"a line that was changed", strings.Replace(text.String(), "Planned.", "Plotted.", 1), nil},
		{"another title", strings.Replace(text.String(), `"title":"Cart"`, `"title":"Tarc"`, 1), nil},
		{"no title", strings.Replace(text.String(), `"title":"Cart",`, ``, 1), nil},
		{"garbage within", strings.Join(lines[:5], "") + "{bad\n" + strings.Join(lines[5:], ""), nil},
		{"an empty file", "", nil},
		{"entries of another program", text.String() + foreign, ErrAhead},
		{"entries of another program within", strings.Join(lines[:5], "") + foreign + strings.Join(lines[5:], ""), ErrAhead},
		{"another session", strings.Replace(text.String(), "15d65af22b6106c4", "15d65af22b6106c5", 1), errNoSession},
		{"no session", "# Notes\n", errNoSession},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.jsonl")
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			m, err := OpenMirror(file, around(), "", recordtest.Sequence(whole))
			if test.want != nil {
				if err == nil || !strings.Contains(err.Error(), test.want.Error()) {
					t.Errorf("got %v, want %v", err, test.want)
				}
				if got, _ := os.ReadFile(file); string(got) != test.text {
					t.Errorf("the file has become %s", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			mirrored{m, t, file}.check(whole)
			more := append(whole[:len(whole):len(whole)], event.Record{Seq: uint64(len(whole) + 1), Time: recordtest.Start, Event: recordtest.Says("more")})
			mirrored{m, t, file}.take(more[len(whole)])
			mirrored{m, t, file}.check(more)
		})
	}
}

// TestMirrorOfNothing: an empty file that another program made for a new session is filled at once.
func TestMirrorOfNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var journal []event.Record
	m := openAt(t, file, &journal)
	m.take(recordtest.Conversation()[0])
	m.check(recordtest.Conversation()[:1])
}

// TestMirrorRecovers: a file that is gone comes back, and one that cannot be written is made
// up for later.
func TestMirrorRecovers(t *testing.T) {
	whole := recordtest.Conversation()
	folder := t.TempDir()
	file := filepath.Join(folder, "x.jsonl")
	journal := whole[:10]
	m := openAt(t, file, &journal)
	m.check(journal)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	journal = whole[:15] // the journal may be ahead of what the mirror was given
	m.take(whole[10:13]...)
	m.check(journal)
	m.take(whole[13:15]...)
	m.check(journal)

	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	journal = whole[:17]
	for _, rec := range whole[15:17] {
		if err := m.Mirror.Take(rec); rec.Seq == 17 && err == nil {
			t.Error("it was written into a folder")
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	journal = whole
	m.take(whole[17:]...)
	m.check(whole)
}

// TestMirrorOfImport: the file that a session was imported from is continued as it is.
func TestMirrorOfImport(t *testing.T) {
	_, all := readText(t, recordtest.EveryKind)
	var linear strings.Builder // one branch, in the order in which a mirror writes
	linear.WriteString(recordtest.Header)
	for _, e := range all {
		if !strings.HasPrefix(e.ID, "d") {
			linear.WriteString(string(e.Line()) + "\n")
		}
	}
	header, entries := readText(t, linear.String())
	journal := journalOf(event.SessionID(header.ID), Import(header, entries))
	file := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(file, []byte(linear.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(file)
	m := openAt(t, file, &journal)
	if after, _ := os.Stat(file); !os.SameFile(before, after) {
		t.Error("the file was written anew")
	}
	seq := uint64(len(journal))
	m.take(
		event.Record{Seq: seq + 1, Time: recordtest.Start, Event: recordtest.Says("more")},
		event.Record{Seq: seq + 2, Time: recordtest.Start, Event: event.AssistantMessage{Blocks: []model.Block{model.TextBlock("yes")}}},
	)
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	added, ok := strings.CutPrefix(string(got), linear.String())
	if !ok || strings.Count(added, "\n") != 2 || !strings.Contains(added, `"parentId":"b0000017"`) {
		t.Errorf("what was added is %s", added)
	}
}

// TestReadFile: a file on disk, with a picture beside it.
func TestReadFile(t *testing.T) {
	folder := t.TempDir()
	hash := strings.Repeat("0c", 32)
	if err := os.WriteFile(filepath.Join(folder, hash), []byte("pixels"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "x.jsonl")
	text := recordtest.Header + `{"type":"message","id":"1","message":{"role":"user","content":[{"type":"image","data":"blob:sha256:` + hash + `"}]}}` + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	header, entries, err := Read(t.Context(), file, folder)
	if err != nil || header.ID != "15d65af22b6106c4" || len(entries) != 1 || !strings.Contains(string(entries[0].Line()), `"data":"cGl4ZWxz"`) {
		t.Errorf("read %+v, %s, %v", header, linesOf(entries), err)
	}
	if _, _, err := Read(t.Context(), filepath.Join(folder, "none"), folder); !os.IsNotExist(err) {
		t.Errorf("a missing file gives %v", err)
	}
}

// longConversation returns a journal of n turns with a call each.
func longConversation(n int) []event.Record {
	events := []event.Event{recordtest.Created()}
	output := strings.Repeat("a line of output\n", 60)
	for range n {
		events = append(events, event.TurnStarted{}, recordtest.Says("go"))
		events = append(events, recordtest.Answers("Looking at it.", recordtest.Calls("c1 bash")...)...)
		events = append(events, recordtest.Intends("c1", "bash", "shell"), event.ToolStarted{Call: "c1"}, event.ToolEnded{Call: "c1", Outcome: event.Succeeded, Output: output}, event.StepEnded{})
		events = append(events, recordtest.Answers("It is done.")...)
		events = append(events, event.StepEnded{}, event.TurnEnded{Reason: event.TurnCompleted})
	}
	return recordtest.Records(events...)
}

func BenchmarkTell(b *testing.B) {
	all := longConversation(1000)
	b.ReportAllocs()
	for b.Loop() {
		t := message.NewFold(around())
		for _, rec := range all {
			t.Apply(rec)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/record")
}

func BenchmarkOpenMirror(b *testing.B) {
	all := longConversation(10_000)
	file := filepath.Join(b.TempDir(), "x.jsonl")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := OpenMirror(file, around(), "", recordtest.Sequence(all)); err != nil {
			b.Fatal(err)
		}
	}
	info, _ := os.Stat(file)
	b.SetBytes(info.Size())
}

func BenchmarkMirrorTake(b *testing.B) {
	all := longConversation(1)
	file := filepath.Join(b.TempDir(), "x.jsonl")
	m, err := OpenMirror(file, around(), "", recordtest.Sequence(all))
	if err != nil {
		b.Fatal(err)
	}
	seq := all[len(all)-1].Seq
	for b.Loop() {
		seq++
		if err := m.Take(event.Record{Seq: seq, Time: recordtest.Start, Event: recordtest.Says("go")}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkImport(b *testing.B) {
	var text strings.Builder
	if err := Write(&text, recordtest.Sequence(longConversation(10_000)), around(), ""); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		header, entries := readText(b, text.String())
		if im := Import(header, entries); len(im.Records) < 10_000 {
			b.Fatal(len(im.Records))
		}
	}
}
