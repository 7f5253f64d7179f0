package acp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
)

// input has the members of inputs that agents use; of another type they are not known.
type input struct {
	Command   jsontext.Value `json:"command"`
	Cwd       jsontext.Value `json:"cwd"`
	Workdir   jsontext.Value `json:"workdir"`
	Path      jsontext.Value `json:"path"`
	FilePath  jsontext.Value `json:"file_path"`
	FilePath2 jsontext.Value `json:"filePath"`
	URL       jsontext.Value `json:"url"`
	Content   jsontext.Value `json:"content"`
	Old       jsontext.Value `json:"old_string"`
	Old2      jsontext.Value `json:"oldString"`
	New       jsontext.Value `json:"new_string"`
	New2      jsontext.Value `json:"newString"`
	Pattern   jsontext.Value `json:"pattern"`
}

func (c *call) input() (in input) {
	_ = json.Unmarshal(c.RawInput, &in) // what is no object has no members
	return in
}

// hasInput reports whether the agent has reported the input of a call. The folder of a command is none yet: opencode reports it first.
func (c *call) hasInput() bool {
	var members map[string]jsontext.Value
	if c.RawInput.Kind() != jsontext.KindBeginObject || json.Unmarshal(c.RawInput, &members) != nil {
		return len(c.RawInput) > 0
	}
	if c.ToolKind == "execute" {
		delete(members, "cwd")
		delete(members, "workdir")
	}
	return len(members) > 0
}

// textIn returns the first of the values that is a text.
func textIn(values ...jsontext.Value) string {
	text, _ := findText(values...)
	return text
}

// findText returns the first of the values that is a text, also an empty one.
func findText(values ...jsontext.Value) (text string, ok bool) {
	for _, v := range values {
		if v.Kind() == jsontext.KindString && json.Unmarshal(v, &text) == nil {
			return text, true
		}
	}
	return "", false
}

func (in input) dir() string  { return textIn(in.Cwd, in.Workdir) }
func (in input) path() string { return textIn(in.FilePath, in.FilePath2, in.Path) }

// command returns the command of a call as shell text: agents send a text, or the words.
func (in input) command() string {
	if text, ok := findText(in.Command); ok {
		return text
	}
	var words []string
	if in.Command == nil || json.Unmarshal(in.Command, &words) != nil {
		return ""
	}
	if len(words) == 3 && (words[1] == "-lc" || words[1] == "-c") {
		return words[2]
	}
	for i, word := range words {
		words[i] = quoted(word)
	}
	return strings.Join(words, " ")
}

// editorCommands are what the tool of editors that models of Anthropic know has in its member command.
var editorCommands = []string{"view", "create", "str_replace", "insert", "undo_edit"}

// command returns the command that a call runs; "": none. A call of another kind whose input has a command runs it.
func (c *call) command(in input) string {
	command := in.command()
	switch {
	case c.ToolKind == "execute":
		return cmp.Or(command, c.Title)
	case c.ToolKind == "other" || c.ToolKind == "", slices.Contains(editorCommands, command) && len(c.paths()) > 0:
		return ""
	}
	return command
}

// quoted returns a word for a shell.
func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"\\$`&|;<>()*?[]{}~#!") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// paths returns the files that a call names.
func (c *call) paths() []string {
	var all []string
	for _, l := range c.Locations {
		if l.Path != "" {
			all = append(all, l.Path)
		}
	}
	if p := c.input().path(); len(all) == 0 && p != "" {
		all = append(all, p)
	}
	return all
}

// begin returns the call with what it needs.
func (c *call) begin() backend.Call {
	in := c.input()
	b := backend.Call{ID: c.ID, Name: cmp.Or(c.Name, c.Title, c.ToolKind, "tool")}
	b.Summary = cmp.Or(c.Title, b.Name)
	b.Level = approval.Execute
	b.Command = c.command(in)
	switch c.ToolKind {
	case "execute":
	case "edit", "delete", "move":
		b.Level, b.Paths = approval.Write, c.paths()
	case "read", "search":
		b.Level, b.Paths = approval.Read, c.paths()
	case "think", "switch_mode":
		b.Level = approval.Read
	case "fetch":
		b.Level, b.URL = approval.Read, textIn(in.URL)
	}
	if b.Command != "" { // whatever kind the agent reports
		b.Level, b.Dir = approval.Execute, in.dir()
	}
	var own any
	if b.Tool, own = c.ownTool(in); b.Tool != "" {
		b.Input, _ = json.Marshal(own, json.Deterministic(true)) // of texts that were JSON: cannot fail
	} else if b.Input = c.RawInput; b.Input == nil {
		b.Input = jsontext.Value("{}")
	}
	return b
}

// ownTool returns our own tool that does what a call does, and its input; "": there is none, or the agent does not report enough.
func (c *call) ownTool(in input) (name string, own any) {
	path := in.path()
	if path == "" && len(c.Locations) == 1 {
		path = c.Locations[0].Path
	}
	if command := c.command(in); command != "" {
		own := map[string]string{"command": command}
		if dir := in.dir(); dir != "" {
			own["dir"] = dir
		}
		return "shell", own
	}
	switch c.ToolKind {
	case "read":
		if path != "" {
			return "read", map[string]string{"path": path}
		}
	case "edit":
		return c.ownEdit(in, path)
	case "search":
		name := strings.ToLower(cmp.Or(c.Name, c.Title))
		if pattern := textIn(in.Pattern); pattern != "" && (name == "grep" || name == "glob") {
			own := map[string]string{"pattern": pattern}
			if path != "" {
				own["path"] = path
			}
			return name, own
		}
	case "fetch":
		if address := textIn(in.URL); address != "" {
			return "fetch", map[string]string{"url": address}
		}
	}
	return "", nil
}

// ownEdit returns our own tool for a change of a file: from the input, or from the diff that the agent reports.
func (c *call) ownEdit(in input, path string) (name string, own any) {
	from, hasFrom := findText(in.Old, in.Old2)
	to, hasTo := findText(in.New, in.New2)
	whole, hasWhole := findText(in.Content)
	if !hasWhole && !(hasFrom && hasTo) && len(c.diffs) == 1 {
		d := c.diffs[0]
		path = cmp.Or(path, d.Path)
		if d.OldText == nil {
			whole, hasWhole = d.NewText, true
		} else {
			from, to, hasFrom, hasTo = *d.OldText, d.NewText, true, true
		}
	}
	switch {
	case path == "":
	case hasFrom && hasTo:
		return "edit", map[string]string{"path": path, "old": from, "new": to}
	case hasWhole:
		return "write", map[string]string{"path": path, "content": whole}
	}
	return "", nil
}
