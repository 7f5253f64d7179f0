package patch

import (
	"strings"

	"parley.dev/parley/internal/lazy"
)

// heredoc is the first line of a command that gives a text to apply_patch, or to cat.
var heredoc = lazy.Regexp{Expr: `^\s*(?:(cat|apply_patch|applypatch)\s*)?<<-?\s*(?:'(\w+)'|"(\w+)"|(\w+))\s*$`}

// unwrap returns the lines of a patch without what models put around it: a fence of Markdown,
// or a heredoc of a shell.
func unwrap(text string) string {
	text = strings.Trim(text, " \t\n")
	first, rest, _ := strings.Cut(text, "\n")
	last := ""
	if at := strings.LastIndexByte(rest, '\n'); at >= 0 {
		last = strings.TrimSpace(rest[at+1:])
	}
	switch doc := heredoc.Get().FindStringSubmatch(first); {
	case strings.HasPrefix(first, "```"):
		if last == "```" {
			rest = rest[:strings.LastIndexByte(rest, '\n')]
		}
	case doc != nil:
		if word := doc[2] + doc[3] + doc[4]; last == word {
			rest = rest[:strings.LastIndexByte(rest, '\n')]
		}
	default:
		return text
	}
	return unwrap(rest)
}

// changeFolder is the beginning of a command that goes to a folder first. What the shell would expand does not match.
var changeFolder = lazy.Regexp{Expr: "^\\s*cd\\s+(?:'([^']+)'|\"([^\"$`\\\\]+)\"|([\\w./@%+,:=~-]+))\\s*&&\\s*"}

var argument = lazy.Regexp{Expr: `(?s)^\s*(?:apply_patch|applypatch)\s+(?:'([^']*)'|"([^"$` + "`" + `\\]*)")\s*$`}

// FromCommand returns the patch of a command that does nothing but apply it, and the folder that the command
// goes to first, "" if it goes to none; false if the command does anything else.
func FromCommand(command string) (patch, folder string, ok bool) {
	if cd := changeFolder.Get().FindStringSubmatch(command); cd != nil {
		folder, command = cd[1]+cd[2]+cd[3], command[len(cd[0]):]
		if folder == "-" || cd[3] == "" && strings.HasPrefix(folder, "~") || strings.HasPrefix(folder, "~") && folder != "~" && folder[1] != '/' {
			return "", "", false
		}
	}
	patch, ok = applied(command)
	return patch, folder, ok
}

// applied returns the patch that a command gives to apply_patch.
func applied(command string) (patch string, ok bool) {
	if argument := argument.Get().FindStringSubmatch(command); argument != nil {
		patch = argument[1] + argument[2]
		return patch, strings.HasPrefix(strings.TrimSpace(patch), begin)
	}
	command = strings.Trim(command, " \t\n")
	first, rest, _ := strings.Cut(command, "\n")
	doc := heredoc.Get().FindStringSubmatch(first)
	if doc == nil || doc[1] != "apply_patch" && doc[1] != "applypatch" {
		return "", false
	}
	body, found := strings.CutSuffix(rest, "\n"+doc[2]+doc[3]+doc[4])
	if !found || doc[4] != "" && strings.ContainsAny(body, "$`\\") { // the shell would expand it
		return "", false
	}
	for line := range strings.SplitSeq(body, "\n") {
		if line == doc[2]+doc[3]+doc[4] {
			return "", false // commands follow the text
		}
	}
	return body, strings.HasPrefix(strings.TrimSpace(body), begin)
}
