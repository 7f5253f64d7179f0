//go:build linux

package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/boottime"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// writerEnv is the environment variable that makes the test binary a writer; its value is a writerSpec.
const writerEnv = "PARLEY_STORE_WRITER"

// A writerSpec describes a writer.
type writerSpec struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	TTLMS   int64  `json:"ttl_ms"`          // of the key of its host
	Lost    string `json:"lost"`            // folder for records that the servers lack
	Mutant  string `json:"mutant,omitzero"` // a mistake of the driver; "": none
}

// opOpen makes a writer lease a session until it has it or another writer than Gone has it, and create it if it
// does not exist.
const opOpen = "open"

// A command is a line that a writer reads. It does one after the other; reads and follows run beside them.
type command struct {
	Op      int    `json:"op"`
	Do      string `json:"do"`
	Session string `json:"session"`
	Count   int    `json:"count,omitzero"` // of records
	Size    int    `json:"size,omitzero"`  // of a record at most, in bytes
	From    uint64 `json:"from,omitzero"`
	Gone    string `json:"gone,omitzero"`
	LimitMS int64  `json:"limit_ms,omitzero"` // of the operation; 0: none. Of a step: its size
}

// A writerProcess is the process of a writer.
type writerProcess struct {
	spec   writerSpec
	store  journal.Store
	output sync.Mutex
	held   map[string]journal.Journal
	step   atomic.Int64    // of the clock, in nanoseconds
	life   context.Context // until the input has ended and all is done
}

// runWriter runs a writer until its input ends.
func runWriter(text string) error {
	w := &writerProcess{held: map[string]journal.Journal{}}
	life, end := context.WithCancel(context.Background())
	defer end()
	w.life = life
	if err := json.Unmarshal([]byte(text), &w.spec); err != nil {
		return err
	}
	store, err := openStore(w.spec, w.log, w.clock)
	if err != nil {
		return err
	}
	w.store = store
	w.connect()
	w.log(entry{Do: opReady})
	commands := make(chan command, 1024)
	var beside sync.WaitGroup
	beside.Go(func() {
		for c := range commands {
			w.do(c)
		}
	})
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var c command
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return err
		}
		switch c.Do {
		case opRead:
			beside.Go(func() { w.read(c) })
		case opFollow:
			go w.follow(c)
		default:
			commands <- c
		}
	}
	close(commands)
	beside.Wait()
	return store.Close()
}

// connect connects to the servers, which may be away at first.
func (w *writerProcess) connect() {
	for {
		_, err := w.store.List(context.Background(), journal.Query{})
		if err == nil {
			return
		}
		fmt.Fprintln(os.Stderr, err)
		w.pause()
	}
}

// pause waits before the next attempt. It returns false when the input has ended.
func (w *writerProcess) pause() bool {
	select {
	case <-time.After(retryInterval):
		return true
	case <-w.life.Done():
		return false
	}
}

// clock is the clock by which the keys of hosts last.
func (w *writerProcess) clock() time.Duration { return boottime.Now() + time.Duration(w.step.Load()) }

// log writes a line of the log.
func (w *writerProcess) log(e entry) {
	w.output.Lock()
	defer w.output.Unlock()
	e.Time, e.Writer = time.Now().UnixNano(), w.spec.Name
	line, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.Write(append(line, '\n'))
}

// end logs the end of an operation.
func (w *writerProcess) end(e entry, err error) string {
	e.End, e.Outcome = true, outcomeOf(err)
	if err != nil {
		e.Error = err.Error()
		e.Missing = errors.Is(err, journal.ErrNotFound)
		_, e.Damaged = errors.AsType[*journal.DamageError](err)
		if locked, ok := errors.AsType[*journal.LockedError](err); ok {
			e.Locked = locked.Host
			if locked.Owner == "" {
				e.Locked = w.spec.Name
			}
		}
	}
	w.log(e)
	return e.Outcome
}

