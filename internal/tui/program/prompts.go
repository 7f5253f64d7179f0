package program

import (
	"bufio"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-json-experiment/json"
	"parley.dev/parley/internal/regular"
)

// prompts are the earlier prompts of a workspace, in a file of all workspaces: a line of JSON for each. What cannot be read or
// written is left out: a console works without them.
type prompts struct {
	path      string // "": they are not stored
	workspace string
	lines     []prompt

	mu sync.Mutex
}

// A prompt is a line of the file.
type prompt struct {
	Workspace string `json:"workspace"`
	Text      string `json:"text"`
}

// The limits of the file: after promptLines it is written anew with the last half, and a longer prompt is not stored.
const (
	promptLines = 2000
	promptSize  = 64 << 10
)

// openPrompts reads the file in a folder, which need not be there.
func openPrompts(folder, workspace string) *prompts {
	p := &prompts{workspace: workspace}
	if folder == "" || os.MkdirAll(folder, 0o700) != nil {
		return p
	}
	p.path = filepath.Join(folder, "prompts.jsonl")
	file, err := regular.Open(p.path)
	if err != nil {
		return p
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 8*promptSize)
	for lines.Scan() {
		var line prompt
		if json.Unmarshal(lines.Bytes(), &line) == nil {
			p.lines = append(p.lines, line)
		}
	}
	if len(p.lines) > promptLines {
		p.lines = p.lines[len(p.lines)-promptLines/2:]
		p.rewrite()
	}
	return p
}

// texts returns the prompts of the workspace, oldest first.
func (p *prompts) texts() []string {
	var texts []string
	for _, line := range p.lines {
		if line.Workspace == p.workspace {
			texts = append(texts, line.Text)
		}
	}
	return texts
}

// add stores a prompt.
func (p *prompts) add(text string) {
	if p.path == "" || len(text) > promptSize {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	file, err := os.OpenFile(p.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer file.Close()
	_, _ = file.Write(lineOf(prompt{p.workspace, text}))
}

// rewrite replaces the file by lines.
func (p *prompts) rewrite() {
	file, err := os.CreateTemp(filepath.Dir(p.path), "prompts-*")
	if err != nil {
		return
	}
	defer os.Remove(file.Name()) // after the rename there is none
	for _, line := range p.lines {
		_, err = file.Write(lineOf(line))
	}
	if cerr := file.Close(); err == nil && cerr == nil {
		_ = os.Rename(file.Name(), p.path)
	}
}

// lineOf returns a prompt as a line of the file.
func lineOf(p prompt) []byte {
	line, err := json.Marshal(p)
	if err != nil {
		return nil // text of a terminal that is no UTF-8
	}
	return append(line, '\n')
}
