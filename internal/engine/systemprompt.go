package engine

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/model"
)

//go:embed systemprompt.md
var systemPromptText string

// memoryCap is how much of one context file is read, in bytes.
const memoryCap = 64 << 10

// prompt is a system prompt in the parts that a context report names.
type prompt struct {
	base   string
	memory string // the project's context files
}

func (p prompt) text() string {
	if p.memory == "" {
		return p.base
	}
	return p.base + "\n" + p.memory
}

// SystemPrompt is what models are told first, without the project's context files.
func (s *Session) SystemPrompt() string {
	info, _ := s.Model() // without a model there is none to name
	return s.systemPrompt(info, "").base
}

// systemPrompt is what a model is told first; more are the instructions of one turn.
func (s *Session) systemPrompt(info model.Info, more string) prompt {
	st := s.State()
	var b strings.Builder
	b.WriteString(cmp.Or(st.Settings.SystemPrompt, systemPromptText))
	for _, text := range []string{s.opts.Instructions, st.Settings.Instructions, more} {
		if text = strings.TrimSpace(text); text != "" {
			b.WriteString("\n" + text + "\n")
		}
	}
	fmt.Fprintf(&b, "\nWorkspace: %s\nPlatform: %s/%s\nDate: %s\nModel: %s\n",
		st.Dir(), runtime.GOOS, runtime.GOARCH, s.host.cfg.Now().Format("2006-01-02"), info.ID)
	if st.Settings.Mode == string(approval.Plan) {
		b.WriteString("\nPlan mode: look and plan, but change nothing until the user leaves this mode.\n")
	}
	if s.opts.Approvals == ApproveBySandbox {
		b.WriteString("\n" + sandboxText(st.Settings.Sandbox) + "\n")
	}
	return prompt{b.String(), readMemory(st.Dir(), s.opts.ContextFiles)}
}

// sandboxText tells a model what its commands may touch.
func sandboxText(s approval.Sandbox) string {
	network := "They have no network."
	if s.Networked() {
		network = "They may use the network."
	}
	switch s.Kind {
	case approval.SandboxReadOnly:
		return "Commands run in a sandbox that lets them read files and change none. " + network
	case approval.SandboxWorkspace:
		where := "the workspace and the temporary folders"
		if len(s.Roots) > 0 {
			where += " and " + strings.Join(s.Roots, ", ")
		}
		return "Commands run in a sandbox that lets them change files only below " + where + ", but not git's own. " + network
	}
	if !s.Networked() {
		return "Commands have no network."
	}
	return "Commands run without a sandbox."
}

// readMemory is the text of the project's context files, the outermost first.
func readMemory(workspace string, names []string) string {
	var b strings.Builder
	for _, path := range MemoryFiles(workspace, names) {
		data, err := readCapped(path, memoryCap)
		if err != nil || strings.TrimSpace(data) == "" {
			continue
		}
		fmt.Fprintf(&b, "\n# Project instructions from %s\n\n%s\n", path, strings.TrimSpace(data))
	}
	return b.String()
}

// MemoryFiles is the context files of those names that exist, from the root of the
// workspace's repository down to the workspace. Outside a repository only the workspace counts.
func MemoryFiles(workspace string, names []string) []string {
	var paths []string
	for dir := workspace; ; dir = filepath.Dir(dir) {
		for _, name := range slices.Backward(names) {
			path := filepath.Join(dir, name)
			if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
				paths = append(paths, path)
			}
		}
		if exists(filepath.Join(dir, ".git")) {
			break
		}
		if filepath.Dir(dir) == dir {
			paths = slices.DeleteFunc(paths, func(p string) bool { return filepath.Dir(p) != workspace })
			break
		}
	}
	slices.Reverse(paths)
	return paths
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func readCapped(path string, limit int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit))
	if len(data) == 0 && err != nil {
		return "", err
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), nil
}
