package pisces

import (
	"cmp"
	"context"
	"log/slog"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
)

// A session is the one that the client is in.
type session struct {
	eng    *engine.Session
	pump   *dialect.Pump
	done   chan struct{}       // closed when all its records are rendered
	file   *sessionfile.Mirror // nil: there is none
	client *engine.Client
	names  dialect.Names
	head   uint64 // the last record when it was joined
	// others reports that the records are of another process. Only the pump uses it.
	others bool
	// summed is closed when the last compaction that was asked for is answered; nil: none was.
	// Only the commands in their order use it.
	summed chan struct{}
	log    *slog.Logger

	mu        lock.Mutex // guards what follows: the pump folds it, answers look into it
	view      *view
	prompts   []*openPrompt // oldest first
	unsettled bool          // the last turn ended with messages that wait
}

// transients is what clients see besides durable records.
var transients = []event.Kind{
	event.KindTextDelta, event.KindThinkingDelta, event.KindToolInputDelta, event.KindToolOutput,
	event.KindTasksProgressed, event.KindContextEstimated, event.KindRetryStarted, event.KindRetryEnded, event.KindCompactionStarted,
	event.KindSyncStarted, event.KindSyncEnded, event.KindServerChanged,
}

// join attaches the connection to an engine's session, of which nothing is sent before it is entered. After an error the
// session is left.
func (c *conn) join(ctx context.Context, eng *engine.Session) (*session, error) {
	s := &session{eng: eng, done: make(chan struct{}), pump: dialect.NewPump(eng, c.out), client: c.cfg.Host.Attach(eng, c.info()), log: c.cfg.Log}
	s.pump.Moved = s.answerMoved
	s.names = dialect.NamesIn(eng, profile, toolset(c.cfg.Flags))
	s.file = c.mirrorOf(ctx, eng)
	place := func() (string, string) { return string(eng.ID()), s.path() }
	s.view = newView(message.NewFold(c.surroundings(eng.Log().Blob)), place, c.rules.named, c.ext.newID)
	st := eng.State()
	err := s.pump.CatchUp(ctx, s.client, s.names, st.Head, func(rec event.Record) {
		if st.Turn != "" && rec.Turn == st.Turn && !st.Elsewhere {
			s.view.render(rec) // enter sends what still runs
		} else {
			s.view.know(rec)
		}
		s.mirror(rec)
	})
	s.head = st.Head
	return s, err
}

// enter makes a joined session the client's, and begins to send its events: first what runs. atOnce makes its file now, and
// not with the first answer.
func (c *conn) enter(s *session, atOnce bool) {
	if atOnce && s.file != nil {
		s.logFile(s.file.Create())
	}
	pacer := newPacer(c.out.Flush)
	records := s.eng.Log().FollowPaced(s.pump.Context(), s.head+1, pacer.gap, transients...)
	s.pump.Skip(s.head)
	c.host.offer(s)
	c.session = s
	c.ext.now.Store(s)
	s.pump.Begin(c.chosen(c.ext.sendLines(s.view.running()))...)
	asking := &questioner{c, s, map[event.QuestionID]context.CancelFunc{}}
	c.beside.Go(func() {
		defer close(s.done)
		defer asking.withdraw()
		err := s.pump.Run(s.names.All(records), func(rec event.Record) [][]byte {
			lines := s.render(rec)
			unsent := c.ext.sendLines(lines)
			c.ext.sendRecord(s, rec)
			asking.take(rec)
			pacer.note(rec, lines)
			return c.chosen(unsent)
		})
		if err != nil {
			s.log.Error("events lost", "session", s.eng.ID(), "error", err)
		}
	})
}

// info returns what the connection attaches to sessions as: the protocol has no message for approvals.
func (c *conn) info() engine.ClientInfo {
	info := dialect.ClientInfo(profile)
	info.NoApprovals = true
	return info
}

// render returns the lines that a record causes. The file has it before they are sent.
func (s *session) render(rec event.Record) [][]byte {
	lines := s.viewed(rec)
	if ended, ok := rec.Event.(event.TurnEnded); ok {
		lines = append(lines, s.settle(rec, ended)...)
	}
	return lines
}

// viewed returns the lines that the view has for a record, which goes into the file.
func (s *session) viewed(rec event.Record) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.view.render(rec)
	s.mirror(rec)
	return lines
}

