package sse

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// drainEvents reads r to its end. The error is nil at io.EOF.
func drainEvents(r io.Reader) (events []string, err error) {
	reader := NewReader(r)
	for {
		ev, err := reader.Next()
		if err == io.EOF {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, ev.Name+"="+string(ev.Data))
	}
}

func TestReader(t *testing.T) {
	for _, test := range []struct {
		name, stream string
		want         []string
	}{
		{"LF", "event: a\ndata: 1\n\ndata: 2\n\n", []string{"a=1", "=2"}},
		{"CRLF", "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", []string{"a=1", "=2"}},
		{"CR", "event: a\rdata: 1\r\rdata: 2\r\r", []string{"a=1", "=2"}},
		{"byte order mark", "\uFEFFdata: 1\n\n", []string{"=1"}},
		{"only at the start", "data: 1\n\n\uFEFFdata: 2\n\n", []string{"=1"}},
		{"many data lines", "data: 1\ndata\ndata:2\n\n", []string{"=1\n\n2"}},
		{"one space", "data:  1 \n\n", []string{"= 1 "}},
		{"comments and other fields", ": x\nid: 1\nretry: 5\nfoo: bar\ndata: 1\n: y\n\n: z\n\n", []string{"=1"}},
		{"no data", "event: a\n\nevent: b\ndata:\n\ndata: 1\n\n", []string{"=1"}},
		{"no blank line at the end", "data: 1\n\nevent: a\ndata: 2\n", []string{"=1", "a=2"}},
		{"no line end at the end", "data: 1\n\ndata: 2", []string{"=1", "=2"}},
		{"newline-delimited JSON", "{\"a\":1}\n{\"b\":\"data: 2\"}\r\n\n{\"c\":3}", []string{`={"a":1}`, `={"b":"data: 2"}`, `={"c":3}`}},
		{"an object within data", "data: 1\n{\"a\":1}\n\n", []string{"=1"}},
		{"nothing", "", nil},
		{"long", "data: " + strings.Repeat("x", 3*readSize) + "\n\n", []string{"=" + strings.Repeat("x", 3*readSize)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(test.stream), iotest.OneByteReader(strings.NewReader(test.stream)), iotest.DataErrReader(strings.NewReader(test.stream))} {
				got, err := drainEvents(r)
				if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
			}
		})
	}
}

func TestReaderErrors(t *testing.T) {
	broken := errors.New("reset")
	events, err := drainEvents(io.MultiReader(strings.NewReader("data: 1\n\ndata: 2\n"), iotest.ErrReader(broken)))
	if diff := cmp.Diff([]string{"=1"}, events); diff != "" || err != broken {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	endless := io.MultiReader(strings.NewReader("data: "), endlessReader{})
	if _, err := drainEvents(endless); err != errTooLong {
		t.Errorf("endless line: %v", err)
	}
	lines := strings.NewReader(strings.Repeat("data: "+strings.Repeat("x", 1<<20)+"\n", MaxEvent>>20+1))
	if _, err := drainEvents(lines); err != errTooLong {
		t.Errorf("endless event: %v", err)
	}
}

type endlessReader struct{}

func (endlessReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// plainEvents returns the slow, obvious reading of a whole stream.
func plainEvents(stream string) (events []string) {
	stream = strings.TrimPrefix(stream, "\uFEFF")
	stream = strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n")
	name, data := "", []string(nil)
	for line := range strings.SplitSeq(stream+"\n\n", "\n") {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if joined := strings.Join(data, "\n"); joined != "" {
				events = append(events, name+"="+joined)
			}
			name, data = "", nil
		case line[0] == '{' && data == nil: // newline-delimited JSON
			events = append(events, name+"="+line)
			name = ""
		case field == "event":
			name = value
		case field == "data":
			data = append(data, value)
		}
	}
	return events
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("event: a\r\ndata: 1\r\n\r\n: c\rdata:2\ndata: 3\n\n"), 3)
	f.Add([]byte("\uFEFFdata: x\n\r\ndata\n\n"), 1)
	f.Add([]byte("event: a\n{\n{\"b\":1}\ndata: x\n{\n\n"), 1)
	f.Fuzz(func(t *testing.T, stream []byte, size int) {
		got, err := drainEvents(&smallReads{bytes.NewReader(stream), max(size, 1)})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plainEvents(string(stream)), got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// smallReads reads at most size bytes at a time.
type smallReads struct {
	io.Reader
	size int
}

func (s *smallReads) Read(p []byte) (int, error) { return s.Reader.Read(p[:min(len(p), s.size)]) }
