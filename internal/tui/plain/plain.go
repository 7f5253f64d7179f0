package plain

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"time"

	"parley.dev/parley/client"
	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/record"
)

// A Host is what a console needs of a [link.Link].
type Host interface {
	Create(ctx context.Context, n link.NewSession) (link.Opened, error)
	Open(ctx context.Context, session string) (link.Opened, error)
	Follow(ctx context.Context, session string, from uint64) iter.Seq2[record.Record, error]
	Before(ctx context.Context, session string, before uint64, limit int, kinds ...string) (link.Page, error)
	Leave(ctx context.Context, session string) error

	Prompt(ctx context.Context, session string, p client.Prompt) error
	Interrupt(ctx context.Context, session string) (bool, error)
	Allow(ctx context.Context, session, approval, remember string) error
	Deny(ctx context.Context, session, approval, reason string) error
	Answer(ctx context.Context, session, question string, answers [][]string) error

	Change(ctx context.Context, session string, patch map[string]any, expected uint64) error
	Compact(ctx context.Context, session, guidance string) error
	Rename(ctx context.Context, session, name string) error
	Fork(ctx context.Context, session string, before uint64) (link.Opened, error)
	List(ctx context.Context, q client.Query) (page []record.Listed, next string, err error)
	Models(ctx context.Context, discover bool) (link.Models, error)
}

// Options are what a console is started with.
type Options struct {
	In         io.Reader
	Out        io.Writer
	Interrupts <-chan struct{} // Ctrl-C
	Lost       <-chan bool     // whether the connection is lost, when that changes; nil: it is not shown
	Workspace  string
	Session    string         // to open; "": the first prompt makes one
	Prompt     string         // to send before the first line of the input; "": none
	Settings   map[string]any // of sessions that are made
	Embedded   bool           // the session ends with the console
	// Export writes a session into a file and returns its path.
	Export func(session string) (path string, err error)
}

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1
)

// lastPage is how many records are read when a session is opened: what waits and runs must be in them.
const lastPage = 200

// A console is one that runs.
type console struct {
	host Host
	o    Options
	ctx  context.Context
	out  *printer

	session  string // "": none yet
	items    *conversation.Conversation
	stop     context.CancelFunc // ends what is received of the session
	previous chan struct{}      // closed when nothing is received of the one before
	records  chan arrival

	reader   *reader
	reading  bool   // a line was requested
	forItem  string // what it was requested for; "": for a prompt or command
	inputEnd bool   // the input has ended

	requests int // that run
	results  chan func()

	pending ownPrompt
	failed  bool // the last turn, or the last prompt
	quit    bool

	ownAnswers map[string]bool // items of the session that were answered here
	question   question
}

// An arrival is what came of a session.
type arrival struct {
	items *conversation.Conversation // that it is for: a session that is left and opened again has a new one
	rec   record.Record
	err   error
	end   bool
}

// Run runs a console until its input ends, or ctx, and returns the exit code.
func Run(ctx context.Context, host Host, o Options) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &console{
		host: host, o: o, ctx: ctx, out: newPrinter(o.Out), items: &conversation.Conversation{}, stop: func() {},
		previous: make(chan struct{}), records: make(chan arrival), reader: newReader(o.In), results: make(chan func()), ownAnswers: map[string]bool{},
	}
	defer func() { c.stop() }()
	close(c.previous)
	c.checkModels()
	if o.Session != "" {
		c.failed = true // until it is open
		c.open(o.Session)
	}
	c.loop()
	c.interruptOwn()
	if err := c.out.flush(); err != nil || c.failed {
		return exitFailed
	}
	return exitOK
}

// loop does what comes until the console ends.
func (c *console) loop() {
	for c.next() {
		select {
		case line := <-c.reader.lines:
			c.reading = false
			c.input(line)
		case r := <-c.records:
			c.receive(r)
		case then := <-c.results:
			c.requests--
			then()
		case <-c.o.Interrupts:
			c.interrupt()
		case lost := <-c.o.Lost:
			c.out.fact("notice", map[bool]string{true: "Connection lost", false: "The connection is back"}[lost])
		case <-c.ctx.Done():
			return
		}
	}
}

// next prepares for what comes, and reports whether the console goes on.
func (c *console) next() bool {
	if c.quit || c.out.flush() != nil {
		return false
	}
	waiting := len(c.items.State().Waiting) > 0
	if waiting && c.requests == 0 && !c.inputEnd {
		c.showNext()
	}
	if text := c.o.Prompt; text != "" && c.requests == 0 {
		c.o.Prompt = ""
		c.submit(text)
	}
	switch {
	case c.requests > 0 || c.reading:
	case c.inputEnd && waiting:
		c.denyAll()
	case c.inputEnd && !c.busy():
		return false
	case !c.inputEnd && (waiting || !c.busy()):
		c.reading, c.forItem = true, ""
		if item, ok := c.waiting(); ok {
			c.forItem = item.Key
		}
		c.reader.next <- struct{}{}
		return c.out.flush() == nil
	}
	return true
}

// busy reports whether a turn or something like it runs, or soon does.
func (c *console) busy() bool {
	s := c.items.State()
	return s.Turn != "" || len(s.FollowUps) > 0 || s.Status == record.StatusCompacting || c.pending.id != ""
}

