package loaf

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// handle answers one request; false: it was the last. Whatever goes wrong inside is the
// answer to that request.
func (c *conn) handle(ctx context.Context, r request) (more bool) {
	defer func() {
		if p := recover(); p != nil {
			c.cfg.Log.Error("panic in request", "method", r.method, "panic", p, "stack", string(debug.Stack()))
			c.fail(r.id, fmt.Errorf("internal error"))
			more = true
		}
	}()
	if p, ok := r.params.(*ShutdownParams); ok {
		c.shutdown(ctx, r.id, p)
		return false
	}
	switch p := r.params.(type) {
	case *HandshakeParams:
		c.handshake(r.id, p)
	case *SessionCreateParams:
		c.sessionCreate(ctx, r.id, p)
	case *SessionSendParams:
		c.withSession(r.id, p.SessionID, func(s *session) { c.sessionSend(ctx, r.id, s, p) })
	case *SessionSteerParams:
		c.withSession(r.id, p.SessionID, func(s *session) { c.sessionSteer(ctx, r.id, s, p) })
	case *SessionParams:
		c.withSession(r.id, p.SessionID, func(s *session) { c.sessionVerb(ctx, r, s) })
	case *CommandParams:
		c.withSession(r.id, p.SessionID, func(s *session) { more = c.command(ctx, r.id, s, p.RawCommand) })
		return more || c.sessions[p.SessionID] == nil
	case *AuthConnectParams:
		c.authConnect(r.id, p)
	case *AuthKeyParams:
		c.authKey(r.id, r.method, p)
	case *ModelListParams:
		c.reply(r.id, c.modelList(ctx, p.Provider))
	case *ModelSelectParams:
		c.modelSelect(ctx, r.id, p)
	case *OpenRouterProvidersParams:
		c.openRouterProviders(r.id, p)
	case *HistoryListParams:
		c.historyList(ctx, r.id, p)
	case *HistoryGetParams:
		c.historyGet(ctx, r.id, p)
	case *DebugParams:
		c.debug.Store(p.SuperDebug)
		c.reply(r.id, DebugResult{p.SuperDebug})
	default:
		c.plain(r)
	}
	return true
}

// plain answers the requests without params.
func (c *conn) plain(r request) {
	switch r.method {
	case "system.ping":
		c.reply(r.id, PingResult{true, stamp(c.cfg.Now())})
	case "state.get":
		c.reply(r.id, c.state())
	case "auth.status":
		c.reply(r.id, c.authStatus())
	case "auth.connect.antigravity":
		c.fail(r.id, failure(CodeServerError, "antigravity sign-in is not supported by this server", ErrorData{Reason: ReasonUnsupportedProvider}))
	case "onboarding.status":
		c.reply(r.id, OnboardingState{c.cfg.Settings.get().Onboarded})
	case "onboarding.complete":
		c.cfg.Settings.set(func(k *kept) { k.Onboarded = true })
		c.reply(r.id, OnboardingState{true})
		c.changed(ChangedOnboarding, "")
	case "limits.get":
		c.later(r.id, func(context.Context) (any, error) { return c.limits() })
	case "skills.list":
		c.reply(r.id, c.skills())
	case "tools.list":
		c.reply(r.id, c.tools())
	default: // a method of the table without a case: a defect
		c.fail(r.id, fmt.Errorf("%s is not there", r.method))
	}
}

func (c *conn) withSession(id jsonrpc.ID, session string, do func(*session)) {
	s := c.sessions[session]
	if s == nil {
		c.fail(id, unknownSession(session))
		return
	}
	c.reopen(s)
	do(s)
}

// handshake may come at any time, and again; what it sets counts from its answer on.
func (c *conn) handshake(id jsonrpc.ID, p *HandshakeParams) {
	c.name = cmp.Or(p.ClientName, profile)
	now := c.delivery.Load()
	format, scope := now.format, EventScope("")
	if p.EventFormat != "" {
		format = p.EventFormat
	}
	switch {
	case p.EventScope != "":
		scope = p.EventScope
	case now.fixed:
		scope = now.scope
	}
	next := deliveryOf(format, scope)
	c.reply(id, HandshakeResult{
		ProtocolVersion, "loaf", Capabilities{true, true, true, []string{"path", "data_url"}}, methodNames(), next.format, next.scope,
	})
	c.delivery.Store(next)
}

// shutdown interrupts everything and answers last of all.
func (c *conn) shutdown(ctx context.Context, id jsonrpc.ID, p *ShutdownParams) {
	c.server.Close()
	reason := p.Reason
	if reason == "" {
		reason = ChangedShutdown
	}
	c.finish(ctx)
	c.notifyEnd(reason)
	c.reply(id, ShutdownResult{true, p.Reason})
}

// state returns everything that is not of one session.
func (c *conn) state() State {
	auth, k := c.authStatus(), c.cfg.Settings.get()
	selected := c.selected()
	skills := c.skills()
	st := State{
		Auth:       StateAuth{auth.EnabledProviders, auth.HasOpenAIToken, auth.HasAntigravityToken, auth.HasOpenRouterKey, auth.AntigravityProfile},
		Onboarding: OnboardingState{k.Onboarded},
		Model:      StateModel{selected.id, selected.thinking, k.routing(), selected.wireProvider()},
		Sessions:   c.sessionIDs(),
		Skills:     StateSkills{len(skills.Skills), skills.Directories},
	}
	return st
}

func (c *conn) sessionIDs() StateSessions {
	c.roster.Lock()
	defer c.roster.Unlock()
	return StateSessions{len(c.order), append([]string{}, c.order...)}
}

func trimmedFields(text string) (first, rest string) {
	first, rest, _ = strings.Cut(strings.TrimSpace(text), " ")
	return strings.ToLower(first), strings.TrimSpace(rest)
}
