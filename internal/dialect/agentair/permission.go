package agentair

import (
	"cmp"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
)

// This file shows what calls need, and questions.

// askOpen asks for everything that waits.
func (v *view) askOpen() []any {
	v.out = nil
	var open []*call
	for _, c := range v.step {
		if c.approval != nil {
			open = append(open, c)
		}
	}
	v.ask(open...)
	for _, q := range v.questions {
		v.question(q)
	}
	return v.out
}

// ask asks for what is pending of calls: one thing as such, several as a batch unless
// view.single is set.
func (v *view) ask(calls ...*call) {
	var all []pendingPermission
	for _, c := range calls {
		if c.approval != nil {
			all = append(all, pendingPermission{string(c.Call), c.approval.ID, c.approval.Request, wantedBy(c), requestOf(c)})
		}
	}
	if len(all) < 2 || v.single {
		for i, p := range all {
			m := PermissionRequired{ToolUseID: p.id, Request: p.request, SessionID: v.session, TurnMore: v.turnMore()}
			v.out = append(v.out, permissionMessage{m, p.id, false, all[i : i+1 : i+1]})
		}
		return
	}
	m := BatchPermissionRequired{BatchID: v.batch(), SessionID: v.session}
	for _, p := range all {
		m.Requests = append(m.Requests, p.request)
	}
	if v.extended {
		m.BatchMore = &BatchMore{SuggestedGrants: suggestions(m.Requests), TurnID: v.turnID()}
	}
	v.out = append(v.out, permissionMessage{m, m.BatchID, true, all})
}

var levels = map[approval.Level]PermissionLevel{
	approval.Read: LevelRead, approval.Write: LevelWrite, approval.Execute: LevelExecute, approval.Admin: LevelAdmin,
}

// requestOf returns what a call needs, as clients see it.
func requestOf(c *call) PermissionRequest {
	r := c.approval.Request
	p := PermissionRequest{ID: string(c.Call), ToolName: c.Name, Level: levels[r.Level], TargetType: TargetCommand}
	switch {
	case r.Server != "":
		p.Target, p.Level, p.Description = "tool:"+c.Name, LevelExecute, "Use "+c.Name
	case r.Command != "":
		p.Target, p.Description = r.Command, "Run "+strings.Join(approval.Programs(r.Command), ", ")
	case r.URL != "":
		p.TargetType, p.Target, p.Level = TargetDomain, hostOf(r.URL), LevelRead
		p.Description = "Fetch " + r.URL
	case len(r.Paths) > 0:
		path := r.Paths[0]
		p.TargetType, p.Target, p.Recursive = TargetPath, path.Path, path.Recursive
		p.Description = "Read "
		if path.Write {
			p.Description = "Write "
		}
		for i, path := range r.Paths { // the target is the first; what is approved is all of them
			if i > 0 {
				p.Description += ", "
			}
			p.Description += path.Path
		}
	default:
		p.Target, p.Description = "tool:"+c.Name, cmp.Or(r.Summary, "Use "+c.Name)
	}
	if invisible := r.Invisible(); invisible != "" {
		p.Description += " (" + invisible + ")" // small dialogs show only this
	}
	if c.Name == permissionsTool {
		p.Description += ", for the rest of the session: " + r.Summary
	}
	if reason := strings.Join(c.approval.Details(), "; "); reason != "" {
		p.Reason = &reason
	}
	return p
}

// wantedBy returns the grants that a call requests; nil if it requests none.
func wantedBy(c *call) []approval.Grant {
	r := c.approval.Request
	switch {
	case c.Name != permissionsTool:
		return nil
	case r.Command != "":
		return []approval.Grant{{
			Target: approval.Target{Kind: approval.TargetCommand, Pattern: r.Command}, Level: approval.Execute, Scope: approval.Session,
		}}
	}
	return grantsFor(r)
}

// hostOf returns the host of an address, with its port unless that is the usual one.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	if u.Port() == usualPorts[u.Scheme] {
		return strings.ToLower(u.Hostname())
	}
	return strings.ToLower(u.Host)
}

var usualPorts = map[string]string{"http": "80", "https": "443"}

// suggestions returns grants that would cover the requests, as far as that can be put shortly: a
// folder, a host, the first word of commands.
func suggestions(requests []PermissionRequest) []Grant {
	grants := []Grant{}
	seen := map[string]int{}
	for _, r := range requests {
		g := Grant{Level: r.Level}
		switch r.TargetType {
		case TargetPath:
			folder := r.Target
			if !r.Recursive {
				folder = r.Target[:max(1, strings.LastIndexByte(r.Target, '/'))]
			}
			g.Target = GrantTarget{Type: GrantPath, Path: folder, Recursive: r.Recursive}
		case TargetDomain:
			g.Target = GrantTarget{Type: GrantDomain, Pattern: r.Target}
		default:
			word, _, several := strings.Cut(r.Target, " ")
			if several {
				word += " *"
			}
			g.Target = GrantTarget{Type: GrantCommand, Pattern: word}
			if _, err := toGrant(g, time.Time{}); err != nil || !plainWord.Get().MatchString(word) {
				continue // it stands for more than it says
			}
		}
		key := string(g.Target.Type) + g.Target.Path + g.Target.Pattern
		if i, ok := seen[key]; ok {
			if rank(g.Level) > rank(grants[i].Level) {
				grants[i].Level = g.Level
			}
			grants[i].Target.Recursive = r.TargetType == TargetPath
			continue
		}
		seen[key] = len(grants)
		grants = append(grants, g)
	}
	return grants
}

// plainWord is the name of a command, with the star after it.
var plainWord = lazy.Regexp{Expr: `^[A-Za-z0-9_./+-]+( \*)?$`}

func rank(l PermissionLevel) int {
	for i, level := range []PermissionLevel{LevelNone, LevelRead, LevelWrite, LevelExecute, LevelAdmin} {
		if level == l {
			return i
		}
	}
	return 0
}

// question shows questions, those of a call as the model wrote them. Questions that no call asks have their own id in place of its id.
func (v *view) question(e event.QuestionAsked) {
	id := cmp.Or(string(e.Call), string(e.ID))
	var input jsontext.Value
	if c := v.calls[e.Call]; c != nil {
		input = c.Input
	}
	questions := questionsOf(input, e.Questions)
	v.out = append(v.out, questionMessage{
		UserInteractionRequired{id, AskUserQuestionsRequest{questions}, v.session, v.turnMore()}, e.ID, questions,
	})
}
