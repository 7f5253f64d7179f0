package loaf

import (
	"context"
	"errors"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains compactions that clients ask for: /compress, and model.select with
// compress_immediately.

// compress sums the chat of s up and then answers with what result makes of it. A running
// turn is interrupted first. Prompts wait until the answer is sent.
func (c *conn) compress(id jsonrpc.ID, s *session, result func(CompactionCompleted) any) {
	ctx, cancel := context.WithCancelCause(c.life)
	if !s.beginCompression(func() { cancel(engine.ErrInterrupted) }) {
		cancel(nil)
		c.fail(id, internal(KindBusy, "session is busy: its context is being compressed"))
		return
	}
	chat := s.chat
	release := chat.eng.Queue().Hold()
	c.blocking.Go(func() {
		defer cancel(nil)
		line := c.outcome(id, func(context.Context) (any, error) {
			done, err := c.summed(ctx, s, chat)
			if err != nil {
				return nil, err
			}
			return result(done), nil
		})
		chat.pump.Around(func() [][]byte {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.compressing = nil
			release()
			return [][]byte{line}
		})
	})
}

// beginCompression reports whether no other compression of s is under way, and keeps cancel if so.
func (s *session) beginCompression(cancel context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compressing != nil {
		return false
	}
	s.compressing = cancel
	return true
}

// summed ends the running turn, sums the chat up, and says what that has brought.
func (c *conn) summed(ctx context.Context, s *session, chat *chat) (CompactionCompleted, error) {
	chat.pump.Around(func() [][]byte { return c.interruptToCompress(s, chat) })
	if chat.eng.Wait(ctx) != nil || ctx.Err() != nil {
		return CompactionCompleted{}, context.Cause(ctx)
	}
	begun := make(chan struct{})
	s.mu.Lock()
	s.view.begun = begun
	s.mu.Unlock()
	wait, err := chat.eng.Compact(ctx, "")
	if err != nil {
		return CompactionCompleted{}, err
	}
	_, err = wait()
	nothing := errors.Is(err, engine.ErrNothingToCompact)
	if !nothing {
		select { // its end is sent after its beginning
		case <-begun:
		case <-chat.done:
		}
	}
	completed := make(chan CompactionCompleted, 1)
	chat.pump.Later(func() [][]byte { // after its records: the view has the numbers then
		s.mu.Lock()
		defer s.mu.Unlock()
		v := s.view
		v.out, v.begun = nil, nil
		switch {
		case s.chat != chat: // it has left the session
			completed <- CompactionCompleted{}
		case nothing:
			completed <- v.uncompacted()
		case err != nil:
			v.failCompaction(err.Error())
			completed <- CompactionCompleted{}
		default:
			completed <- v.compacted
		}
		return c.lines(v.out...)
	})
	if nothing {
		err = nil
	}
	return <-completed, err
}

// interruptToCompress ends the turn that runs, if one does.
func (c *conn) interruptToCompress(s *session, chat *chat) [][]byte {
	st := chat.eng.State()
	if st.Turn == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view.label, s.view.silenced = labelCompressing, true
	chat.client.Interrupt()
	return c.lines(signal{name: EventSessionStatus, params: SessionStatus{s.id, true, labelCompressing, ""}})
}