// outcomeOf returns the outcome of an operation that returned an error.
func outcomeOf(err error) string {
	_, locked := errors.AsType[*journal.LockedError](err)
	switch {
	case err == nil:
		return ack
	case locked, errors.Is(err, journal.ErrNotFound), errors.Is(err, journal.ErrExists),
		errors.Is(err, journal.ErrReleased), errors.Is(err, journal.ErrClosed), errors.Is(err, journal.ErrStale):
		return refused
	}
	return unknown
}

func (w *writerProcess) do(c command) {
	ctx := context.Background()
	if c.LimitMS > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(c.LimitMS)*time.Millisecond)
		defer cancel()
		ctx = limited
	}
	switch c.Do {
	case opOpen:
		w.open(ctx, c)
	case opCreate:
		w.create(ctx, c)
	case opLease:
		w.lease(ctx, c)
	case opAppend:
		w.append(c)
	case opSync:
		w.sync(c)
	case opRemove:
		e := entry{Op: c.Op, Do: opRemove, Session: c.Session}
		w.log(e)
		w.end(e, w.store.Remove(ctx, event.SessionID(c.Session)))
	case opRelease, opClose:
		w.giveUp(c)
	case opClock:
		w.step.Add(c.LimitMS * int64(time.Millisecond))
		w.end(entry{Op: c.Op, Do: opClock}, nil)
	default:
		panic("unknown command " + c.Do)
	}
}

// retryInterval is the time between attempts to lease a session that another process has.
const retryInterval = 50 * time.Millisecond

func (w *writerProcess) open(ctx context.Context, c command) {
	e := entry{Op: c.Op, Do: opOpen, Session: c.Session}
	w.log(e)
	for {
		c.Op++
		end := w.lease(ctx, c)
		if end.Missing {
			c.Op++
			end = w.create(ctx, c)
		}
		if end.Outcome == ack || end.Locked != "" && end.Locked != c.Gone || ctx.Err() != nil {
			e.End, e.Outcome, e.Locked, e.Error, e.Head = true, end.Outcome, end.Locked, end.Error, end.Head
			w.log(e)
			return
		}
		select {
		case <-time.After(retryInterval):
		case <-ctx.Done():
		}
	}
}

func (w *writerProcess) create(ctx context.Context, c command) (end entry) {
	e := entry{Op: c.Op, Do: opCreate, Session: c.Session, First: 1, Tokens: []string{createdToken}}
	w.log(e)
	id := event.SessionID(c.Session)
	j, err := w.store.Create(ctx, id, []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: id}}})
	if err == nil {
		w.hold(c.Session, j)
		e.Head = 1
	}
	e.Outcome = w.end(e, err)
	return e
}

// createdToken is the token of the first record of every session.
const createdToken = "created"

func (w *writerProcess) hold(session string, j journal.Journal) {
	w.held[session] = j
	go func() {
		<-j.Lost()
		w.log(entry{Do: opLost, Session: session})
	}()
}

// lease leases a session, or acquires the lease again if it was released.
func (w *writerProcess) lease(ctx context.Context, c command) entry {
	e := entry{Op: c.Op, Do: opLease, Session: c.Session}
	w.log(e)
	j := w.held[c.Session]
	var err error
	if j == nil {
		if j, err = w.store.Lease(ctx, event.SessionID(c.Session)); err == nil {
			w.hold(c.Session, j)
		}
	} else if err = j.Acquire(ctx, nil); errors.Is(err, journal.ErrFenced) {
		delete(w.held, c.Session)
		_ = j.Close()
	}
	if err == nil {
		e.Head = j.Head()
	}
	e.Outcome = w.end(e, err)
	_, locked := errors.AsType[*journal.LockedError](err)
	e.Missing = errors.Is(err, journal.ErrNotFound)
	if locked {
		var l *journal.LockedError
		errors.As(err, &l)
		e.Locked = l.Host
	}
	if err != nil {
		e.Error = err.Error()
	}
	return e
}

// errNotHeld is the error of an operation that needs a lease in a writer that has none.
var errNotHeld = fmt.Errorf("the writer has no journal: %w", journal.ErrReleased)

