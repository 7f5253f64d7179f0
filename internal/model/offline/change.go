package offline

import "strings"

// create writes a new file of one text.
func (t turn) create(groups []string) reply {
	file, content := word(groups[1]), word(groups[2])
	if !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	if len(t.rounds) == 0 {
		return t.do(t.tools.write(file, content), "I write %d bytes to %s.", len(content), file)
	}
	return reportChange(file, t.rounds[0].result)
}

// replace reads a file, then replaces a text wherever it stands in it.
func (t turn) replace(groups []string) reply {
	old, fresh, file := word(groups[1]), word(groups[2]), tidy(groups[3])
	if len(t.rounds) == 0 {
		return t.do(t.tools.read(file), "I read %s before I change it.", file)
	}
	read := t.rounds[0].result
	if read.IsError {
		return reportFailure(read)
	}
	if len(t.rounds) > 1 {
		return reportChange(file, t.rounds[1].result)
	}
	content := plain(read.Text)
	n := strings.Count(content, old)
	if n == 0 {
		return say("%s does not contain %q, so I changed nothing.", file, old)
	}
	return t.do(t.tools.edit(file, content, old, fresh, n > 1), "%s contains %q %s; I replace it with %q.", file, old, times(n), fresh)
}
