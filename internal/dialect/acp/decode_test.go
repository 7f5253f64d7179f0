package acp

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/workspace"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// clientLines are the lines that clients send in the transcripts, for a session "s" in a folder.
func clientLines(t testing.TB, dir string) (lines []string) {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d transcripts, %v", len(paths), err)
	}
	places := strings.NewReplacer("$WORK", dir, "$HOME", dir, "$s", "s")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line, ok := strings.CutPrefix(line, "> {"); ok {
				lines = append(lines, "{"+strings.TrimSpace(places.Replace(line)))
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// FuzzDecode: what a client sends is read as a message or refused with an answer that clients can read.
func FuzzDecode(f *testing.F) {
	for _, line := range clientLines(f, "/a") {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		copied := string(line)
		frame, invalid := jsonrpc.Parse(line, frames)
		if invalid != nil {
			readable(t, jsonrpc.Null, lineError(invalid))
			return
		}
		if frame.Kind == jsonrpc.Response {
			decodeResult[PermissionResult](frame.Result)
			decodeResult[ReadTextFileResult](frame.Result)
			decodeResult[TerminalOutputResult](frame.Result)
			decodeResult[ElicitationResult](frame.Result)
			return
		}
		if _, err := methods1.Get().params.Params(frame, frames); err != nil {
			readable(t, frame.ID, paramsError(frame.Method, err))
		}
		if string(line) != copied {
			t.Fatal("the line was changed")
		}
	})
}

// readable wants an error to be a line with a message of one line, and not to be a defect.
func readable(t *testing.T, id jsonrpc.ID, e *jsonrpc.Error) {
	t.Helper()
	line := errorLine(id, e)
	if _, err := wire.ParseObject(line, frames.Object); err != nil || bytes.ContainsRune(line, '\n') || strings.ContainsAny(e.Message, "\r\n") {
		t.Errorf("%q: %v", line, err)
	}
	if e.Code == jsonrpc.CodeInternalError || e.Message == "" {
		t.Errorf("%q is the answer to what the client did wrong", line)
	}
}

// FuzzLines: whatever lines a client sends, each request has one answer, and nothing else has one.
func FuzzLines(f *testing.F) {
	dir := f.TempDir()
	for _, line := range clientLines(f, dir) {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, lines []byte) {
		host := hostWithoutTools(t, dir)
		answers, code := answersTo(t, io.MultiReader(strings.NewReader(hello+"\n"), bytes.NewReader(lines)), func(in io.Reader, out io.Writer) int {
			return Serve(t.Context(), Config{Host: host, In: in, Out: out, Log: slog.New(slog.DiscardHandler), Flags: Flags{Model: "offline/script", Unstable: true}})
		})
		got, want := []string{}, append(idsOfAnswers(lines), "0")
		for _, answer := range answers {
			got = append(got, string(answer.ID))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || code != 0 {
			t.Errorf("answers %q, exit code %d, want %q", got, code, want)
		}
	})
}

// idsOfAnswers returns the ids of the answers that lines cause.
func idsOfAnswers(lines []byte) (ids []string) {
	for line := range bytes.Lines(lines) {
		if line = bytes.Trim(line, " \t\r\n"); len(line) == 0 {
			continue
		}
		switch frame, invalid := jsonrpc.Parse(line, frames); {
		case invalid != nil:
			ids = append(ids, string(jsonrpc.Null))
		case frame.Kind == jsonrpc.Request:
			ids = append(ids, string(frame.ID))
		}
	}
	return ids
}

// hostWithoutTools returns a host with a session "s" in a folder, whose model says something. It has no tools, and starts no tool
// servers: what clients send must run nothing.
func hostWithoutTools(t *testing.T, dir string) *engine.Host {
	t.Helper()
	state := t.TempDir()
	store, err := file.Open(state, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	put(t, store, "s", dir, profile, event.TurnStarted{Prompt: "p-1"},
		event.UserMessage{ID: "p-1", Via: event.ByPrompt, Blocks: []model.Block{model.TextBlock("go")}}, event.TurnEnded{Reason: event.TurnCompleted})
	script := filepath.Join(state, "script")
	if err := os.WriteFile(script, []byte(strings.Repeat("text Hi.\nnext\n", 64)), 0o600); err != nil {
		t.Fatal(err)
	}
	return engine.NewHost(engine.Config{
		Store: store, Models: dialecttest.NewModels(dialecttest.Getenv([]string{"PARLEY_OFFLINE_SCRIPT=" + script})),
		Tools: func(string) (tool.Tool, bool) { return nil, false },
		Env: func(dir string) (*tool.Env, error) {
			w, err := workspace.Open(dir, state)
			return &tool.Env{Workspace: w}, err
		},
	})
}