// mirrorOf returns the file of a session; nil: there is none.
func (c *conn) mirrorOf(ctx context.Context, eng *engine.Session) *sessionfile.Mirror {
	if c.cfg.Flags.NoSession || eng.Options().Profile != profile || c.cfg.Host.Holders(eng.ID()) > 1 {
		return nil // the client that has opened it keeps the file
	}
	settings := eng.State().Settings
	path := c.fileOf(eng)
	stored := func(yield func(event.Record, error) bool) {
		if !c.cfg.Host.Exists(ctx, eng.ID()) {
			return
		}
		for rec, err := range c.cfg.Host.Read(ctx, eng.ID()) {
			if !yield(rec, err) {
				return
			}
		}
	}
	m, err := sessionfile.OpenMirror(path, c.surroundings(eng.Log().Blob), sessionfile.Option(settings, sessionfile.OptionParent), stored)
	if err != nil {
		c.cfg.Log.Error("session file not used", "path", path, "error", err)
		return nil
	}
	return m
}

// surroundings returns what messages are made with.
func (c *conn) surroundings(blob func(address string) ([]byte, error)) message.Surroundings {
	model := func(name string) message.Model {
		info, _ := c.cfg.Host.ModelInfo(cmp.Or(name, c.defaultModel()))
		return message.ModelOf(info)
	}
	return message.Surroundings{Model: model, Blob: blob}
}

// path returns the file of the session; "" if there is none.
func (s *session) path() string {
	if s.file == nil {
		return ""
	}
	return s.file.Path
}

// mirror puts a record into the session's file. What another process wrote may be there already.
func (s *session) mirror(rec event.Record) {
	if s.file == nil {
		return
	}
	switch rec.Event.(type) {
	case event.SyncStarted:
		s.others = true
	case event.SyncEnded:
		s.others = false
		s.logFile(s.file.Reopen())
	}
	if rec.Seq != 0 && !s.others {
		s.logFile(s.file.Take(rec))
	}
}

// logFile logs that a file cannot be written; it is tried again with the next record.
func (s *session) logFile(err error) {
	if err != nil {
		s.log.Error("session file not written", "path", s.file.Path, "error", err)
	}
}

// abort ends what runs, and waits for its end and its answer. What is queued stays.
func (s *session) abort(ctx context.Context) error {
	s.client.Interrupt()
	if s.summed != nil {
		<-s.summed
	}
	return s.eng.Wait(ctx)
}

// halt ends what runs, if it ends with the connection.
func (s *session) halt(ctx context.Context) {
	if s.client.EndsSession() {
		s.eng.Queue().Hold() // what waits begins when it is opened again
		s.client.Interrupt()
		_ = s.eng.Wait(ctx) // leaving waits again
	}
}

// leave ends what runs, and waits until everything is sent and written.
func (s *session) leave(ctx context.Context) {
	if err := s.pump.Leave(ctx, s.client); err != nil {
		s.log.Error("session not saved", "session", s.eng.ID(), "error", err)
	}
	<-s.done
}

// reopen opens the session again if another client of the host has ended it. If that fails the command says what it misses.
func (c *conn) reopen(ctx context.Context) {
	old := c.session
	if old.eng.Ended() == "" || old.eng.Moved() != nil {
		return
	}
	var joined *session
	eng, err := c.cfg.Host.Open(ctx, old.eng.ID(), c.options())
	if err == nil {
		joined, err = c.join(ctx, eng)
	}
	if err != nil {
		c.cfg.Log.Warn("session not opened again", "session", old.eng.ID(), "error", err)
		return
	}
	old.leave(ctx)
	c.enter(joined, false)
}

// exchange leaves the session for the one that next gives. What runs is ended first, and its
// end is sent; what this client has queued is dropped. If there is no next, the session stays.
func (c *conn) exchange(ctx context.Context, next func() (*engine.Session, error)) error {
	old := c.session
	c.ext.dialogs.settle(false)
	goesOn := c.cfg.Host.Outlives(old.eng)
	if !goesOn {
		defer dialect.HoldQueue(old.eng)()
		if err := old.abort(ctx); err != nil {
			return err
		}
	}
	eng, err := next()
	if err != nil {
		return err
	}
	if goesOn && eng == old.eng {
		return nil
	}
	var joined *session
	if eng != old.eng {
		if joined, err = c.join(ctx, eng); err != nil {
			return err
		}
	}
	if !goesOn {
		c.withdraw(old)
	}
	old.drop()
	if joined == nil {
		return nil
	}
	c.shell.abort()
	old.leave(ctx)
	c.enter(joined, true)
	return nil
}

func (c *conn) withdraw(old *session) {
	if _, _, err := old.client.Withdraw(); err != nil {
		c.cfg.Log.Warn("queue not cleared", "session", old.eng.ID(), "error", err)
	}
}
