package dialect

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"parley.dev/parley/internal/engine"
)

// A Member is what a connection has of a session.
type Member struct {
	Session *engine.Session
	Client  *engine.Client
	Pump    *Pump
}

// A Leaving is the end of a connection that has sessions open.
type Leaving struct {
	Members []Member
	// Graceful is that turns may come to their end, or to what another client has to answer.
	Graceful bool
	Out      *Output
	Gone     <-chan struct{} // when the client is gone; nil: as Out says
	Stop     <-chan struct{}
	Log      *slog.Logger
	// Beside waits for what the connection does beside the turns; nil: there is nothing.
	Beside func()
	// Interrupt ends what a session does, and what the client has waiting there; it is called for those that end with the connection.
	// Default: the client interrupts, and what waits begins no turn any more.
	Interrupt func(Member)
}

// Do leaves the sessions. Those which end with the connection come to their end first: in their own time if that is
// graceful, until the client is gone or Stop is closed; else by an interrupt. What goes on without the connection goes on.
func (l Leaving) Do(ctx context.Context) {
	waiting, hurry := context.WithCancel(ctx)
	defer hurry()
	awaited := l.Members
	switch {
	case !l.Graceful:
		l.interrupt()
		hurry()
	case l.Out.Deserted(): // the client does not read any more
		awaited = slices.DeleteFunc(slices.Clone(awaited), func(m Member) bool {
			m.Client.Leave()
			return !m.Client.EndsSession()
		})
	default:
		for _, m := range l.Members {
			m.Client.Detach()
		}
	}
	Await(func() {
		if l.Beside != nil {
			l.Beside()
		}
		for _, m := range awaited {
			_ = m.Client.Drain(waiting)
		}
	}, func() {
		l.interrupt()
		hurry()
	}, l.gone(), l.Stop)
	for _, m := range l.Members {
		if err := m.Pump.Leave(ctx, m.Client); err != nil {
			l.Log.Error("session not saved", "session", m.Session.ID(), "error", err)
		}
	}
}

// interrupt interrupts the sessions that end with the connection.
func (l Leaving) interrupt() {
	for _, m := range l.Members {
		switch {
		case !m.Client.EndsSession():
		case l.Interrupt != nil:
			l.Interrupt(m)
		default:
			m.Session.Queue().Hold() // it ends, and what waits begins when it is opened again
			m.Client.Interrupt()
		}
	}
}

func (l Leaving) gone() <-chan struct{} {
	if l.Gone != nil {
		return l.Gone
	}
	return l.Out.Gone()
}

// TakeBack removes what a client has queued in a session that ends with it, and holds the rest, see HoldQueue.
func TakeBack(m Member, log *slog.Logger) (resume func()) {
	resume = HoldQueue(m.Session)
	if _, _, err := m.Client.Withdraw(); err != nil && !errors.Is(err, engine.ErrClosed) && !errors.Is(err, engine.ErrNoSession) {
		log.Warn("queue not cleared", "session", m.Session.ID(), "error", err)
	}
	return resume
}

// HoldQueue keeps the queued prompts of a session that a client is about to leave from beginning turns. If the session ends, they stay in
// its journal and begin when it is opened again; if it goes on, because another client has joined meanwhile, they begin when resume is
// called.
func HoldQueue(s *engine.Session) (resume func()) {
	release := s.Queue().Hold()
	return func() {
		if s.Ended() == "" {
			release()
		}
	}
}