// append appends records, each with a call of its own. It does not wait until they are stored.
func (w *writerProcess) append(c command) {
	j := w.held[c.Session]
	for i := range c.Count {
		if j == nil {
			e := entry{Op: c.Op + i, Do: opAppend, Session: c.Session}
			w.log(e)
			w.end(e, errNotHeld)
			return
		}
		head := j.Head()
		token := newToken(w.spec.Name, c.Op, i, rand.IntN(max(c.Size, 1)))
		e := entry{Op: c.Op + i, Do: opAppend, Session: c.Session, First: head + 1, Tokens: []string{token}}
		w.log(e)
		err := j.Append(head, []event.Record{{Time: time.Now(), Event: event.Notice{Text: contentOf(token)}}})
		if err != nil {
			w.end(e, err)
			w.drop(c.Session, err)
			return
		}
		e.End, e.Outcome = true, unknown // until sync
		w.log(e)
	}
}

func (w *writerProcess) sync(c command) {
	e := entry{Op: c.Op, Do: opSync, Session: c.Session}
	w.log(e)
	j := w.held[c.Session]
	if j == nil {
		w.end(e, errNotHeld)
		return
	}
	head := j.Head()
	err := j.Sync()
	if err == nil {
		e.Head = head
	}
	if errors.Is(err, journal.ErrFenced) {
		err = fmt.Errorf("%v", err) // what was in flight may be stored: unknown
		w.drop(c.Session, journal.ErrFenced)
	}
	w.end(e, err)
}

// drop closes a journal whose lease is lost.
func (w *writerProcess) drop(session string, err error) {
	if j := w.held[session]; j != nil && errors.Is(err, journal.ErrStale) {
		delete(w.held, session)
		_ = j.Close()
	}
}

func (w *writerProcess) giveUp(c command) {
	e := entry{Op: c.Op, Do: c.Do, Session: c.Session}
	w.log(e)
	j := w.held[c.Session]
	if j == nil {
		w.end(e, errNotHeld)
		return
	}
	head := j.Head()
	var err error
	if c.Do == opRelease {
		err = j.Release()
	} else {
		delete(w.held, c.Session)
		err = j.Close()
	}
	if err == nil {
		e.Head = head
	}
	w.end(e, err)
	w.drop(c.Session, err)
}

// read reads a session and logs the tokens of its records.
func (w *writerProcess) read(c command) {
	e := entry{Op: c.Op, Do: opRead, Session: c.Session}
	w.log(e)
	e.First = max(c.From, 1)
	var failure error
	for rec, err := range w.store.Read(context.Background(), event.SessionID(c.Session), c.From) {
		if err != nil {
			failure = err
			break
		}
		e.Head = rec.Seq
		e.Tokens = append(e.Tokens, tokenOfRecord(rec))
	}
	w.end(e, failure)
}

// follow follows a session from its first record on, and logs each record. It begins again after the last one
// when the store could not be reached, and with the first one of a session that was removed.
func (w *writerProcess) follow(c command) {
	next := uint64(1)
	for {
		e := entry{Op: c.Op, Do: opFollow, Session: c.Session}
		for rec, err := range w.store.Follow(context.Background(), event.SessionID(c.Session), next) {
			if err != nil {
				e.Outcome, e.Error, e.Missing = outcomeOf(err), err.Error(), errors.Is(err, journal.ErrNotFound)
				_, e.Damaged = errors.AsType[*journal.DamageError](err)
				break
			}
			next = rec.Seq + 1
			w.log(entry{Op: c.Op, Do: opFollow, Session: c.Session, First: rec.Seq, Tokens: []string{tokenOfRecord(rec)}})
		}
		if e.Missing && next > 1 {
			next, e.Removed = 1, true
		}
		if e.Damaged || e.Removed {
			e.End = true
			w.log(e)
		}
		if e.Damaged {
			return
		}
		if !w.pause() {
			return
		}
	}
}

// tokenOfRecord returns the token of a record, or what is wrong with it.
func tokenOfRecord(rec event.Record) string {
	switch e := rec.Event.(type) {
	case event.SessionCreated:
		return createdToken
	case event.Notice:
		token, err := tokenOf(e.Text)
		if err != nil {
			return err.Error()
		}
		return token
	}
	return fmt.Sprintf("a record of kind %s", rec.Event.Kind())
}
