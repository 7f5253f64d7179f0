package acp

import (
	"fmt"
	"strings"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file shows notices to the user.

// The severities of notices.
const (
	info    = "info"
	warning = "warning"
)

// notice shows a notice when it happens. A client without support for notices is sent warnings and errors as messages, which
// belong to turns: between turns they are pending until the next one.
func (v *view) notice(severity, title, description string) {
	if v.replaying {
		return
	}
	if v.turn == nil && v.caps.Session.Notices == nil && severity != info {
		v.pendingNotices = append(v.pendingNotices, Notice{"", severity, title, description})
		return
	}
	v.showNotice(severity, title, description)
}

// showNotice shows a notice now. It must be called between a prompt and its answer.
func (v *view) showNotice(severity, title, description string) {
	switch {
	case v.caps.Session.Notices != nil:
		v.show(Notice{"notice", severity, title, description})
	case severity != info:
		v.show(MessageChunk{"agent_message_chunk", v.newID(), text("**" + title + ":** " + description + "\n\n")})
	}
}

// showPendingNotices shows the notices that were pending until a turn began.
func (v *view) showPendingNotices() {
	for _, n := range v.pendingNotices {
		v.showNotice(n.Severity, n.Title, n.Description)
	}
	v.pendingNotices = nil
}

// engineNotice shows a notice of the engine. Those about compactions are the ends of these.
func (v *view) engineNotice(e event.Notice) {
	switch e.Code {
	case engine.NoticeCompactionInterrupted:
		v.endCompaction(compactionCancelled, "")
		return
	case engine.NoticeCompactionFailed:
		v.endCompaction(compactionFailed, oneLine(e.Text))
		if v.caps.Session.Compaction != nil {
			return
		}
	}
	v.notice(string(e.Level), titleOfCode(e.Code), e.Text)
}

// titleOfCode returns a code as a title: its words.
func titleOfCode(code string) string {
	words := strings.ReplaceAll(code, "_", " ")
	if words == "" {
		return "Notice"
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// server shows a tool server that cannot be used.
func (v *view) server(e event.ServerChanged) {
	if e.Status == event.ServerFailed && !e.Again {
		v.notice(warning, "Tool server "+e.Server, "cannot be used: "+oneLine(e.Error))
	}
}

// retry shows that a request is made again. What was shown of the answer is void: the next one has another id.
func (v *view) retry(e event.RetryStarted) {
	if len(v.turn.shown) > 0 {
		v.turn.shown, v.turn.tries = nil, v.turn.tries+1
	}
	v.notice(info, "Retry", fmt.Sprintf("%s; attempt %d of %d", oneLine(e.Failure.Message), e.Attempt, e.Max))
}
