package acp

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/lazy"
	shorten "parley.dev/parley/internal/text"
)

// This file describes calls of our tools to users.

// titleLimit is the length of a title, in characters.
const titleLimit = 200

// arguments is what is shown of the inputs of our tools.
type arguments struct {
	Action    string `json:"action"`
	Command   string `json:"command"`
	Dir       string `json:"dir"`
	ID        string `json:"id"`
	Input     string `json:"input"`
	Limit     int    `json:"limit"`
	Name      string `json:"name"`
	Offset    int    `json:"offset"`
	Path      string `json:"path"`
	Pattern   string `json:"pattern"`
	Plan      string `json:"plan"`
	Query     string `json:"query"`
	URL       string `json:"url"`
	Questions []struct {
		Question string `json:"question"`
	} `json:"questions"`
	Tasks []struct {
		Description string `json:"description"`
	} `json:"tasks"`
}

var kinds = lazy.Value[map[string]ToolKind]{New: func() map[string]ToolKind {
	return map[string]ToolKind{
		toolRead: KindRead, toolList: KindSearch, toolGlob: KindSearch, toolGrep: KindSearch, toolWrite: KindEdit, toolEdit: KindEdit, toolPatch: KindEdit,
		toolShell: KindExecute, toolBackground: KindExecute, toolFetch: KindFetch, toolSearch: KindFetch, toolTask: KindThink, toolLeavePlan: KindSwitchMode,
	}
}}

// kindOf returns what a call does.
func kindOf(c *call) ToolKind {
	if c.Server != "" {
		return KindOther
	}
	kind := cmp.Or(kinds.Get()[c.Tool], KindOther)
	if c.Tool == toolPatch {
		kind = cmp.Or(patchKind(sectionsOf(c.args.Input)), kind)
	}
	return kind
}

// titles are the titles of calls of our tools; "": the input does not have what it takes.
var titles = lazy.Value[map[string]func(*view, *call) string]{New: func() map[string]func(*view, *call) string {
	return map[string]func(*view, *call) string{
		toolRead: func(v *view, c *call) string {
			return about("Read ", v.relative(c, c.args.Path), c.args.Path) + linesRead(c.args)
		},
		toolWrite: func(v *view, c *call) string { return about("Edit ", v.relative(c, c.args.Path), c.args.Path) },
		toolEdit:  func(v *view, c *call) string { return about("Edit ", v.relative(c, c.args.Path), c.args.Path) },
		toolPatch: func(v *view, c *call) string { return v.patchTitle(c, sectionsOf(c.args.Input)) },
		toolGlob:  searchTitle,
		toolGrep:  searchTitle,
		toolList: func(v *view, c *call) string {
			return "List " + v.relative(c, cmp.Or(c.args.Path, "."))
		},
		toolShell:      func(_ *view, c *call) string { return firstLine(c.args.Command) },
		toolBackground: func(_ *view, c *call) string { return backgroundTitle(c.args) },
		toolFetch:      func(_ *view, c *call) string { return c.args.URL },
		toolSearch:     func(_ *view, c *call) string { return c.args.Query },
		toolSkill:      func(_ *view, c *call) string { return about("Skill ", c.args.Name, c.args.Name) },
		toolAsk: func(_ *view, c *call) string {
			if len(c.args.Questions) == 0 {
				return ""
			}
			return c.args.Questions[0].Question
		},
		toolLeavePlan: func(*view, *call) string { return "Ready to build" },
		toolTask: func(_ *view, c *call) string {
			if len(c.args.Tasks) == 0 {
				return ""
			}
			return c.args.Tasks[0].Description
		},
	}
}}

// titleOf returns the title of a call: the name of the tool if the input says no more.
func (v *view) titleOf(c *call) string {
	title := ""
	switch make := titles.Get()[c.Tool]; {
	case c.Server != "":
		title = c.Server + ": " + c.Tool
	case make != nil && !c.broken:
		title = make(v, c)
	}
	return shorten.ClipRunes(oneLine(visible(cmp.Or(oneLine(title), c.Name))), titleLimit, "…")
}

// about returns a title with what it is about; "" if that is missing.
func about(verb, shown, given string) string {
	if given == "" {
		return ""
	}
	return verb + shown
}

// linesRead returns the lines that are read; "" if it is all.
func linesRead(a arguments) string {
	switch first := max(a.Offset, 1); {
	case a.Path == "":
		return ""
	case a.Limit == 1:
		return fmt.Sprintf(" (line %d)", first)
	case a.Limit > 0:
		return fmt.Sprintf(" (lines %d-%d)", first, first+a.Limit-1)
	case first > 1:
		return fmt.Sprintf(" (from line %d)", first)
	}
	return ""
}

func searchTitle(v *view, c *call) string {
	if c.args.Pattern == "" {
		return ""
	}
	title := `Search "` + c.args.Pattern + `"`
	if c.args.Path != "" {
		title += " in " + v.relative(c, c.args.Path)
	}
	return title
}

func firstLine(command string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(command), "\n")
	return line
}

func backgroundTitle(a arguments) string {
	switch a.Action {
	case "start":
		return firstLine(a.Command)
	case "read":
		return about("Read the output of ", a.ID, a.ID)
	case "write":
		return about("Write to ", a.ID, a.ID)
	case "stop":
		return about("Stop ", a.ID, a.ID)
	case "list":
		return "List background commands"
	}
	return ""
}

// locations returns the files that a call is about, as far as its input names them.
func (v *view) locations(c *call) []Location {
	if c.Server != "" || c.broken {
		return nil
	}
	switch c.Tool {
	case toolRead:
		return v.located(c, Location{c.args.Path, c.args.Offset})
	case toolWrite, toolEdit:
		return v.located(c, Location{Path: c.args.Path})
	case toolPatch:
		var files []Location
		for _, s := range sectionsOf(c.args.Input) {
			files = append(files, Location{Path: cmp.Or(s.moveTo, s.path)})
		}
		return v.located(c, files...)
	}
	return nil
}

// located returns locations with absolute paths. Below the folder of the user, whose name the model does not know, there
// are none.
func (v *view) located(c *call, files ...Location) []Location {
	var all []Location
	for _, f := range files {
		if f.Path == "" || inHome(f.Path) {
			continue
		}
		f.Path = v.pathOf(c, f.Path)
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all
}

// inHome reports whether a model means a path below the folder of the user.
func inHome(path string) bool { return path == "~" || strings.HasPrefix(path, "~/") }

// dirOf returns the folder that a call works in.
func (v *view) dirOf(c *call) string { return cmp.Or(c.dir, v.dir) }

// pathOf returns a path of a call as clients have it.
func (v *view) pathOf(c *call, path string) string {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(v.dirOf(c), path)
	}
	return filepath.Clean(path)
}
