package engine

import (
	"context"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// serverPromptPrefix begins a prompt that names one of a server.
const serverPromptPrefix = "/mcp__"

// noteServerPrompt records for the model the text of the server's prompt that the user's prompt names.
func (t *turn) noteServerPrompt(ctx context.Context) {
	command, ok := strings.CutPrefix(t.prompt, serverPromptPrefix)
	if !ok || t.expanded {
		return
	}
	t.expanded = true
	source, ok := t.s.connect().(tool.Prompter)
	if !ok {
		return
	}
	name, args := command, ""
	if i := strings.IndexAny(command, " \t\r\n"); i >= 0 {
		name, args = command[:i], command[i:]
	}
	name = strings.TrimPrefix(serverPromptPrefix, "/") + name
	text, known, err := source.Prompt(ctx, name, args)
	switch {
	case !known || ctx.Err() != nil:
		return
	case err != nil:
		t.append(event.Notice{Level: event.Warning, Code: NoticeServerPrompt, Text: "/" + name + ": " + err.Error()})
		text = "[The user chose /" + name + ", whose text is not available: " + err.Error() + "]"
	}
	t.append(event.ContextNote{Topic: event.NoteServerPrompt, Text: text})
}
