package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A turn is one prompt of a client and what follows from it.
type turn struct {
	server  *server
	req     *sdk.CallToolRequest
	session *engine.Session
	client  *engine.Client
	done    float64 // progress that was sent
	last    string  // the last answer of the model

	asking sync.WaitGroup
	open   map[string]context.CancelFunc // the requests to the client's user, by id
}

// run sends a prompt to a session, and closes the session at the end of the turn. At the end of ctx
// the turn is interrupted.
func (s *server) run(ctx context.Context, req *sdk.CallToolRequest, session *engine.Session, prompt string) (a answer, err error) {
	defer func() {
		if cerr := session.Close(context.WithoutCancel(ctx)); err == nil {
			err = cerr
		}
	}()
	release, err := session.Lease() // so that no turn of another process is among what follows
	if err != nil {
		return answer{}, err
	}
	defer release()
	t := &turn{server: s, req: req, session: session, client: session.Attach(engine.ClientInfo{Name: "mcp"}), open: map[string]context.CancelFunc{}}
	defer t.client.Detach()
	if !canAsk(req.Session) {
		t.client.Detach()
	}
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer t.asking.Wait()
	defer stop()
	records := session.Log().Follow(following, session.State().Head+1)
	if _, err := t.client.Prompt(following, engine.Prompt{Text: prompt}); err != nil {
		return answer{}, err
	}
	defer context.AfterFunc(ctx, t.client.Interrupt)()
	for rec, err := range records {
		if err != nil {
			return answer{}, err
		}
		if end, ok := rec.Event.(event.TurnEnded); ok {
			return t.answer(end), nil
		}
		t.take(following, rec.Event)
	}
	return answer{}, errors.New("the session ended before the turn did")
}

// take follows one record of the turn.
func (t *turn) take(ctx context.Context, e event.Event) {
	switch e := e.(type) {
	case event.AssistantMessage:
		text := strings.TrimSpace(model.Message{Blocks: e.Blocks}.Text())
		if text != "" && !e.Void {
			t.last = text
			t.progress(ctx, brief(text))
		}
	case event.ToolIntended:
		t.progress(ctx, brief(e.Name+" "+string(e.Input)))
	case event.ApprovalAsked:
		if !e.Unattended {
			t.progress(ctx, "waiting for an approval")
			t.ask(ctx, string(e.ID), func(ctx context.Context) { t.approve(ctx, e) })
		}
	case event.ApprovalAnswered:
		t.withdraw(string(e.ID))
	case event.QuestionAsked:
		if canAsk(t.req.Session) {
			t.progress(ctx, "waiting for answers")
			t.ask(ctx, string(e.ID), func(ctx context.Context) { t.choose(ctx, e) })
		}
	case event.QuestionAnswered:
		t.withdraw(string(e.ID))
	}
}

// progress sends a notification about the progress of the call, if the client wants any.
func (t *turn) progress(ctx context.Context, message string) {
	token := t.req.Params.GetProgressToken()
	if token == nil {
		return
	}
	t.done++
	err := t.req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: t.done, Message: message})
	if err != nil {
		t.server.cfg.Log.Debug("progress not sent", "error", err)
	}
}

// maxBrief bounds the message of a progress notification, in characters.
const maxBrief = 200

func brief(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > maxBrief {
		line, more = string(runes[:maxBrief]), true
	}
	if more {
		line += " …"
	}
	return line
}

// answer returns the result of the call.
func (t *turn) answer(end event.TurnEnded) answer {
	a := answer{Session: string(t.session.ID()), Content: t.last, Reason: string(end.Reason), failed: end.Reason != event.TurnCompleted}
	switch {
	case end.Failure != nil:
		a.Content = strings.TrimSpace(a.Content + "\n\n[" + string(end.Reason) + ": " + end.Failure.Message + "]")
	case a.failed:
		a.Content = strings.TrimSpace(fmt.Sprintf("%s\n\n[the turn ended before the task was done: %s]", a.Content, end.Reason))
	}
	return a
}
