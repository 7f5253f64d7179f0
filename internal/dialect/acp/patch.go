package acp

import (
	"slices"
	"strings"
)

// This file shows what a patch does, as far as its heads of files say it.

// A section is the part of a patch about one file.
type section struct {
	verb   string // Edit, Delete, Move
	path   string
	moveTo string
	hunks  bool // lines of the file change
}

// sectionHeads are the lines that begin a section.
var sectionHeads = map[string]string{"*** Add File: ": "Edit", "*** Update File: ": "Edit", "*** Delete File: ": "Delete"}

// sectionsOf returns the sections of a patch. What is no patch has none.
func sectionsOf(patch string) []section {
	var all []section
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		for head, verb := range sectionHeads {
			if path, ok := strings.CutPrefix(line, head); ok {
				all = append(all, section{verb: verb, path: strings.TrimSpace(path)})
			}
		}
		if len(all) == 0 {
			continue
		}
		last := &all[len(all)-1]
		if to, ok := strings.CutPrefix(line, "*** Move to: "); ok {
			last.verb, last.moveTo = "Move", strings.TrimSpace(to)
		}
		if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
			last.hunks = true
		}
	}
	return all
}

// patchKind returns the kind of a patch that only deletes, or only renames; "": it is neither.
func patchKind(sections []section) ToolKind {
	only := func(is func(section) bool) bool {
		return len(sections) > 0 && !slices.ContainsFunc(sections, func(s section) bool { return !is(s) })
	}
	switch {
	case only(func(s section) bool { return s.verb == "Delete" }):
		return KindDelete
	case only(func(s section) bool { return s.verb == "Move" && !s.hunks }):
		return KindMove
	}
	return ""
}

// patchTitle returns the title of a patch; "" if it changes nothing.
func (v *view) patchTitle(c *call, sections []section) string {
	var parts []string
	verb := ""
	for _, s := range sections {
		part := v.relative(c, s.path)
		if s.moveTo != "" {
			part += " to " + v.relative(c, s.moveTo)
		}
		if s.verb != verb {
			part = s.verb + " " + part
		}
		verb = s.verb
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}
