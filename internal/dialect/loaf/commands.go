package loaf

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains the slash commands (command.execute).

// commands is what /help lists.
var commands = []CommandInfo{
	{"/auth", "show who is signed in"},
	{"/onboarding", "show whether onboarding is completed"},
	{forgetCommand, "delete the settings, keys and sign-ins of this program"},
	{"/model", "show the model and those that can be selected"},
	{"/limits", "show what is left of the quota"},
	{"/history", "list saved chats, or go on with one"},
	{"/compress", "sum up the older conversation"},
	{"/skills", "list skills"},
	{"/tools", "list tools"},
	{"/clear", "begin anew"},
	{"/quit", "end the server"},
	{"/help", "list the commands"},
	{"/exit", "end the server"},
}

// command does one slash command; false: it was the last request.
func (c *conn) command(ctx context.Context, id jsonrpc.ID, s *session, raw string) (more bool) {
	word, rest := trimmedFields(raw)
	if !strings.HasPrefix(word, "/") {
		c.reply(id, CommandResult{})
		return true
	}
	var output any
	var err error
	changed := ""
	switch word {
	case "/help":
		output = CommandHelp{commands}
	case "/auth":
		output = CommandAuth{c.authStatus(), "use auth.connect.openai or auth.set.openrouter_key"}
	case "/onboarding":
		output = OnboardingState{c.cfg.Settings.get().Onboarded}
	case "/skills":
		output = c.skills()
	case "/tools":
		output = c.tools()
	case "/model":
		list := c.modelList(ctx, "")
		output = CommandModel{list.SelectedModel, list.SelectedProvider, list.SelectedThinking, list.SelectedOpenRouterProvider, list}
	case "/history":
		output, changed, err = c.historyCommand(ctx, s, rest)
	case "/clear":
		c.clear(ctx, id, s)
		return true
	case forgetCommand:
		err = c.forget(ctx, s)
		output, changed = CommandCleared{true}, ChangedForgetEverything
	case "/limits":
		c.later(id, func(context.Context) (any, error) {
			l, err := c.limits()
			return CommandResult{true, value(l)}, err
		})
		return true
	case "/compress":
		c.compressCommand(id, s)
		return true
	case "/quit", "/exit":
		c.reply(id, CommandResult{true, value(CommandShutdown{true})})
		c.server.Close()
		c.finish(ctx)
		c.notifyEnd(ChangedQuit)
		return false
	default:
		output = CommandUnknown{"unknown command: " + abridged(word)}
	}
	if err != nil {
		c.fail(id, err)
		return true
	}
	c.reply(id, CommandResult{true, value(output)})
	if changed != "" {
		c.changed(changed, s.id)
	}
	return true
}

// historyCommand lists saved chats, or goes on with one, which is a change.
func (c *conn) historyCommand(ctx context.Context, s *session, rest string) (output any, changed string, err error) {
	which := &HistoryGetParams{ID: rest}
	switch strings.ToLower(rest) {
	case "", "list", "all":
		output, err = c.saved(ctx, &HistoryListParams{Limit: 100})
		return output, "", err
	case "last":
		which = &HistoryGetParams{Last: true}
	}
	resumed, err := c.resume(ctx, s, which)
	return CommandResumed{resumed}, ChangedSessionResumed, err
}

// clear begins anew; what waits in the queue begins there.
func (c *conn) clear(ctx context.Context, id jsonrpc.ID, s *session) {
	waiting, err := c.exchange(ctx, s, func() (*engine.Session, error) { return c.newChat(ctx, s.title) })
	if err != nil {
		c.fail(id, err)
		return
	}
	s.chat.pump.Around(func() [][]byte {
		for _, q := range waiting {
			if err := s.chat.client.FollowUp(ctx, requeued(q)); err != nil {
				c.cfg.Log.Warn("prompt not queued again", "session", s.id, "error", err)
			}
		}
		return [][]byte{resultLine(id, CommandResult{true, value(CommandCleared{true})})}
	})
}

// requeued returns a prompt that waited, as it was.
func requeued(q event.Queued) engine.Prompt {
	return engine.Prompt{ID: q.ID, Blocks: q.Blocks, Sent: q.Sent, Tuning: engine.Tuning{Instructions: q.Instructions}, Failure: q.Failure}
}

// forget deletes what this protocol keeps beside chats: settings, keys, sign-ins.
func (c *conn) forget(ctx context.Context, s *session) error {
	if err := c.cfg.SignIn.Forget(); err != nil {
		return internal("", err.Error())
	}
	c.cfg.Settings.forget()
	_, err := c.exchange(ctx, s, func() (*engine.Session, error) { return c.newChat(ctx, s.title) })
	return err
}

func (c *conn) compressCommand(id jsonrpc.ID, s *session) {
	if c.selected().id == "" {
		c.fail(id, internal("", "select a model first before running /compress"))
		return
	}
	c.compress(id, s, func(done CompactionCompleted) any {
		return CommandResult{true, value(CommandCompressed{
			Compressed: done.Compressed, Reason: CompactionManual, EstimatedTokensBefore: done.EstimatedTokensBefore,
			EstimatedTokensAfter: done.EstimatedTokensAfter, ModelContextWindow: done.ModelContextWindow, TargetLimit: done.TargetLimit,
		})}
	})
}

// tools returns what tools models have: those of the session that was made last, or of a new one.
func (c *conn) tools() ToolsResult {
	result := ToolsResult{Tools: []Tool{}}
	for _, s := range c.sessions {
		for _, t := range s.chat.eng.Context().Tools() {
			result.Tools = append(result.Tools, Tool{t.Name, t.Description, t.Schema})
		}
		return result
	}
	for _, b := range c.cfg.Host.Bindings(c.cfg.Flags.Cwd, c.options()) {
		result.Tools = append(result.Tools, Tool{b.Name, b.Description, b.Schema})
	}
	slices.SortFunc(result.Tools, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	return result
}
