package acp

import (
	"cmp"
	"strings"

	shorten "parley.dev/parley/internal/text"
)

// This file describes our tools to people.

// titleLimit is the length of a title, in bytes.
const titleLimit = 200

var kinds = map[string]ToolKind{
	toolRead: KindRead, toolList: KindSearch, toolGlob: KindSearch, toolGrep: KindSearch, toolWrite: KindEdit, toolEdit: KindEdit, toolPatch: KindEdit,
	toolShell: KindExecute, toolBackground: KindExecute, toolFetch: KindFetch, toolSearch: KindFetch,
}

// kindOf returns what a call does.
func kindOf(c *call) ToolKind {
	if c.Server != "" {
		return KindOther
	}
	return cmp.Or(kinds[c.Tool], KindOther)
}

// titleOf returns the title of a call.
func (v *view) titleOf(c *call) string {
	title := c.Name
	switch {
	case c.Server != "":
		title = c.Server + ": " + c.Tool
	case c.args.Command != "":
		title, _, _ = strings.Cut(strings.TrimSpace(c.args.Command), "\n")
	case c.Tool == toolRead:
		title = "Read " + c.args.Path
	case c.Tool == toolWrite, c.Tool == toolEdit:
		title = "Edit " + c.args.Path
	case c.Tool == toolGlob, c.Tool == toolGrep:
		title = `Search "` + c.args.Pattern + `"`
		if c.args.Path != "" {
			title += " in " + c.args.Path
		}
	case c.Tool == toolList:
		title = "List " + cmp.Or(c.args.Path, ".")
	case c.Tool == toolFetch:
		title = c.args.URL
	case c.Tool == toolSearch:
		title = c.args.Query
	}
	return shorten.Clip(oneLine(title), titleLimit, "…")
}

// locations returns the file that a call is about.
func (v *view) locations(c *call) []Location {
	if c.Server != "" || c.args.Path == "" {
		return nil
	}
	switch c.Tool {
	case toolRead:
		return []Location{{v.absolute(c.args.Path), c.args.Offset}}
	case toolWrite, toolEdit:
		return []Location{{Path: v.absolute(c.args.Path)}}
	}
	return nil
}
