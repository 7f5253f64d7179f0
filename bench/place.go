package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/bench/report"
	"parley.dev/parley/internal/model/modeltest"
)

// A subject is a program that is measured, and what it is started with.
type subject struct {
	dialect
	path  string
	ours  bool
	env   []string
	files map[string]string
}

// A place is the folders that a program is started in.
type place struct {
	root       string
	work, home string
}

// newPlace makes fresh folders below dir.
func newPlace(dir string) (*place, error) {
	root, err := os.MkdirTemp(dir, "place-")
	if err != nil {
		return nil, fmt.Errorf("make a place to measure in: %w", err)
	}
	p := &place{root: root, work: filepath.Join(root, "work"), home: filepath.Join(root, "home")}
	for _, folder := range []string{p.work, p.home} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return nil, fmt.Errorf("make a place to measure in: %w", err)
		}
	}
	if err := os.WriteFile(filepath.Join(p.work, known), []byte(content+"\n"), 0o600); err != nil {
		return nil, fmt.Errorf("make a place to measure in: %w", err)
	}
	return p, nil
}

// state returns where our sessions are.
func (p *place) state() string { return filepath.Join(p.home, "state") }

func (p *place) remove() { _ = os.RemoveAll(p.root) } // it is below a folder that is removed at the end

// command returns s in this place, with the model at url.
func (p *place) command(s subject, wire modeltest.Wire, url string, args ...string) (*exec.Cmd, error) {
	base := modeltest.OpenAIChat.BaseURL(url)
	fill := strings.NewReplacer("$HOME", p.home, "$URL", base)
	for name, text := range s.files {
		path := filepath.Join(p.home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("write the settings of %s: %w", s.Name, err)
		}
		if err := os.WriteFile(path, []byte(fill.Replace(text)), 0o600); err != nil {
			return nil, fmt.Errorf("write the settings of %s: %w", s.Name, err)
		}
	}
	cmd := exec.Command(s.path, slices.Concat(s.Args, s.args, args)...)
	cmd.Dir = p.work
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "LANG=C.UTF-8"}
	if s.ours {
		cmd.Env = append(cmd.Env, "PARLEY_HOME="+p.state())
		cmd.Env = append(cmd.Env, modelOn(wire, url)...)
	}
	if s.Name == report.Floor {
		cmd.Env = append(cmd.Env, "OPENAI_BASE_URL="+base)
	}
	for _, e := range s.env { // the last of a name counts
		cmd.Env = append(cmd.Env, fill.Replace(e))
	}
	return cmd, nil
}

// modelOn returns the environment in which our program finds the model on a wire.
func modelOn(wire modeltest.Wire, url string) []string {
	base := wire.BaseURL(url)
	switch wire {
	case modeltest.Anthropic:
		return []string{"PARLEY_MODEL=anthropic/" + modeltest.Model, "ANTHROPIC_API_KEY=none", "ANTHROPIC_BASE_URL=" + base}
	case modeltest.OpenAIResponses:
		return []string{"PARLEY_MODEL=openai/" + modeltest.Model, "OPENAI_API_KEY=none", "OPENAI_BASE_URL=" + base, "PARLEY_OPENAI_API=responses"}
	}
	return []string{"PARLEY_MODEL=openai/" + modeltest.Model, "OPENAI_API_KEY=none", "OPENAI_BASE_URL=" + base}
}
