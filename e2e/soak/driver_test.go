//go:build linux

package soak

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"parley.dev/parley/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/record"
)

// What a driver does in the middle of some turns, and after some; by the number of its turn and its own.
const (
	turnsOfKinds    = 11 // of which one is interrupted, and in one the client leaves and connects again
	interruptedTurn = 3
	leftTurn        = 7
	turnPatience    = 3 * stage.Patience
	removeEvery     = 40 // turns, after which a session is removed and another one created
)

// atLength is in prompts whose turns are interrupted: an agent of the back end does not end such a turn itself.
const atLength = "at length"

// A driver is a client of the native protocol that has turns in sessions of its own, in one after the other.
type driver struct {
	*crowd
	name, address string
	number        int // of its kind: what it does in the middle of turns comes at turns of its own
	settings      map[string]any
	client        *client.Client
	sessions      []*conversation
	made          int // sessions
}

func (d *driver) connect(ctx context.Context) (err error) {
	d.client, err = client.Dial(ctx, d.address, client.Options{Name: d.name, Token: d.host.token})
	return err
}

// open connects, and makes the sessions.
func (d *driver) open(ctx context.Context, sessions int) error {
	if err := d.connect(ctx); err != nil {
		return err
	}
	for range sessions {
		s, err := d.create(ctx)
		if err != nil {
			return err
		}
		d.sessions = append(d.sessions, s)
	}
	return nil
}

func (d *driver) create(ctx context.Context) (*conversation, error) {
	id := fmt.Sprintf("%s-%d", strings.ReplaceAll(d.name, " ", "-"), d.made)
	d.made++
	_, err := d.client.Create(ctx, client.NewSession{ID: id, Workspace: d.host.place.Work, Settings: d.settings})
	_, ofAgent := d.settings["backend"]
	return &conversation{id: id, phase: d.made, ofAgent: ofAgent}, err
}

// run has turns until it is enough.
func (d *driver) run(ctx context.Context) error {
	defer func() { _ = d.client.Close() }() // all that it was for is done
	for turn := 0; d.goesOn(); turn++ {
		i, at := turn%len(d.sessions), turn+d.number
		s := d.sessions[i]
		if err := d.turn(ctx, s, at%turnsOfKinds); err != nil {
			return fmt.Errorf("%s, turn %d of session %s, after record %d: %w", d.name, s.accepted, s.id, s.head, err)
		}
		if at%removeEvery == removeEvery-1 {
			if err := d.replace(ctx, i); err != nil {
				return fmt.Errorf("%s removes session %s: %w", d.name, s.id, err)
			}
		}
		d.rest()
	}
	return nil
}

// replace removes a session after a look at its records, and creates another one.
func (d *driver) replace(ctx context.Context, i int) (err error) {
	s := d.sessions[i]
	if err := s.verify(ctx, d.client); err != nil {
		return err
	}
	d.add(summedUp, s.summed)
	d.removed.Add(sizeOf(filepath.Join(d.host.place.State(), "sessions", s.id)))
	if err := d.client.Call(ctx, "session/remove", map[string]any{"session": s.id}, nil); err != nil {
		return err
	}
	d.count("sessions removed, and others created")
	d.sessions[i], err = d.create(ctx)
	return err
}

// turn has one turn to its end.
func (d *driver) turn(ctx context.Context, s *conversation, kind int) error {
	prompt := client.Prompt{ID: fmt.Sprintf("p-%d", s.accepted), Text: s.text()}
	if kind == interruptedTurn {
		prompt.Text += ", " + atLength
	}
	begin := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, turnPatience, errors.New("the turn does not end"))
	defer cancel()
	turn, err := d.client.Session(s.id).Prompt(ctx, prompt)
	if err != nil {
		return err
	}
	s.accepted++
	left := kind != leftTurn
	for {
		reason, err := d.follow(ctx, s, turn, kind, &left)
		switch {
		case err != nil:
			return err
		case reason == "completed", reason == "interrupted" && kind == interruptedTurn:
			d.ended(time.Since(begin))
			d.count("turns that were " + reason)
			return nil
		case reason != "":
			return fmt.Errorf("the turn ended as %s", reason)
		}
		if err := d.leave(ctx, s, prompt, turn); err != nil {
			return err
		}
	}
}

// leave cuts the connection, connects again, and repeats the prompt of the running turn, which must do nothing.
func (d *driver) leave(ctx context.Context, s *conversation, prompt client.Prompt, turn string) error {
	d.count("connections cut in a turn")
	if err := d.client.Close(); err != nil {
		return err
	}
	if err := d.connect(ctx); err != nil {
		return err
	}
	again, err := d.client.Session(s.id).Prompt(ctx, prompt)
	if err == nil && again != turn {
		err = fmt.Errorf("the repeat of the prompt of turn %s began turn %s", turn, again)
	}
	return err
}

// follow reads records until the turn has ended, and returns the reason; "": it is time to leave.
func (d *driver) follow(ctx context.Context, s *conversation, turn string, kind int, left *bool) (string, error) {
	session := d.client.Session(s.id)
	for rec, err := range session.Follow(ctx, client.FollowOptions{From: s.head + 1, Transient: []string{record.KindTextDelta}}) {
		if err != nil {
			return "", err
		}
		if rec.Seq != 0 {
			if rec.Seq != s.head+1 {
				return "", fmt.Errorf("record %d comes where %d should", rec.Seq, s.head+1)
			}
			s.head = rec.Seq
		}
		switch rec.Kind {
		case record.KindApprovalAsked:
			if err := d.answer(ctx, session, rec, s.accepted%4 != 0); err != nil {
				return "", err
			}
		case record.KindTextDelta, record.KindAnswerGrew: // deltas that came before the request to follow are missed
			switch {
			case !*left:
				*left = true
				return "", nil
			case kind == interruptedTurn:
				if _, err := session.Interrupt(ctx, turn); err != nil {
					return "", err
				}
				kind = 0
			}
		case record.KindTurnEnded:
			if rec.Turn != turn {
				return "", fmt.Errorf("turn %s ended, not %s", rec.Turn, turn)
			}
			var ended record.TurnEnded
			err := rec.Decode(&ended)
			return ended.Reason, err
		}
	}
	return "", errors.New("there are no more records")
}

// answer allows a call, or denies it.
func (d *driver) answer(ctx context.Context, session *client.Session, rec record.Record, allow bool) error {
	var asked record.ApprovalAsked
	if err := rec.Decode(&asked); err != nil {
		return err
	}
	if !allow {
		d.count("calls denied")
		return session.Deny(ctx, asked.ID, "not now")
	}
	d.count("calls allowed")
	return session.Approve(ctx, asked.ID)
}
