package program_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/companion"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/export/html"
	"parley.dev/parley/internal/export/html/htmltest"
	"parley.dev/parley/internal/export/page"
	"parley.dev/parley/internal/export/page/program"
	"parley.dev/parley/internal/model"
)

// TestMain makes the test binary the program that writes pages.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == page.Command {
		os.Exit(program.Run())
	}
	os.Exit(m.Run())
}

func options(t *testing.T) page.Options {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return page.Options{Program: self, Version: companion.Version, Title: "a <title>", Blob: htmltest.Blob}
}

// long returns a session that needs several answers, in one of which is a record that is longer than most answers.
func long() []event.Record {
	l := &htmltest.Log{}
	for i := range 40 {
		size := 9 << 10
		if i == 20 {
			size = 300 << 10
		}
		l.Prompt(model.TextBlock(strings.Repeat("text ", size/5)), model.Block{Kind: model.KindImage, Image: &model.Image{MIME: "image/png", Blob: "picture"}})
	}
	return l.Records
}

// TestSame: the page of the program is that of the renderer.
func TestSame(t *testing.T) {
	for name, records := range map[string][]event.Record{"session": htmltest.Session(), "nasty": htmltest.Nasty(), "long": long(), "empty": nil} {
		o := options(t)
		var want, got bytes.Buffer
		if err := html.Write(&want, htmltest.Seq(records), html.Options{Title: o.Title, Version: o.Version, Blob: o.Blob}); err != nil {
			t.Fatal(err)
		}
		if err := page.Write(t.Context(), &got, htmltest.Seq(records), o); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%s: the page is another: %d bytes, expected %d", name, got.Len(), want.Len())
		}
	}
}

// script returns a program that is a script of the shell.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestErrors: the error is that of the records or of the writer, or says what the program said.
func TestErrors(t *testing.T) {
	const start = `echo '{"kind":"start","version":"` + "$VERSION" + `"}'; read -r settings; `
	failed := errors.New("test: failed")
	for name, test := range map[string]struct {
		script string
		change func(*page.Options)
		fails  int // the record that is an error; 0: none
		w      io.Writer
		want   string
	}{
		"version":      {change: func(o *page.Options) { o.Version = "0.0.0-other" }, want: "has version " + companion.Version + ", and this program 0.0.0-other: install both together"},
		"missing":      {change: func(o *page.Options) { o.Program += "-none" }, want: "no such file"},
		"before pages": {script: "echo unknown argument >&2; exit 2", want: "is no program of this version, " + companion.Version + ": install both together: exit status 2: unknown argument"},
		"another":      {script: "echo hello; cat", want: "is no program of this version"},
		"silent":       {script: "exit 0", want: "it ended before the page was complete"},
		"dead":         {script: start + "echo out of memory >&2; kill -9 $$", want: "signal: killed: out of memory"},
		"half":         {script: start + `echo '{"kind":"page","size":5}'; printf abc`, want: "it ended before the page was complete"},
		"garbled":      {script: start + "echo '{}'; cat", want: "its requests are not understood"},
		"next first":   {script: start + `echo '{"kind":"next"}'; cat`, want: "its requests are not understood"},
		"keys":         {script: start + `echo "the key is <$OPENAI_API_KEY>" >&2`, want: "the key is <>"},
		"talkative":    {script: start + `i=0; while [ $i -lt 2000 ]; do echo "line $i" >&2; i=$((i+1)); done`, want: "line 100\n"},
		"first pass":   {fails: 1, want: failed.Error()},
		"second pass":  {fails: len(htmltest.Session()) + 2, want: failed.Error()},
		"writer":       {w: failing{failed}, want: failed.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OPENAI_API_KEY", "secret")
			o := options(t)
			if test.script != "" {
				o.Program = script(t, strings.ReplaceAll(test.script, "$VERSION", companion.Version))
			}
			if test.change != nil {
				test.change(&o)
			}
			n := 0
			records := func(yield func(event.Record, error) bool) {
				for rec, err := range htmltest.Seq(htmltest.Session()) {
					if n++; n == test.fails {
						err = failed
					}
					if !yield(rec, err) {
						return
					}
				}
			}
			w := test.w
			if w == nil {
				w = io.Discard
			}
			err := page.Write(t.Context(), w, records, o)
			if err == nil || !strings.Contains(err.Error(), test.want) || (test.fails > 0 || test.w != nil) && err != failed || len(err.Error()) > 5<<10 {
				t.Errorf("error %v, expected %s", err, test.want)
			}
		})
	}
}

type failing struct{ err error }

func (w failing) Write([]byte) (int, error) { return 0, w.err }

// TestCancelled: the end of ctx ends a program that waits for records, and one that waits for nothing.
func TestCancelled(t *testing.T) {
	for name, program := range map[string]string{
		"waiting": options(t).Program,
		"busy":    script(t, `echo '{"kind":"start","version":"`+companion.Version+`"}'; read -r settings; echo '{"kind":"first"}'; while :; do :; done`),
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("test: stopped")
		records := func(func(event.Record, error) bool) { cancel(stopped) }
		o := options(t)
		o.Program = program
		if err := page.Write(ctx, io.Discard, records, o); !errors.Is(err, stopped) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestEnd: the program ends when the other one has, and an incomplete page is an error.
func TestEnd(t *testing.T) {
	line, err := htmltest.Session()[0].AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := "{}\n" + string(line) + "\n\n"
	for _, size := range []int{0, 1, len(whole) / 2, len(whole) - 1, len(whole)} {
		var sent bytes.Buffer
		err := page.Serve(strings.NewReader(whole[:size]), &sent, "1", program.Render)
		if !errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(sent.String(), "end") {
			t.Errorf("%d bytes: error %v", size, err)
		}
	}
}
