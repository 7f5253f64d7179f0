package loaf

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file is the slash commands (command.execute).

// commands is what /help lists.
var commands = []CommandInfo{
	{"/auth", "show who is signed in"},
	{"/onboarding", "show whether onboarding is completed"},
	{"/forgeteverything", "delete the settings, keys and sign-ins of this program"},
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
		output, err = c.historyCommand(ctx, s, rest)
	case "/clear":
		err = c.exchange(ctx, s, func() (*engine.Session, error) { return c.newChat(ctx, s.title) })
		output = CommandCleared{true}
	case "/forgeteverything":
		output, err = c.forget(ctx, s)
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
		c.closing.Store(true)
		c.finish(ctx)
		c.changed(ChangedQuit, "")
		return false
	default:
		output = CommandUnknown{"unknown command: " + abridged(word)}
	}
	if err != nil {
		c.fail(id, err)
		return true
	}
	c.reply(id, CommandResult{true, value(output)})
	return true
}

func (c *conn) historyCommand(ctx context.Context, s *session, rest string) (any, error) {
	switch strings.ToLower(rest) {
	case "", "list", "all":
		return c.saved(ctx, &HistoryListParams{Limit: 100})
	case "last":
		resumed, err := c.resume(ctx, s, &HistoryGetParams{Last: true})
		return CommandResumed{resumed}, err
	}
	resumed, err := c.resume(ctx, s, &HistoryGetParams{ID: rest})
	return CommandResumed{resumed}, err
}

// forget deletes what this protocol keeps beside chats: settings, keys, sign-ins.
func (c *conn) forget(ctx context.Context, s *session) (any, error) {
	if err := c.cfg.SignIn.Forget(); err != nil {
		return nil, internal("", err.Error())
	}
	c.cfg.Settings.forget()
	err := c.exchange(ctx, s, func() (*engine.Session, error) { return c.newChat(ctx, s.title) })
	c.changed(ChangedForgetEverything, s.id)
	return CommandCleared{true}, err
}

func (c *conn) compressCommand(id jsonrpc.ID, s *session) {
	if c.selected().id == "" {
		c.fail(id, internal("", "select a model first before running /compress"))
		return
	}
	c.later(id, func(ctx context.Context) (any, error) {
		done, err := c.compress(ctx, s)
		if err != nil {
			return nil, err
		}
		return CommandResult{true, value(CommandCompressed{
			Compressed: done.Compressed, Reason: CompactionManual, EstimatedTokensBefore: done.EstimatedTokensBefore,
			EstimatedTokensAfter: done.EstimatedTokensAfter, ModelContextWindow: done.ModelContextWindow, TargetLimit: done.TargetLimit,
		})}, nil
	})
}

// compress sums the chat up. A running turn is interrupted first; what waits behind it waits
// until the summary is there.
func (c *conn) compress(ctx context.Context, s *session) (CompactionCompleted, error) {
	s.mu.Lock()
	eng, pump := s.chat.eng, s.chat.pump
	s.mu.Unlock()
	waiting, err := eng.ClearFollowUps()
	if err != nil {
		return CompactionCompleted{}, err
	}
	eng.Interrupt()
	if err := eng.Wait(ctx); err != nil {
		return CompactionCompleted{}, err
	}
	done, err := c.compactNow(ctx, s, eng)
	for _, q := range waiting {
		if qerr := eng.FollowUp(ctx, requeued(q)); qerr != nil {
			err = errors.Join(err, qerr)
		}
	}
	if err != nil {
		return CompactionCompleted{}, err
	}
	told := make(chan CompactionCompleted, 1)
	pump.Later(func() [][]byte { // behind its records: the view has the numbers then
		s.mu.Lock()
		defer s.mu.Unlock()
		if done {
			told <- s.view.compacted
			return nil
		}
		l := limitsOf(s.view.context.window(s.view.settings.Model))
		now := s.view.context.pinned() + conversationTokens(s.view.history)
		if len(s.view.history) == 0 {
			now = 0
		}
		told <- CompactionCompleted{EstimatedTokensBefore: now, EstimatedTokensAfter: now, ModelContextWindow: l.window, TargetLimit: l.target, HighWatermarkLimit: l.high}
		return nil
	})
	select {
	case result := <-told:
		return result, nil
	case <-ctx.Done():
		return CompactionCompleted{}, context.Cause(ctx)
	}
}

// compactNow says whether there is a summary now.
func (c *conn) compactNow(ctx context.Context, s *session, eng *engine.Session) (bool, error) {
	wait, err := eng.Compact("")
	if err != nil {
		return false, err
	}
	stop := context.AfterFunc(ctx, eng.Interrupt)
	defer stop()
	_, err = wait()
	if errors.Is(err, engine.ErrNothingToCompact) {
		return false, nil
	}
	return err == nil, err
}

// requeued is a prompt that waited, as it was.
func requeued(q event.Queued) engine.Prompt {
	return engine.Prompt{ID: q.ID, Blocks: q.Blocks, Sent: q.Sent, Tuning: engine.Tuning{Instructions: q.Instructions}}
}

// skills is what skills there are; they are looked for each time.
func (c *conn) skills() SkillsResult { return c.cfg.Skills(c.cfg.Flags.Cwd) }

// tools is what tools models have: those of the session that was made last, or of a new one.
func (c *conn) tools() ToolsResult {
	result := ToolsResult{Tools: []Tool{}}
	for _, s := range c.sessions {
		for _, t := range s.chat.eng.Tools() {
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
