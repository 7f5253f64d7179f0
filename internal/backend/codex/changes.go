package codex

import (
	"strings"

	"parley.dev/parley/internal/backend"
)

// pathsOf returns the files that changes concern.
func pathsOf(changes []fileChange) (paths []string) {
	for _, c := range changes {
		paths = append(paths, c.Path)
		if c.Kind.MovePath != "" {
			paths = append(paths, c.Kind.MovePath)
		}
	}
	return paths
}

// hunks returns the hunks of an update. The agent writes a line after those of a file that moves.
func (c fileChange) hunks() string {
	hunks := c.Diff
	if c.Kind.MovePath != "" {
		hunks, _, _ = strings.Cut(hunks, "\n\nMoved to: ")
		if hunks != "" && !strings.HasSuffix(hunks, "\n") {
			hunks += "\n"
		}
	}
	return hunks
}

// editsOf returns what changes have done to files. A file that moves is deleted, and changed at its new path.
func editsOf(changes []fileChange) (edits []backend.Edit) {
	for _, c := range changes {
		switch c.Kind.Type {
		case "add":
			edits = append(edits, backend.Edit{Path: c.Path, After: c.Diff})
		case "delete":
			edits = append(edits, backend.Edit{Path: c.Path, Before: &c.Diff, Deleted: true})
		default:
			path := c.Path
			if c.Kind.MovePath != "" {
				edits = append(edits, backend.Edit{Path: path, Deleted: true})
				path = c.Kind.MovePath
			}
			edits = append(edits, backend.Edit{Path: path, Diff: firstOf(c.hunks(), "\n")})
		}
	}
	return edits
}

// changesText returns changes as a list.
func changesText(changes []fileChange) string {
	letters := map[string]string{"add": "A ", "delete": "D "}
	var lines []string
	for _, c := range changes {
		line := firstOf(letters[c.Kind.Type], "M ") + c.Path
		if c.Kind.MovePath != "" {
			line += " -> " + c.Kind.MovePath
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// patchOf returns changes as a patch in the format of our own tool for patches, which is that of the agent's.
func patchOf(changes []fileChange) string {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n")
	for _, c := range changes {
		switch c.Kind.Type {
		case "add":
			b.WriteString("*** Add File: " + c.Path + "\n")
			for line := range strings.Lines(c.Diff) {
				b.WriteString("+" + strings.TrimSuffix(line, "\n") + "\n")
			}
		case "delete":
			b.WriteString("*** Delete File: " + c.Path + "\n")
		default:
			b.WriteString("*** Update File: " + c.Path + "\n")
			if c.Kind.MovePath != "" {
				b.WriteString("*** Move to: " + c.Kind.MovePath + "\n")
			}
			for line := range strings.Lines(c.hunks()) {
				switch {
				case strings.HasPrefix(line, "@@"):
					b.WriteString("@@\n")
				case line[0] != '\\': // of a last line without its end
					b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
				}
			}
		}
	}
	b.WriteString("*** End Patch")
	return b.String()
}
