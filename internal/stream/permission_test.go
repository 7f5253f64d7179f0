package stream

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
)

func TestCovers(t *testing.T) {
	for _, test := range []struct {
		pattern, subject string
		want             bool
	}{
		{"a.b", "a.b", true},
		{"a.b", "a", false},
		{"a.b", "a.b.c", false},
		{"a.*.c", "a.b.c", true},
		{"a.*.c", "a.b.d", false},
		{"a.>", "a.b.c", true},
		{"a.>", "a", false},
		{"a.>", "ab.c", false},
		{"a.*", "a.*", true},
		{"a.*", "a.>", false},
		{"a.b", "a.*", false},
		{"a.>", "a.>", true},
		{">", "a", true},
	} {
		if got := covers(test.pattern, test.subject); got != test.want {
			t.Errorf("%s covers %s: %v", test.pattern, test.subject, got)
		}
	}
}

// TestViolations passes texts of servers on to calls.
func TestViolations(t *testing.T) {
	for _, test := range []struct {
		text string
		want string // the error of the call; "": it goes on
	}{
		{`Permissions Violation for Publish to "team.j.00.s"`, "the user of this connection has no permission to publish to team.j.00.s; the role host has it"},
		{`Permissions Violation for Publish to "team.bt.b.m"`, "the user of this connection has no permission to publish to team.bt.b.m; the roles host and submitter have it"},
		{`Permissions Violation for Publish to "team.b"`, ""},
		{`Permissions Violation for Publish to "team.btx.b.m"`, ""},
		{`Permissions Violation for Publish to "other.x"`, "the user of this connection has no permission to publish to other.x, and no role of `parley store config` has it"},
		{`Permissions Violation for Subscription to "team.j.00.s"`, ""},
		{`Permissions Violation for Subscription to "_INBOX.viewer.r4nd0m.*"`, "the user of this connection has no permission to subscribe to _INBOX.viewer.>; the roles host and viewer have it"},
		{`Permissions Violation for Subscription to "_INBOX.viewer.r4nd0m.*" using queue "q"`, "the user of this connection has no permission to subscribe to _INBOX.viewer.>; the roles host and viewer have it"},
		{"Permissions Violation", ""},
	} {
		v := &violations{namespace: "team", inbox: inboxOf(RoleViewer), waiting: map[*waiter]struct{}{}}
		ctx, done := v.watch(t.Context(), "team.j.00.s", "team.bt", "other.x")
		v.report(nil, nil, fmt.Errorf("%w: %s", nats.ErrPermissionViolation, test.text))
		err := ctx.Err()
		done(&err)
		if got := fmt.Sprint(err); got != test.want && (err != nil || test.want != "") {
			t.Errorf("%s: %v", test.text, err)
		}
		late, done := v.watch(t.Context(), "x")
		if deaf := late.Err() != nil; deaf != (v.deaf != nil) {
			t.Errorf("%s: a later call goes on: %v", test.text, !deaf)
		}
		done(&err)
		if len(v.waiting) > 0 {
			t.Error("calls that have ended are still known")
		}
	}
}

// TestViolationOfOthers checks that a call has its own error unless a permission has ended it.
func TestViolationOfOthers(t *testing.T) {
	v := &violations{namespace: "team", inbox: inboxOf(RoleHost), waiting: map[*waiter]struct{}{}}
	v.report(nil, nil, nats.ErrSlowConsumer)
	ctx, cancel := context.WithCancel(t.Context())
	ctx, done := v.watch(ctx, "a")
	cancel()
	err := ctx.Err()
	done(&err)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was cancelled: %v", err)
	}
	ctx, done = v.watch(t.Context(), "a")
	v.report(nil, nil, fmt.Errorf(`%w: Permissions Violation for Publish to "a"`, nats.ErrPermissionViolation))
	err = nil
	if done(&err); ctx.Err() == nil || err != nil {
		t.Errorf("a call that has succeeded before: %v", err)
	}
	v.report(nil, nil, fmt.Errorf(`%w: Permissions Violation for Subscription to "_INBOX.host.x"`, nats.ErrPermissionViolation))
	v.reset(nil)
	if ctx, done = v.watch(t.Context(), "a"); ctx.Err() != nil {
		t.Error("a call on a new connection has ended")
	}
	done(&err)
}
