package engine

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
	"parley.dev/parley/internal/tool"
)

// TestHookOfSession: the hooks of the start run once, before the first prompt of a session that was
// created or opened, and those of the end when it is closed.
func TestHookOfSession(t *testing.T) {
	var mu sync.Mutex
	var ran []string
	note := func(_ context.Context, r hook.Report) hook.Ruling {
		mu.Lock()
		defer mu.Unlock()
		ran = append(ran, strings.TrimSpace(string(r.Moment)+" "+r.Source))
		return hook.Ruling{Context: r.Source}
	}
	b := hooked(t, fakeHooks{event.AtSessionStart: note, event.AtPrompt: note, event.AtSessionEnd: note}, nil, say("1"), say("2"), say("3"))
	host := b.onDisk(t, t.TempDir())
	s, err := host.Create(t.Context(), NewSession{Workspace: t.TempDir(), Settings: event.Settings{Model: "fake"}}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	ended(t, turnOf(t, s, "one", nil))
	ended(t, turnOf(t, s, "two", nil))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := b.reopened(t, host, s.ID(), b.options())
	ended(t, turnOf(t, again, "three", nil))
	if err := again.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"session_start startup", "prompt", "prompt", "session_end", "session_start resume", "prompt", "session_end"}
	if diff := cmp.Diff(want, ran); diff != "" {
		t.Error(diff)
	}
	if first := b.requests()[0].Messages; len(first) != 2 || first[1].Text() != "startup" {
		t.Errorf("the model reads %+v", first)
	}
}

// TestHookOfUnusedSession: a session without a turn has neither start nor end.
func TestHookOfUnusedSession(t *testing.T) {
	refuse := func(_ context.Context, r hook.Report) hook.Ruling {
		t.Errorf("asked at %s", r.Moment)
		return hook.Ruling{}
	}
	b := hooked(t, fakeHooks{event.AtSessionStart: refuse, event.AtSessionEnd: refuse}, nil)
	if err := b.session(t, nil).Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestHookOfCompaction: a hook can deny a compaction, or add to what the summary observes.
func TestHookOfCompaction(t *testing.T) {
	var report hook.Report
	ruling := hook.Ruling{Denied: true, Reason: "not now"}
	b := hooked(t, fakeHooks{event.BeforeCompact: func(_ context.Context, r hook.Report) hook.Ruling {
		report = r
		return ruling
	}}, []fakeTool{lookTool()}, call(toolCall("c", "look", `{}`)), say("seen"), say("We looked."))
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "look", nil))
	if _, err := compactNow(s, "keep names"); !errors.Is(err, errCompactionDenied) || !strings.Contains(err.Error(), "not now") {
		t.Errorf("denied: %v", err)
	}
	if report.Trigger != "manual" || report.Guidance != "keep names" {
		t.Errorf("%+v", report)
	}
	ruling = hook.Ruling{Context: "[hook h] and dates"}
	if _, err := compactNow(s, "keep names"); err != nil {
		t.Error(err)
	}
	if asked := b.requests()[2].Messages[0].Text(); !strings.Contains(asked, "keep names\n[hook h] and dates") {
		t.Errorf("the model that summarises reads %q", asked)
	}
}

// TestHookPermits: a hook can spare the user a question, or have the user asked, and cannot allow
// what a policy denies.
func TestHookPermits(t *testing.T) {
	for name, c := range map[string]struct {
		before, permission hook.Ruling
		approvals          ApprovalPolicy
		mode               approval.Mode
		want               string
	}{
		"spared":          {hook.Ruling{Permission: hook.PermissionAllow}, hook.Ruling{}, ApproveEveryCall{}, "", "intended a, started a, succeeded a, completed"},
		"asked":           {hook.Ruling{Permission: hook.PermissionAsk, Reason: "sure?"}, hook.Ruling{}, ApproveByMode{}, approval.FullAccess, "intended a, asked a, denied a, completed"},
		"denied anyway":   {hook.Ruling{Permission: hook.PermissionAllow}, hook.Ruling{}, ApproveByMode{}, "no work", "intended a, denied a, completed"},
		"answered":        {hook.Ruling{}, hook.Ruling{Permission: hook.PermissionAllow}, ApproveEveryCall{}, "", "intended a, started a, succeeded a, completed"},
		"refused":         {hook.Ruling{}, hook.Ruling{Denied: true, Reason: "no"}, ApproveEveryCall{}, "", "intended a, denied a, completed"},
		"left to users":   {hook.Ruling{}, hook.Ruling{}, ApproveEveryCall{}, "", "intended a, asked a, denied a, completed"},
		"asked, answered": {hook.Ruling{Permission: hook.PermissionAsk}, hook.Ruling{Permission: hook.PermissionAllow}, ApproveByMode{}, approval.FullAccess, "intended a, started a, succeeded a, completed"},
	} {
		t.Run(name, func(t *testing.T) {
			b := hooked(t, fakeHooks{event.BeforeTool: always(c.before), event.AtPermission: always(c.permission)},
				[]fakeTool{echo("work", approval.Write)}, call(toolCall("a", "work", `{}`)), say("ok"))
			s := b.session(t, func(o *Options, settings *event.Settings) {
				o.Approvals, settings.Mode = c.approvals, string(c.mode)
				if c.mode == "no work" {
					o.Approvals, settings.Mode = ApproveByMode{[]approval.Rule{{Verdict: approval.Deny, Tool: "work"}}}, string(approval.FullAccess)
				}
			})
			records := turnOf(t, s, "go", nil)
			ended(t, records)
			if got := kindsOf(records); got != c.want {
				t.Error(got)
			}
		})
	}
}

// TestHookStops: a hook can end the turn, whatever the model wants.
func TestHookStops(t *testing.T) {
	for m, want := range map[event.HookMoment]string{
		event.BeforeTool: "hook_message, intended a, denied a, completed",
		event.AfterTool:  "intended a, started a, hook_message, failed a, completed",
	} {
		ruling := hook.Ruling{Denied: true, Stop: true, Reason: "enough", Messages: []string{"It ends here."}}
		b := hooked(t, fakeHooks{m: always(ruling)}, []fakeTool{workTool(func(context.Context, tool.Hooks, string) tool.Result {
			return tool.Result{Text: "x"}
		})}, call(toolCall("a", "work", `{}`)), say("never asked for"))
		records := turnOf(t, b.session(t, nil), "go", nil)
		ended(t, records)
		if got := kindsOf(records); got != want || len(b.requests()) != 1 {
			t.Errorf("%s: %s, %d requests", m, got, len(b.requests()))
		}
	}
}
