package scripted

import (
	"fmt"
	"strings"

	"parley.dev/parley/bench/tasks/chat"
	"parley.dev/parley/bench/tasks/task"
)

// This file implements how models that were trained on patches change files.

// patch makes changes by one patch, and reports whether that can be done here.
func (s *session) patch(files []task.FileChange) bool {
	guess := s.guesses
	for range tries {
		r := s.do("patch", func() chat.Call { return s.patchCall(s.patchText(files, guess)) })
		switch {
		case !r.Failed:
			return true
		case strings.Contains(r.Text, "not found"):
			return false // there is no such command
		}
		for _, f := range files {
			if f.Add || f.Delete {
				continue
			}
			if missing(r.Text) || !guess || !strings.Contains(withoutNumbers(r.Text), f.Change.Old) && !s.seesText(f.Change.Old) {
				s.read(f.Path, 0)
			}
		}
		guess = false
	}
	return false
}

// patchCall returns the call of the tool for patches, if there is one, or a command. The commands are those
// that models write: with a heredoc, after a change of the folder, with an argument.
func (s *session) patchCall(patch string) chat.Call {
	if !s.commands && s.seen.Offers("apply_patch") {
		return chat.Call{Name: "apply_patch", Input: chat.Input{"input": patch}}
	}
	s.patched++
	heredoc := "apply_patch <<'EOF'\n" + patch + "\nEOF\n"
	switch s.patched % 3 {
	case 1:
		return s.forms.run(s, heredoc)
	case 2:
		return s.forms.run(s, "cd "+s.work+" && "+heredoc)
	}
	return chat.Call{Name: "shell", Input: chat.Input{"command": []any{"apply_patch", patch}}}
}

func (s *session) patchText(files []task.FileChange, guess bool) string {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n")
	for i, f := range files {
		switch {
		case f.Delete:
			fmt.Fprintf(&b, "*** Delete File: %s\n", f.Path)
		case f.Add:
			fmt.Fprintf(&b, "*** Add File: %s\n%s", f.Path, prefixed("+", strings.TrimSuffix(f.Text, "\n")))
		default:
			old, new := f.Change.Old, f.Change.New
			if guess {
				old, new = f.Change.Guessed()
			}
			if i == 0 || files[i-1].Path != f.Path {
				fmt.Fprintf(&b, "*** Update File: %s\n", s.pathOf(f.Path))
			}
			b.WriteString("@@\n" + hunk(old, new))
		}
	}
	b.WriteString("*** End Patch")
	return b.String()
}

// hunk returns the lines of a change; those at its beginning and end that stay are context.
func hunk(old, new string) string {
	before, after := strings.Split(old, "\n"), strings.Split(new, "\n")
	head, tail := 0, 0
	for head < min(len(before), len(after)) && before[head] == after[head] {
		head++
	}
	for tail < min(len(before), len(after))-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	return prefixed(" ", before[:head]...) +
		prefixed("-", before[head:len(before)-tail]...) +
		prefixed("+", after[head:len(after)-tail]...) +
		prefixed(" ", before[len(before)-tail:]...)
}

// prefixed returns lines, each with the sign before it.
func prefixed(sign string, texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		for line := range strings.SplitSeq(text, "\n") {
			b.WriteString(sign + line + "\n")
		}
	}
	return b.String()
}

// patchWords replaces a word in all lines that a search has found, by one patch.
func (s *session) patchWords(found string, paths []string, old, new string) {
	var files []task.FileChange
	for _, name := range paths {
		for line := range strings.Lines(found) {
			rest, ok := strings.CutPrefix(strings.TrimPrefix(line, "./"), name+":")
			if _, text, numbered := strings.Cut(strings.TrimRight(rest, "\r\n"), ":"); ok && numbered {
				files = append(files, task.FileChange{Path: name, Change: task.Change{Old: text, New: strings.ReplaceAll(text, old, new)}})
			}
		}
	}
	s.patch(files)
}
