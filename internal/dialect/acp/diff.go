package acp

import (
	"cmp"
	"fmt"
	"strings"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	shorten "parley.dev/parley/internal/text"
)

// This file shows changes of files, as they were proposed and as they were done.

// textLimit is the size of a file up to which a change is shown with all of its text, in bytes.
const textLimit = 256 << 10

// diffs returns changes of files.
func (v *view) diffs(c *call, changes []event.FileChange) []ToolContent {
	var content []ToolContent
	for _, change := range changes {
		content = append(content, v.diff(c, change)...)
	}
	return content
}

// diff returns the change of a file: its whole texts, or the places that change with the lines around them. Of a file
// without a diff it returns a note.
func (v *view) diff(c *call, change event.FileChange) []ToolContent {
	shown := DiffOfTool{Type: "diff", Path: v.pathOf(c, change.Path), deleted: change.Op == event.Deleted, patch: change.Diff}
	if before, after, ok := v.texts(engine.ChangeOf{FileChange: change, Session: c.session, Dir: v.dirOf(c)}); ok {
		if shown.NewText = after; change.Existed {
			shown.OldText = &before
		}
		return []ToolContent{shown}
	}
	var content []ToolContent
	for _, h := range hunksOf(change.Diff) {
		if shown.NewText = h.after; change.Existed {
			shown.OldText = &h.before
		}
		content = append(content, shown)
	}
	switch {
	case len(content) == 0:
		return []ToolContent{textOfTool(fmt.Sprintf("%s: %s; it is binary or large, and has no diff", v.relative(c, change.Path), change.Op))}
	case change.Cut > 0:
		content = append(content, textOfTool(fmt.Sprintf("%s: %d more lines of the diff are not shown", v.relative(c, change.Path), change.Cut)))
	}
	return content
}

// texts returns the texts of a file before and after a change, if they are known and short enough to be shown.
func (s *session) texts(c engine.ChangeOf) (before, after string, ok bool) {
	c.Session = cmp.Or(c.Session, s.eng.ID())
	return s.conn.cfg.Host.FileTexts(s.conn.life, c, textLimit)
}

// A hunk is a place of a file that changes, with the lines around it.
type hunk struct {
	start         int // its first line in the text after, from 1
	line          int // the first line that changes
	before, after string
}

// hunksOf returns the hunks of a unified diff.
func hunksOf(diff string) []hunk {
	var hunks []hunk
	var r hunkReader
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "@@ ") {
			hunks = append(hunks, r.end()...)
			r = newHunkReader(line)
			continue
		}
		r.add(line)
	}
	return append(hunks, r.end()...)
}

// A hunkReader reads the lines of a hunk. The zero value reads none: it is for the lines before the first hunk.
type hunkReader struct {
	begun, changed bool
	line           int // the number of the next line after the change
	hunk           hunk
	before, after  []string
	last           byte // the mark of the last line
}

func newHunkReader(header string) hunkReader {
	r := hunkReader{begun: true}
	var skipped [3]int
	if n, _ := fmt.Sscanf(header, "@@ -%d,%d +%d,%d @@", &skipped[0], &skipped[1], &r.line, &skipped[2]); n < 3 {
		r.line = 1
	}
	r.line = max(r.line, 1)
	r.hunk.start = r.line
	return r
}

func (r *hunkReader) add(line string) {
	if !r.begun {
		return
	}
	mark, rest := line[0], line[1:]
	switch {
	case mark == '\\': // the line before has no line feed
		r.cut()
		return
	case mark != ' ' && !r.changed:
		r.changed, r.hunk.line = true, r.line
	}
	if mark != '+' {
		r.before = append(r.before, rest)
	}
	if mark != '-' {
		r.after = append(r.after, rest)
		r.line++
	}
	r.last = mark
}

// cut removes the line feed that the last line does not have.
func (r *hunkReader) cut() {
	if r.last != '+' && len(r.before) > 0 {
		r.before[len(r.before)-1] = strings.TrimSuffix(r.before[len(r.before)-1], "\n")
	}
	if r.last != '-' && len(r.after) > 0 {
		r.after[len(r.after)-1] = strings.TrimSuffix(r.after[len(r.after)-1], "\n")
	}
}

func (r *hunkReader) end() []hunk {
	if !r.changed {
		return nil
	}
	r.hunk.before, r.hunk.after = strings.Join(r.before, ""), strings.Join(r.after, "")
	return []hunk{r.hunk}
}

// changed returns the files that changes are about, with the lines at which they begin; nil: there are none.
func (v *view) changed(c *call, changes []event.FileChange) []Location {
	var locations []Location
	for _, change := range changes {
		at := Location{Path: v.pathOf(c, change.Path)}
		if hunks := hunksOf(change.Diff); change.Existed && change.Op != event.Deleted && len(hunks) > 0 {
			at.Line = hunks[0].line
		}
		locations = append(locations, at)
	}
	return locations
}

// relative returns a path as titles have it: below the folder of the call from there.
func (v *view) relative(c *call, path string) string {
	if inHome(path) {
		return shorten.OneLine(path)
	}
	dir, at := v.dirOf(c), v.pathOf(c, path)
	if at == dir {
		return "."
	}
	return shorten.OneLine(strings.TrimPrefix(at, dir+"/"))
}
