package pi

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
)

// known is what is known of a call.
type known struct {
	tool    string // our own that does the same; "": there is none
	input   jsontext.Value
	content string // of a file that is written
	request backend.CallRequest
}

// toolArgs has the arguments of pi's tools.
type toolArgs struct {
	Path       string   `json:"path"`
	Command    string   `json:"command"`
	Timeout    float64  `json:"timeout"` // seconds
	Content    string   `json:"content"`
	Edits      []piEdit `json:"edits"`
	Old        string   `json:"oldText"` // older inputs have one edit in place of edits
	New        string   `json:"newText"`
	Offset     float64  `json:"offset"`
	Limit      float64  `json:"limit"`
	Pattern    string   `json:"pattern"`
	Glob       string   `json:"glob"`
	IgnoreCase bool     `json:"ignoreCase"`
	Literal    bool     `json:"literal"`
	Context    float64  `json:"context"`
}

type piEdit struct {
	Old string `json:"oldText"`
	New string `json:"newText"`
}

// The inputs of our own tools, as far as pi's say something about them.
type (
	shellInput struct {
		Command   string `json:"command"`
		TimeoutMS int64  `json:"timeout_ms,omitzero"`
	}
	readInput struct {
		Path   string `json:"path"`
		Offset int    `json:"offset,omitzero"`
		Limit  int    `json:"limit,omitzero"`
	}
	writeInput struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	editInput struct {
		Path  string     `json:"path"`
		Edits []editPart `json:"edits"`
	}
	editPart struct {
		Old string `json:"old"`
		New string `json:"new"`
	}
	grepInput struct {
		Pattern    string `json:"pattern"`
		Path       string `json:"path,omitzero"`
		Glob       string `json:"glob,omitzero"`
		Mode       string `json:"mode"`
		IgnoreCase bool   `json:"ignore_case,omitzero"`
		Context    int    `json:"context,omitzero"`
		HeadLimit  int    `json:"head_limit,omitzero"`
	}
	globInput struct {
		Pattern string `json:"pattern"`
		Path    string `json:"path,omitzero"`
	}
	listInput struct {
		Path  string `json:"path,omitzero"`
		Limit int    `json:"limit,omitzero"`
	}
)

// knownOf returns what is known of a call of a tool. One whose input is not that of pi's tool may do anything.
func knownOf(name string, args jsontext.Value, dir, home string) known {
	k := known{input: args, request: backend.CallRequest{Level: approval.Execute, Summary: name}}
	if len(k.input) == 0 {
		k.input = jsontext.Value("{}")
	}
	var a toolArgs
	if !decode(args, &a) {
		return k
	}
	own := k.own(name, a)
	if own == nil {
		return k
	}
	if input, err := json.Marshal(own); err == nil {
		k.input = input
	}
	r := &k.request
	switch {
	case r.Command != "":
		first, _, _ := strings.Cut(strings.TrimSpace(r.Command), "\n")
		r.Summary = "run " + first
	default:
		r.Paths = []string{resolve(a.Path, dir, home)}
		r.Summary = strings.TrimSpace(name + " " + a.Path)
	}
	return k
}

// own sets what tool of ours does what one of pi's does, and how much it may change, and returns the input of it; nil: none does.
func (k *known) own(name string, a toolArgs) any {
	set := func(tool string, level approval.Level) { k.tool, k.request.Level = tool, level }
	switch {
	case name == "bash" && a.Command != "":
		set("shell", approval.Execute)
		k.request.Command = a.Command
		return shellInput{a.Command, int64(a.Timeout * 1000)}
	case name == "read" && a.Path != "":
		set("read", approval.Read)
		return readInput{a.Path, int(a.Offset), int(a.Limit)}
	case name == "write" && a.Path != "":
		set("write", approval.Write)
		k.content = a.Content
		return writeInput{a.Path, a.Content}
	case name == "edit" && a.Path != "" && (len(a.Edits) > 0 || a.Old != ""):
		set("edit", approval.Write)
		in := editInput{Path: a.Path}
		for _, e := range a.Edits {
			in.Edits = append(in.Edits, editPart(e))
		}
		if a.Old != "" {
			in.Edits = append(in.Edits, editPart{a.Old, a.New})
		}
		return in
	case name == "grep" && a.Pattern != "":
		set("grep", approval.Read)
		if a.Literal {
			a.Pattern = regexp.QuoteMeta(a.Pattern)
		}
		return grepInput{a.Pattern, a.Path, a.Glob, "content", a.IgnoreCase, int(a.Context), int(a.Limit)}
	case name == "find" && a.Pattern != "":
		set("glob", approval.Read)
		return globInput{a.Pattern, a.Path}
	case name == "ls":
		set("list", approval.Read)
		return listInput{a.Path, int(a.Limit)}
	}
	return nil
}

// resolve returns the path that pi opens for one that a model wrote: without an @ before it, with a blank for other kinds of blanks,
// and below the home folder for ~.
func resolve(path, dir, home string) string {
	path = strings.Map(func(r rune) rune {
		switch {
		case r == 0xA0, 0x2000 <= r && r <= 0x200A, r == 0x202F, r == 0x205F, r == 0x3000:
			return ' '
		}
		return r
	}, strings.TrimPrefix(path, "@"))
	if path == "~" || strings.HasPrefix(path, "~"+string(os.PathSeparator)) {
		path = home + path[1:]
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}
