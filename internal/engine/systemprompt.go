package engine

import (
	"cmp"
	_ "embed"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool/shell"
)

//go:embed systemprompt.md
var systemPromptText string

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

// systemPrompt returns the system prompt for a model; more are the instructions of one turn.
func (s *Session) systemPrompt(info model.Info, more string) prompt {
	st := s.State()
	var b strings.Builder
	b.WriteString(strings.TrimRight(cmp.Or(st.Settings.SystemPrompt, systemPromptText), "\n") + "\n")
	s.mu.Lock()
	own := s.familyText(info)
	s.mu.Unlock()
	for _, text := range []string{own, s.listedSkills(), s.serverInstructions(), s.opts.Instructions, st.Settings.Instructions, more} {
		if text = strings.TrimSpace(text); text != "" {
			b.WriteString("\n" + text + "\n")
		}
	}
	s.mu.Lock()
	environment := s.fold.Environment
	if environment == nil { // no turn has begun
		environment = s.currentEnvironment()
	}
	changes, roots := s.fold.Uncommitted, s.work.roots
	s.mu.Unlock()
	fmt.Fprintf(&b, "\nWorkspace: %s\n", st.Dir())
	if len(roots) > 0 {
		fmt.Fprintf(&b, "Further folders that count as part of it: %s\n", strings.Join(roots, ", "))
	}
	fmt.Fprintf(&b, "Platform: %s/%s, commands run in %s\nDate: %s\n",
		runtime.GOOS, runtime.GOARCH, filepath.Base(shell.Path()), environment.Date)
	if environment.Git != "" {
		fmt.Fprintf(&b, "Git: %s when the session began\n", environment.Git)
	}
	if changes != "" {
		fmt.Fprintf(&b, "Changes that were not committed then; they are the user's:\n%s\n", changes)
	}
	fmt.Fprintf(&b, "Model: %s\n\n%s\n", info.ID, environment.Permissions)
	return prompt{b.String(), s.memory()}
}

// familyText returns what models of the family of info read besides; "" if that is nothing, or is about
// a tool that is not offered. It runs under the session's lock.
func (s *Session) familyText(info model.Info) string {
	f := traitsOf(info.ID)
	if f.text == "" {
		return ""
	}
	for _, b := range s.offeredTo(f.name) {
		if b.Tool == f.tool {
			return fmt.Sprintf(f.text, b.Name)
		}
	}
	return ""
}
