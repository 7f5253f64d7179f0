package approval

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// A FileEffect is what a call would do to a file, computed before the approval.
type FileEffect struct {
	Path      string   `json:"path"` // relative to the workspace with "/", absolute if outside
	Op        string   `json:"op"`   // created, updated or deleted
	Before    int64    `json:"before,omitzero"`
	After     int64    `json:"after,omitzero"` // bytes, as Before
	Added     int      `json:"added,omitzero"`
	Removed   int      `json:"removed,omitzero"`   // lines, as Added
	Diff      string   `json:"diff,omitzero"`      // unified; "" of binary and very large files
	Invisible []string `json:"invisible,omitzero"` // the names of invisible characters in the new text
}

// String returns the effect as one phrase that does not name the file.
func (f FileEffect) String() string {
	lines := ""
	if f.Added+f.Removed > 0 {
		lines = fmt.Sprintf(", +%d -%d lines", f.Added, f.Removed)
	}
	text, sizes := "existing file", byteCount(f.Before)+" to "+byteCount(f.After)
	switch f.Op {
	case "created":
		text, sizes, lines = "new file", byteCount(f.After), ""
	case "deleted":
		text, sizes, lines = "deletes the file", byteCount(f.Before), ""
	}
	if f.Before+f.After > 0 || f.Added+f.Removed == 0 { // else they are not known
		text += ", " + sizes
	}
	text += lines
	if len(f.Invisible) > 0 {
		text += "; " + invisibleText("its new text", f.Invisible)
	}
	return text
}

func byteCount(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// Details returns what the user has to know before deciding about r, one phrase each: reason,
// which is why approval is requested ("" if every call needs it), the programs of a command line
// that runs several, the model's reason for leaving the sandbox, the effects on files, paths outside the workspace, the host of the URL, and
// invisible characters.
func (r Request) Details(reason string, files []FileEffect) []string {
	var all []string
	if reason != "" {
		all = append(all, reason)
	}
	if r.Justification != "" {
		all = append(all, "the model's reason: "+r.Justification)
	}
	if programs := Programs(r.Command); len(programs) > 1 {
		all = append(all, "runs "+strings.Join(programs, ", "))
	}
	for _, f := range files {
		if len(r.Paths) == 1 && len(files) == 1 {
			all = append(all, f.String())
			continue
		}
		all = append(all, f.Path+": "+f.String())
	}
	for _, p := range r.Paths {
		switch {
		case p.Path == r.Dir && r.Command != "", strings.Contains(reason, p.Path):
		case p.Protected:
			all = append(all, p.Path+" is protected")
		case p.Outside:
			all = append(all, p.Path+" is outside the workspace")
		}
	}
	if u, err := url.Parse(r.URL); err == nil && u.Host != "" && !strings.Contains(reason, "network") {
		all = append(all, "reaches the network: "+u.Host)
	}
	if invisible := r.Invisible(); invisible != "" {
		all = append(all, invisible)
	}
	return all
}

// Programs returns what a shell line runs, each once and in the order of the line: the name of
// the program, with its subcommand if the line has several commands, and the whole command if
// it runs another program or a script. A line that cannot be parsed is returned as it is.
func Programs(line string) []string {
	if strings.TrimSpace(line) == "" {
		return nil
	}
	commands, _ := simpleCommands(line) // hidden parts of a command are in its words
	if len(commands) == 0 {
		return []string{strings.TrimSpace(line)}
	}
	var all []string
	for _, command := range commands {
		if label := programLabel(command, len(commands) > 1); !slices.Contains(all, label) {
			all = append(all, label)
		}
	}
	return all
}

func programLabel(command string, several bool) string {
	args := strings.Fields(command)
	m := wildcardRulesOf(args)
	switch at := m.position(args); {
	case m.refusal != "":
		return command
	case !several || at >= len(args):
		return args[0]
	case m.operand:
		return command
	case m.first != nil:
		return args[0] + " " + args[at]
	}
	return args[0]
}
