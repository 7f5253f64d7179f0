package tool

import (
	"cmp"
	"context"
	"path/filepath"
	"regexp"
	"strings"

	"parley.dev/parley/internal/event"
)

// heredoc is the first line of a command that gives a text to apply_patch, or to cat.
var heredoc = regexp.MustCompile(`^\s*(?:(cat|apply_patch|applypatch)\s*)?<<-?\s*(?:'(\w+)'|"(\w+)"|(\w+))\s*$`)

// unwrapPatch returns the lines of a patch without what models put around it: a fence of Markdown,
// or a heredoc of a shell.
func unwrapPatch(text string) string {
	text = strings.Trim(text, " \t\n")
	first, rest, _ := strings.Cut(text, "\n")
	last := ""
	if at := strings.LastIndexByte(rest, '\n'); at >= 0 {
		last = strings.TrimSpace(rest[at+1:])
	}
	switch doc := heredoc.FindStringSubmatch(first); {
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
	return unwrapPatch(rest)
}

// changeFolder is the beginning of a command that goes to a folder first. What the shell would expand does not match.
var changeFolder = regexp.MustCompile("^\\s*cd\\s+(?:'([^']+)'|\"([^\"$`\\\\]+)\"|([\\w./@%+,:=~-]+))\\s*&&\\s*")

var patchArgument = regexp.MustCompile(`(?s)^\s*(?:apply_patch|applypatch)\s+(?:'([^']*)'|"([^"$` + "`" + `\\]*)")\s*$`)

// commandPatch returns the patch of a command that does nothing but apply it, and the folder that the command
// goes to first, "" if it goes to none; false if the command does anything else.
func commandPatch(command string) (patch, folder string, ok bool) {
	if cd := changeFolder.FindStringSubmatch(command); cd != nil {
		folder, command = cd[1]+cd[2]+cd[3], command[len(cd[0]):]
		if folder == "-" || cd[3] == "" && strings.HasPrefix(folder, "~") || strings.HasPrefix(folder, "~") && folder != "~" && folder[1] != '/' {
			return "", "", false
		}
	}
	patch, ok = appliedPatch(command)
	return patch, folder, ok
}

// appliedPatch returns the patch that a command gives to apply_patch.
func appliedPatch(command string) (patch string, ok bool) {
	if argument := patchArgument.FindStringSubmatch(command); argument != nil {
		patch = argument[1] + argument[2]
		return patch, strings.HasPrefix(strings.TrimSpace(patch), patchBegin)
	}
	command = strings.Trim(command, " \t\n")
	first, rest, _ := strings.Cut(command, "\n")
	doc := heredoc.FindStringSubmatch(first)
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
	return body, strings.HasPrefix(strings.TrimSpace(body), patchBegin)
}

// A shellPatch is a call of the shell that does nothing but apply a patch: it is approved and
// run as that patch, and ends like a command.
type shellPatch struct {
	*patchCall
	env     *Env
	command string
	dir     string // that the command runs in
	folder  string // that the paths of the patch begin at, and the next command
}

// newShellPatch prepares a command that runs in dir and applies a patch in folder, if that is not "".
func newShellPatch(env *Env, command, dir, patch, folder string) (Call, error) {
	switch {
	case folder == "":
		folder = dir
	case !filepath.IsAbs(folder) && !strings.HasPrefix(folder, "~"):
		folder = dir + "/" + folder
	}
	in, err := env.commandDir(folder)
	if err != nil {
		return nil, err
	}
	call, err := preparePatch(env, patch, in.Path)
	if err != nil {
		return nil, err
	}
	return &shellPatch{call, env, command, dir, in.Path}, nil
}

func (c *shellPatch) Run(ctx context.Context, hooks Hooks) Result {
	r := c.patchCall.Run(ctx, hooks)
	c.env.Shell.enter(c.folder)
	r.Shell = &event.ShellRun{
		Command: c.command, Dir: c.dir, Shell: ownShell(), NextDir: cmp.Or(c.env.Shell.dir(), c.env.Workspace.Dir()),
	}
	if r.IsError {
		r.Shell.ExitCode = 1
	}
	return r
}
