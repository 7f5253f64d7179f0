package tool

import (
	"context"
	"slices"
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/invisible"
)

// preview returns what make would do now, and binds it to nothing.
func (e *fileEdit) preview(ctx context.Context, client ClientFiles) []approval.FileEffect {
	old, err := readOriginal(ctx, e.workspace, client, e.path)
	if err != nil {
		return nil
	}
	data, err := e.rewrite(old)
	if err != nil || old.is(data) {
		return nil
	}
	return []approval.FileEffect{effectOf(*fileChange(e.workspace.Rel(e.path.Path), old, data), old, data)}
}

// effectOf returns a change of a file from the content old to data as an effect.
func effectOf(change event.FileChange, old original, data []byte) approval.FileEffect {
	return approval.FileEffect{
		Path: change.Path, Op: string(change.Op), Before: int64(len(old.data)), After: int64(len(data)),
		Added: change.Added, Removed: change.Removed, Diff: change.Diff, Invisible: invisibleIn(change.Diff),
	}
}

// EffectOf returns a change that is reported, of which the sizes of the file are not known, as an effect.
func EffectOf(change event.FileChange) approval.FileEffect {
	return approval.FileEffect{
		Path: change.Path, Op: string(change.Op), Added: change.Added, Removed: change.Removed, Diff: change.Diff, Invisible: invisibleIn(change.Diff),
	}
}

// invisibleIn returns the names of the invisible characters in the lines that a diff adds.
func invisibleIn(diff string) []string {
	var names []string
	for line := range strings.Lines(diff) {
		if line[0] != '+' {
			continue
		}
		prev := rune(0)
		for _, r := range strings.TrimRight(line, "\r\n") {
			if name := invisible.Name(r); invisible.InText(prev, r) && !slices.Contains(names, name) {
				names = append(names, name)
			}
			prev = r
		}
	}
	return names
}
