package cassette

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/model"
)

// A Recorder appends answers to a file. It is safe for concurrent use.
type Recorder struct {
	secrets func() []string
	failed  func(error)

	mu   sync.Mutex
	file *os.File
	cut  bool  // the file ends within a line: a program was killed, or the disk was full
	err  error // the first; nothing is written after it
}

// NewRecorder opens a recording, or begins one that its user alone can read. Secrets returns what is replaced by *** wherever an
// answer contains it. Failed is called once, if the file cannot be written: answers go on without being recorded.
func NewRecorder(path string, secrets func() []string, failed func(error)) (*Recorder, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	cut, err := endsWithinLine(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("recording: %w", err)
	}
	return &Recorder{secrets: secrets, failed: failed, file: file, cut: cut}, nil
}

// endsWithinLine reports whether the last byte of a file is not LF.
func endsWithinLine(file *os.File) (bool, error) {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	var last [1]byte
	_, err = file.ReadAt(last[:], info.Size()-1)
	return last[0] != '\n', err
}

// Wrap returns a provider whose answers are recorded as those of a model, provider/id.
func (r *Recorder) Wrap(p model.Provider, name string) model.Provider { return recorded{p, r, name} }

// A recorded is a provider whose answers are recorded.
type recorded struct {
	provider model.Provider
	recorder *Recorder
	name     string
}

// Stream implements model.Provider.
func (p recorded) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		e := Entry{Version: version, Model: p.name, Pieces: []Piece{}}
		var prompt string
		e.Position, e.Answers, prompt = positionOf(req)
		e.Prompt = beginning(prompt)
		defer func() { p.recorder.add(e) }()
		for d, err := range p.provider.Stream(ctx, req) {
			switch failure, ok := errors.AsType[*model.Error](err); {
			case ok:
				e.Error = errorOf(failure)
			case err == nil && d.Kind == model.Done && d.Response != nil:
				e.End = &End{d.Response.Stop, d.Response.Usage, d.Response.Cost, d.Response.Model, d.Response.Moderated}
			case err == nil:
				e.Pieces = append(e.Pieces, pieceOf(d))
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

func errorOf(e *model.Error) *Error {
	return &Error{e.Kind, e.Status, e.Code, e.Message, e.Window, e.MaxTokens, e.RetryAfter.Milliseconds(), e.Final, e.Moderated}
}

// beginning returns the first 80 bytes or so of a text.
func beginning(text string) string {
	const limit = 80
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// add writes an entry.
func (r *Recorder) add(e Entry) {
	redact(&e, r.secrets())
	line, err := json.Marshal(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	if r.cut {
		line, r.cut = append([]byte{'\n'}, line...), false // the line that was cut stays one of its own, which Load leaves out
	}
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	if r.err = err; err != nil && r.failed != nil {
		r.failed(err)
	}
}

// redact replaces secrets. A block whose text has one, which may be cut across pieces, becomes one piece.
func redact(e *Entry, secrets []string) {
	hide := func(text string) string {
		for _, s := range secrets {
			if s != "" {
				text = strings.ReplaceAll(text, s, "***")
			}
		}
		return text
	}
	e.Prompt = hide(e.Prompt)
	if e.Error != nil {
		e.Error.Message = hide(e.Error.Message)
	}
	texts := map[string]*strings.Builder{} // of each kind and block
	key := func(p Piece) string { return fmt.Sprint(p.Kind, p.Block) }
	for _, p := range e.Pieces {
		if texts[key(p)] == nil {
			texts[key(p)] = &strings.Builder{}
		}
		texts[key(p)].WriteString(p.Text)
	}
	for k, text := range texts {
		hidden := hide(text.String())
		if hidden == text.String() {
			continue
		}
		first := true
		for i := range e.Pieces {
			if p := &e.Pieces[i]; key(*p) == k {
				if p.Text = ""; first {
					p.Text, first = hidden, false
				}
			}
		}
	}
}
