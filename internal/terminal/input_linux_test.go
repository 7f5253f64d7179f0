package terminal_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"parley.dev/parley/internal/terminal"
	"parley.dev/parley/internal/terminal/terminaltest"
)

func TestReadLine(t *testing.T) {
	term := terminaltest.Open(t, 100, 30)
	in := terminal.NewInput(term.File)
	term.Type("first\nsecond\nunfinished\x15third\n")
	for _, want := range []string{"first", "second", "third"} {
		if line, err := in.ReadLine(t.Context()); line != want || err != nil {
			t.Errorf("%q, %v; want %q", line, err, want)
		}
	}
	term.Type("half\x04 line\n\x04")
	if line, err := in.ReadLine(t.Context()); line != "half line" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
	if line, err := in.ReadLine(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("%q, %v; want io.EOF", line, err)
	}
	if columns, rows := terminal.Size(term.File); columns != 100 || rows != 30 {
		t.Errorf("%d columns, %d rows", columns, rows)
	}
}

// TestReadLineEndsWithContext cancels reads, before and while they wait; none takes what is
// typed later.
func TestReadLineEndsWithContext(t *testing.T) {
	term := terminaltest.Open(t, 80, 24)
	in := terminal.NewInput(term.File)
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error)
	go func() {
		_, err := in.ReadLine(ctx)
		ended <- err
	}()
	cancel(stopped)
	if err := <-ended; !errors.Is(err, stopped) {
		t.Errorf("it ended with %v", err)
	}
	term.Type("kept\n")
	if _, err := in.ReadLine(ctx); !errors.Is(err, stopped) {
		t.Errorf("it ended with %v", err)
	}
	if line, err := in.ReadLine(t.Context()); line != "kept" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
}

func TestDiscard(t *testing.T) {
	term := terminaltest.Open(t, 80, 24)
	in := terminal.NewInput(term.File)
	term.Type("y\ny")
	term.Until("y\r\ny") // its echo: it has arrived
	if err := in.Discard(); err != nil {
		t.Fatal(err)
	}
	term.Type("n\n")
	if line, err := in.ReadLine(t.Context()); line != "n" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
}

func TestEditor(t *testing.T) {
	term := terminaltest.Open(t, 80, 24)
	e := terminal.NewEditor(terminal.NewInput(term.File), term.File)
	type result struct {
		line string
		err  error
	}
	read := func(ctx context.Context) <-chan result {
		got := make(chan result, 1)
		go func() {
			line, err := e.ReadLine(ctx, "> ")
			got <- result{line, err}
		}()
		term.Until("> ")
		return got
	}
	for _, test := range []struct {
		keys, want string
		err        error
	}{
		{"helo\x1b[Dl\r", "hello", nil},
		{"\x1b[A!\r", "hello!", nil}, // the line before
		{"half a line\x03", "", terminal.ErrInterrupted},
		{"next\r", "next", nil},
		{"\x1b[200~one\rtwo\x1b[201~ three\r", "one\ntwo three", nil},
		{"\x04", "", io.EOF},
	} {
		got := read(t.Context())
		term.Type(test.keys)
		if r := <-got; r.line != test.want || !errors.Is(r.err, test.err) {
			t.Errorf("%q: %q, %v; want %q, %v", test.keys, r.line, r.err, test.want, test.err)
		}
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	got := read(ctx)
	cancel(stopped)
	if r := <-got; !errors.Is(r.err, stopped) {
		t.Errorf("%q, %v", r.line, r.err)
	}
}