// checkModels reports that no model can be called, if that is so.
func (c *console) checkModels() {
	c.do(func(ctx context.Context) func() {
		models, err := c.host.Models(ctx, false)
		return func() {
			if err == nil && models.Demo() { // else the first prompt shows the error
				c.out.fact("notice", "offline demo: no provider is configured; set ANTHROPIC_API_KEY, for example")
			}
		}
	})
}

// do sends a request, and does then what it returns.
func (c *console) do(request func(ctx context.Context) (then func())) {
	c.requests++
	go func() {
		then := request(c.ctx)
		select {
		case c.results <- then:
		case <-c.ctx.Done():
		}
	}()
}

// check sends a request of which only the error counts.
func (c *console) check(request func(ctx context.Context) error) {
	c.do(func(ctx context.Context) func() {
		err := request(ctx)
		return func() { c.report(err) }
	})
}

// report prints an error.
func (c *console) report(err error) {
	if err != nil {
		c.out.fact("error", err.Error())
	}
}

// open opens a session.
func (c *console) open(session string) {
	c.do(func(ctx context.Context) func() {
		opened, err := c.host.Open(ctx, session)
		if err != nil {
			return func() { c.report(err) }
		}
		page, err := c.host.Before(ctx, opened.ID, opened.State.Head+1, lastPage)
		return func() { c.report(err); c.begin(opened, page.Records) }
	})
}

// begin shows a session from its end.
func (c *console) begin(opened link.Opened, page []record.Record) {
	c.failed = false
	if opened.ID == c.session {
		c.out.fact("notice", "The session is open already")
		return
	}
	if left := c.session; left != "" {
		c.do(func(ctx context.Context) func() {
			_ = c.host.Leave(ctx, left) // the host closes it when nothing needs it
			return func() {}
		})
	}
	c.stop()
	c.reset(opened.ID)
	if opened.State.Head > 0 {
		c.items.Seed(opened.State)
		c.items.Prepend(page)
	}
	c.out.fact("session", c.session)
	c.out.skip(c.items.Items())
	ctx, cancel := context.WithCancel(c.ctx)
	c.stop = cancel
	before, stopped, items := c.previous, make(chan struct{}), c.items
	c.previous = stopped
	go func() {
		defer close(stopped)
		<-before // a session is followed once at a time
		c.follow(ctx, items, opened.ID, opened.State.Head+1)
	}()
}

// reset begins an empty conversation. Its items may have the keys of those before.
func (c *console) reset(session string) {
	c.session, c.items = session, &conversation.Conversation{}
	c.pending, c.question, c.ownAnswers = ownPrompt{}, question{}, map[string]bool{}
}

// follow receives the records of a session. The last arrival can come when the session has been left.
func (c *console) follow(ctx context.Context, items *conversation.Conversation, session string, from uint64) {
	send := func(r arrival) bool {
		r.items = items
		select {
		case c.records <- r:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for rec, err := range c.host.Follow(ctx, session, from) {
		if !send(arrival{rec: rec, err: err}) || err != nil {
			return
		}
	}
	send(arrival{end: true})
}

// receive shows what came of the session.
func (c *console) receive(r arrival) {
	switch {
	case r.items != c.items:
		return
	case r.err != nil:
		c.out.fact("error", r.err.Error())
		c.failed, c.quit = true, true
		return
	case r.end:
		c.out.fact("error", "the session was closed for all clients")
		c.failed, c.quit = true, true
		return
	}
	c.apply(r.rec)
}

// interrupt interrupts the turn; if none runs, it ends the console.
func (c *console) interrupt() {
	if session := c.session; session != "" && c.busy() {
		c.check(func(ctx context.Context) error {
			_, err := c.host.Interrupt(ctx, session)
			return err
		})
		return
	}
	c.quit = true
}

// endTime is how long the end of a turn may take when the console ends.
const endTime = 10 * time.Second

// interruptOwn interrupts a turn that must not go on without the console.
func (c *console) interruptOwn() {
	if c.session == "" || !c.o.Embedded || c.items.State().Turn == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), endTime)
	defer cancel()
	if _, err := c.host.Interrupt(ctx, c.session); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		c.report(err)
	}
}

// prompts returns those of the session, oldest first.
func (c *console) prompts(ctx context.Context, session string) (prompts []record.Record, err error) {
	for before := uint64(math.MaxInt64); ; {
		page, err := c.host.Before(ctx, session, before, 1000, record.KindUserMessage)
		if err != nil || len(page.Records) == 0 {
			return prompts, err
		}
		var some []record.Record
		for _, rec := range page.Records {
			var m record.UserMessage
			if rec.Decode(&m) == nil && (m.Via == "prompt" || m.Via == "follow_up") {
				some = append(some, rec)
			}
		}
		prompts, before = append(some, prompts...), page.Records[0].Seq
		if !page.More {
			return prompts, nil
		}
	}
}

// A line of input; ok is false at its end.
type line struct {
	text string
	ok   bool
}

// A reader reads a line whenever one is requested.
type reader struct {
	next  chan struct{}
	lines chan line
}

func newReader(in io.Reader) *reader {
	r := &reader{make(chan struct{}, 1), make(chan line, 1)}
	go func() { // until the process ends: a read of a terminal cannot be ended
		buffered := bufio.NewReader(in)
		for range r.next {
			text, err := buffered.ReadString('\n')
			r.lines <- line{text, err == nil || text != ""}
		}
	}()
	return r
}
