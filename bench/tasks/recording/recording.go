// Package recording stores what a provider answered in one run, in order, and plays it again. A recording
// can be of any model, scripted or real: the program gets the same bytes as it did then.
//
// It is a txtar file. Its comment says what was recorded; its sections are
//
//	-- recording --  lines "task NAME", "wire PATH" and "model NAME"
//	-- answer N --   the N-th answer, from 1: its headers, as HTTP has them, an empty line and the body
//
// Models write paths of the workspace, and streams cut them anywhere. So a recording is played in the very
// folder in which it was made: Folder.
package recording

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"parley.dev/parley/internal/model/modeltest"
)

// A Recording is the answers of one run.
type Recording struct {
	Name    string // of its file, without the extension
	Title   string
	Task    string
	Wire    modeltest.Wire
	Model   string // as the program names it
	Answers []Answer
}

// An Answer is one response of a provider.
type Answer struct {
	Status int
	Header http.Header // of what the program reads only
	Body   []byte
}

// kept are the headers that a recording has: others may hold secrets, or the time.
var kept = []string{"Content-Type", "Retry-After", "Retry-After-Ms", "X-Should-Retry"}

// Read reads a recording.
func Read(path string) (*Recording, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.Name = nameOf(path)
	return r, nil
}

func nameOf(path string) string { return strings.TrimSuffix(filepath.Base(path), ".txtar") }

// Folder returns the folder in which the recording at path is made and played.
func Folder(path string) string { return filepath.Join("/tmp/parley-recording", nameOf(path)) }

func parse(data []byte) (*Recording, error) {
	archive := txtar.Parse(data)
	r := &Recording{Title: strings.TrimSpace(string(archive.Comment))}
	for _, f := range archive.Files {
		if f.Name == "recording" {
			r.parseHead(string(f.Data))
			continue
		}
		if want := fmt.Sprintf("answer %d", len(r.Answers)+1); f.Name != want {
			return nil, fmt.Errorf("section %q: the next one has to be %q", f.Name, want)
		}
		a, err := parseAnswer(f.Data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		r.Answers = append(r.Answers, a)
	}
	if r.Task == "" || r.Wire == "" || r.Model == "" {
		return nil, errors.New("the section recording has to name task, wire and model")
	}
	return r, nil
}

func (r *Recording) parseHead(text string) {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch name {
		case "task":
			r.Task = value
		case "wire":
			r.Wire = modeltest.Wire(value)
		case "model":
			r.Model = value
		}
	}
}

func parseAnswer(data []byte) (a Answer, err error) {
	head, body, _ := bytes.Cut(data, []byte("\n\n"))
	header, err := textproto.NewReader(bufio.NewReader(io.MultiReader(bytes.NewReader(head), strings.NewReader("\n\n")))).ReadMIMEHeader()
	if err != nil {
		return a, err
	}
	a = Answer{Header: http.Header(header), Body: body}
	if a.Status, err = strconv.Atoi(a.Header.Get("Status")); err != nil {
		return a, fmt.Errorf("status: %w", err)
	}
	a.Header.Del("Status")
	return a, nil
}

// Write writes the recording to a file.
func (r *Recording) Write(path string) error {
	archive := &txtar.Archive{Comment: []byte(r.Title + "\n")}
	head := fmt.Sprintf("task %s\nwire %s\nmodel %s\n", r.Task, r.Wire, r.Model)
	archive.Files = append(archive.Files, txtar.File{Name: "recording", Data: []byte(head)})
	for i, a := range r.Answers {
		var b bytes.Buffer
		fmt.Fprintf(&b, "Status: %d\n", a.Status)
		for _, name := range kept {
			if value := a.Header.Get(name); value != "" {
				fmt.Fprintf(&b, "%s: %s\n", name, value)
			}
		}
		b.WriteString("\n")
		b.Write(a.Body)
		archive.Files = append(archive.Files, txtar.File{Name: fmt.Sprintf("answer %d", i+1), Data: b.Bytes()})
	}
	return os.WriteFile(path, txtar.Format(archive), 0o644)
}
