package hook

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
)

// This file contains the input of hooks in the form of Claude Code (https://code.claude.com/docs/en/hooks),
// which hooks get in addition to ours: scripts that were written for it run unchanged.

// notification is the event that only informs: a hook for it decides nothing.
const notification = "Notification"

// claudeEvents are the events of Claude Code, and our moments for them.
var claudeEvents = []struct {
	name   string
	moment event.HookMoment
}{
	{"SessionStart", event.AtSessionStart},
	{"UserPromptSubmit", event.AtPrompt},
	{"PreToolUse", event.BeforeTool},
	{"PermissionRequest", event.AtPermission},
	{notification, event.AtPermission},
	{"PostToolUse", event.AfterTool},
	{"PostToolUseFailure", event.AfterTool},
	{"PreCompact", event.BeforeCompact},
	{"Stop", event.AtTurnEnd},
	{"SubagentStop", event.AtTurnEnd},
	{"SessionEnd", event.AtSessionEnd},
}

// ClaudeEvents returns the events of Claude Code that there are hooks for.
func ClaudeEvents() []string {
	var names []string
	for _, e := range claudeEvents {
		names = append(names, e.name)
	}
	return names
}

// momentOf returns the moment of an event of Claude Code.
func momentOf(name string) (event.HookMoment, bool) {
	for _, e := range claudeEvents {
		if e.name == name {
			return e.moment, true
		}
	}
	return "", false
}

// eventName returns what Claude Code calls the event that r is about.
func (r Report) eventName() string {
	switch {
	case r.Moment == event.AfterTool && r.Result != nil && r.Outcome == event.Failed:
		return "PostToolUseFailure"
	case r.Moment == event.AtTurnEnd && r.Inner:
		return "SubagentStop"
	}
	for _, e := range claudeEvents {
		if e.moment == r.Moment && e.name != notification {
			return e.name
		}
	}
	return ""
}

// claudeModes are the names that Claude Code has for permission modes.
var claudeModes = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"read-only": "default", "plan": "plan", "prompt": "default", "workspace-write": "acceptEdits", "danger-full-access": "bypassPermissions",
	}
}}

// A claudeInput is what Claude Code sends to hooks. Members that say nothing at the event are left out.
type claudeInput struct {
	HookEventName  string `json:"hook_event_name"`
	SessionID      string `json:"session_id"`
	TranscriptPath string `json:"transcript_path,omitzero"` // of our journal, which has another form
	PermissionMode string `json:"permission_mode,omitzero"`

	ToolName     string         `json:"tool_name,omitzero"`
	ToolInput    jsontext.Value `json:"tool_input,omitzero"`
	ToolUseID    string         `json:"tool_use_id,omitzero"`
	ToolResponse jsontext.Value `json:"tool_response,omitzero"`
	Error        string         `json:"error,omitzero"`

	StopHookActive       *bool   `json:"stop_hook_active,omitzero"`
	LastAssistantMessage *string `json:"last_assistant_message,omitzero"`

	Source             string  `json:"source,omitzero"` // of a session: startup, resume or compact
	Model              string  `json:"model,omitzero"`
	Reason             string  `json:"reason,omitzero"`  // why a session ends
	Trigger            string  `json:"trigger,omitzero"` // of a compaction: manual or auto
	CustomInstructions *string `json:"custom_instructions,omitzero"`
	Message            string  `json:"message,omitzero"` // of a notification
	NotificationType   string  `json:"notification_type,omitzero"`
}

// permissionPrompt is the type of the notifications that there are.
const permissionPrompt = "permission_prompt"

// input returns what is written to the stdin of h: our members, then those of Claude Code.
func (h ready) input(r Report, v view) ([]byte, error) {
	ours, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	c := claudeInput{
		HookEventName: cmp.Or(h.Event, r.eventName()), SessionID: string(r.Session), TranscriptPath: r.Transcript,
		PermissionMode: cmp.Or(claudeModes.Get()[r.Mode], "default"),
		Source:         r.Source, Model: r.Model, Trigger: r.Trigger,
	}
	if r.Call != nil {
		c.ToolName, c.ToolInput, c.ToolUseID = v.name, v.input, string(r.Call.ID)
	}
	if r.Result != nil {
		if c.ToolResponse, err = r.response(v); err != nil {
			return nil, err
		}
		if r.Outcome == event.Failed {
			c.Error = r.Output
		}
	}
	switch r.Moment {
	case event.AtTurnEnd:
		active := r.End != nil && r.Continued > 0
		c.StopHookActive = &active
		if r.End != nil {
			c.LastAssistantMessage = &r.Answer
		}
	case event.AtSessionEnd:
		c.Reason = "other"
	case event.BeforeCompact:
		c.CustomInstructions = &r.Guidance
	}
	if h.Event == notification {
		c.Message, c.NotificationType = "Parley needs your permission to use "+v.name, permissionPrompt
	}
	theirs, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	line := append(ours[:len(ours)-1], ',')
	return append(append(line, theirs[1:]...), '\n'), nil
}

// response returns the result of a call in the form of Claude Code.
func (r Report) response(v view) (jsontext.Value, error) {
	success := r.Outcome == event.Succeeded
	var response any
	switch v.name {
	case "Bash":
		response = struct {
			Stdout      string `json:"stdout"`
			Stderr      string `json:"stderr"`
			Interrupted bool   `json:"interrupted"`
			IsImage     bool   `json:"isImage"`
			ExitCode    *int   `json:"exitCode,omitzero"`
		}{Stdout: r.Output, ExitCode: r.ExitCode}
	case "Write", "Edit", "MultiEdit":
		response = struct {
			FilePath string `json:"filePath"`
			Success  bool   `json:"success"`
			Content  string `json:"content"`
		}{v.path, success, r.Output}
	default:
		response = struct {
			Content []textContent `json:"content"`
			Success bool          `json:"success"`
		}{[]textContent{{"text", r.Output}}, success}
	}
	return json.Marshal(response)
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// subject returns what a matcher of a moment without a tool is compared with.
func (h ready) subject(r Report) string {
	switch {
	case h.Event == notification:
		return permissionPrompt
	case r.Moment == event.AtSessionStart:
		return r.Source
	case r.Moment == event.AtSessionEnd:
		return "other"
	case r.Moment == event.BeforeCompact:
		return r.Trigger
	}
	return ""
}

// concerns returns the views of r that h is asked about; none: h is not asked.
func (h ready) concerns(r Report) []view {
	switch {
	case h.Event != "" && h.Event != notification && h.Event != r.eventName():
		return nil
	case r.Call == nil || h.Event == notification:
		if h.Match != "" && !h.match(h.subject(r)) {
			return nil
		}
		if r.Call == nil {
			return []view{{}}
		}
		return r.Call.views(r.Dir)[:1]
	}
	all := r.Call.views(r.Dir)
	switch {
	case h.Match == "" || h.Match == "*":
		return all
	case h.match(r.Call.Tool) || h.match(r.Call.Shown):
		return all[:1]
	}
	return slices.DeleteFunc(all, func(v view) bool { return !slices.ContainsFunc(v.names, h.match) })
}
