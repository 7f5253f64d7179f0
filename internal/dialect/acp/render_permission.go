package acp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/invisible"
	shorten "parley.dev/parley/internal/text"
)

// This file shows requests for approvals.

// approvalAsked asks the client about a call.
func (v *view) approvalAsked(e event.ApprovalAsked) {
	c := v.turn.calls.open(string(e.Call))
	if c == nil || e.Unattended {
		return
	}
	c = v.takePending(c, e)
	v.reveal(c)
	v.show(approvalRequest{e.ID, v.permission(c, e)})
}

// permission returns the request for an approval of a call.
func (v *view) permission(c *call, e event.ApprovalAsked) PermissionParams {
	shown := ToolCall{
		ToolCallID: c.id, Title: v.titleOf(c), Kind: kindOf(c), Status: ToolPending, Locations: c.locations, RawInput: dialect.Object(c.runs(e)),
		Content: v.diffs(c, c.proposed), Meta: c.meta(),
	}
	if c.leavesPlan() && c.args.Plan != "" {
		shown.Content = append(shown.Content, textOfTool(firstPart(c.args.Plan)))
	}
	if at := v.changed(c, c.proposed); at != nil {
		shown.Locations, c.locations = at, at
	}
	if details := detailsOf(c, e); details != "" {
		shown.Content = append(shown.Content, textOfTool(details))
	}
	if c.leavesPlan() {
		return PermissionParams{ToolCall: shown, Options: slices.Clone(planOptions)}
	}
	return PermissionParams{ToolCall: shown, Options: v.permissionOptions(c, e.Request)}
}

// planOptions are the answers to a plan: the mode in which it is carried out, or the one in which the model goes on planning.
var planOptions = []PermissionOption{
	{modeAutoEdit, "Yes, accept edits", AllowAlways},
	{modeAsk, "Yes, ask before changes", AllowOnce},
	{modePlan, "No, keep planning", RejectOnce},
}

// leavesPlan reports whether the call asks to leave the mode "plan".
func (c *call) leavesPlan() bool { return c.Tool == toolLeavePlan && c.Server == "" }

// runs returns the input that an approval of the call is about.
func (c *call) runs(e event.ApprovalAsked) jsontext.Value {
	if isPermit(e.Request) {
		return c.Input
	}
	return e.Input
}

// isPermit reports whether a request is about something besides what a call does by itself: its summary says what.
func isPermit(r approval.Request) bool { return r.Level == approval.Admin && r.Summary != "" }

// detailsOf returns what the user has to know besides the call and its diffs; "": nothing.
func detailsOf(c *call, e event.ApprovalAsked) string {
	files := slices.DeleteFunc(slices.Clone(e.Files), func(f approval.FileEffect) bool {
		return len(f.Invisible) == 0 && slices.ContainsFunc(c.proposed, func(change event.FileChange) bool { return change.Path == f.Path })
	})
	reason := e.Reason
	if approval.Routine(reason) {
		reason = ""
	}
	details := e.Request.Details(reason, files)
	if isPermit(e.Request) {
		details = append([]string{e.Request.Summary}, details...)
	}
	if len(details) == 1 {
		return visible(details[0])
	}
	var lines strings.Builder
	for _, d := range details {
		lines.WriteString("- " + visible(d) + "\n")
	}
	return strings.TrimSuffix(lines.String(), "\n")
}

// permissionOptions returns the answers to a request. What no grant can cover is asked each time.
func (v *view) permissionOptions(c *call, r approval.Request) []PermissionOption {
	options := []PermissionOption{{optionAllowOnce, "Allow once", AllowOnce}}
	if grants := v.exact(r, approval.Session); len(grants) > 0 {
		options = append(options, PermissionOption{optionAllowSession, "Allow " + v.scopeOf(c, grants) + " for this session", AllowAlways})
	}
	if grants := v.exact(r, approval.Always); len(grants) > 0 {
		options = append(options, PermissionOption{optionAllowAlways, "Always allow " + v.scopeOf(c, grants) + " in this workspace", AllowAlways})
	}
	return append(options,
		PermissionOption{optionRejectOnce, "Reject", RejectOnce},
		PermissionOption{optionRejectSession, "Reject for this session", RejectAlways},
	)
}

// scopeShown is how long the description of a grant is, in characters.
const scopeShown = 80

// scopeOf describes what grants cover to the user.
func (v *view) scopeOf(c *call, grants []approval.Grant) string {
	var parts []string
	for _, g := range grants {
		parts = append(parts, v.targetOf(c, g.Target))
	}
	if n := len(parts); n > 3 {
		return fmt.Sprintf("%s, %s and %d more", parts[0], parts[1], n-2)
	}
	return strings.Join(parts, ", ")
}

func (v *view) targetOf(c *call, t approval.Target) string {
	switch t.Kind {
	case approval.TargetLine:
		line := "`" + brief(t.Command) + "`"
		if dir := filepath.Clean(t.Dir); dir != v.dirOf(c) {
			return line + " in " + visible(v.relative(c, dir))
		}
		return line
	case approval.TargetFile:
		return brief(v.relative(c, t.Path))
	case approval.TargetCall:
		name := t.Tool
		if c.Server == t.Server {
			name = c.Tool // as the server has it
		}
		return "this call of " + brief(t.Server+": "+name)
	}
	return brief(t.String())
}

// brief returns a text as one short line.
func brief(s string) string { return shorten.ClipRunes(oneLine(visible(s)), scopeShown, "…") }

// visible returns a text with signs in place of what is not seen as what it is.
func visible(s string) string {
	if !strings.ContainsFunc(s, invisible.Is) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if invisible.Is(r) {
			b.WriteString(invisible.Sign(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
