package native

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/journal"
)

// A sharedClient is a connection, in process, to a store that other hosts share.
type sharedClient struct {
	t        *testing.T
	conn     *conn
	store    *dialecttest.SharedStore
	requests *io.PipeWriter
	lines    *bufio.Reader
	got      []string
	serving  sync.WaitGroup
}

// newSharedClient returns one that has made and stored a session "s".
func newSharedClient(t *testing.T) *sharedClient {
	t.Helper()
	return newStoreClient(t, func(s *dialecttest.SharedStore) journal.Store { return s })
}

// A slowDisk is a store of this machine, whose fsync takes as long as the acknowledgements of a SharedStore.
type slowDisk struct{ *dialecttest.SharedStore }

func (slowDisk) Deferred() bool { return false }

// newStoreClient is newSharedClient with what a function makes of the store.
func newStoreClient(t *testing.T, of func(*dialecttest.SharedStore) journal.Store) *sharedClient {
	t.Helper()
	env := []string{"PARLEY_HOME=" + homeFolder(t)}
	p, err := dialecttest.Open(env, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	parts := p.Config(scripted{dialecttest.NewModels(dialecttest.Getenv(env))}, nil)
	store := dialecttest.NewSharedStore(parts.Store)
	parts.Store = of(store)
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	c := &sharedClient{t: t, store: store, requests: requests, lines: bufio.NewReader(answers)}
	c.conn = newConn(context.Background(), &Config{
		Host: engine.NewHost(parts), Role: Owner, In: in, Out: out, Log: slog.New(slog.DiscardHandler), Cwd: t.TempDir(),
		Profile: func(name string) (engine.Options, bool) { return Options(nil), name == DefaultProfile },
	})
	c.serving.Go(func() {
		defer p.Close()
		c.conn.serve()
		out.Close()
	})
	c.send(0, "initialize", `{"protocol":1,"client":{"name":"t"}}`)
	c.send(1, "session/create", fmt.Sprintf(`{"workspace":%q,"id":"s"}`, t.TempDir()))
	c.send(2, "session/save", `{"session":"s"}`)
	c.until(`"id":2,`)
	return c
}

// homeFolder returns a folder that is removed after the test. The journal of a session that another process has taken over is
// released after the connection has ended, which writes to recent.jsonl, so the removal is retried.
func homeFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "parley-shared-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		var err error
		for range 1000 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
		}
		t.Error(err)
	})
	return dir
}

func (c *sharedClient) send(id int, method, params string) {
	fmt.Fprintf(c.requests, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
}

// until returns the next line with part in it.
func (c *sharedClient) until(part string) string {
	c.t.Helper()
	for {
		line, err := c.lines.ReadString('\n')
		if err != nil {
			c.t.Fatalf("%v before %s in\n%s", err, part, strings.Join(c.got, ""))
		}
		c.got = append(c.got, line)
		if strings.Contains(line, part) {
			return line
		}
	}
}

// wantUnknown waits for the answer to a request: that its outcome is unknown.
func (c *sharedClient) wantUnknown(id int) {
	c.t.Helper()
	line := c.until(fmt.Sprintf(`"id":%d,`, id))
	var answer struct {
		Error struct {
			Code int
			Data ErrorData
		}
	}
	if err := json.Unmarshal([]byte(line), &answer, json.MatchCaseInsensitiveNames(true)); err != nil || answer.Error.Code != CodeUnsaved || answer.Error.Data.Outcome != "unknown" {
		c.t.Errorf("the request is answered with %s", line)
	}
}

// close ends the connection.
func (c *sharedClient) close() {
	c.requests.Close()
	go io.Copy(io.Discard, c.lines)
	c.serving.Wait()
}

// TestMoved: a prompt is answered once it is stored. When another process takes the session over, the prompt that is not stored is
// answered that its outcome is unknown, and the client is sent session/closed with the new owner, while the connection goes on.
func TestMoved(t *testing.T) {
	c := newSharedClient(t)
	c.send(8, "session/follow", `{"session":"s","from":1}`)
	c.until(`"id":8,`)
	c.store.Hold()
	c.send(3, "turn/prompt", `{"session":"s","id":"p-1","blocks":[{"kind":"text","text":"hello"}]}`)
	c.send(4, "ping", `{}`)
	c.until(`"id":4,`) // it is not kept back by the prompt
	c.store.Lose()
	c.wantUnknown(3)
	closed := c.until("session/closed")
	if !strings.Contains(closed, `"reason":"moved"`) || !strings.Contains(closed, `"owner":"h-2.1"`) || !strings.Contains(closed, `"host":"two"`) {
		t.Errorf("closed: %s", closed)
	}
	for _, line := range c.got {
		if strings.Contains(line, "turn_started") || strings.Contains(line, "turn_ended") {
			t.Errorf("shown, and not stored: %s", line)
		}
	}
	c.send(5, "ping", `{}`)
	c.until(`"id":5,`)
	c.close()
}

// TestUnreadable: a client whose session cannot be read is sent session/closed, and follows it again when it can be.
func TestUnreadable(t *testing.T) {
	c := newSharedClient(t)
	c.store.FailReads(errors.New("the servers do not answer"))
	c.send(3, "session/follow", `{"session":"s","from":1}`)
	if closed := c.until("session/closed"); !strings.Contains(closed, `"reason":"unreadable","head":1`) {
		t.Errorf("closed: %s", closed)
	}
	c.store.FailReads(nil)
	c.send(4, "session/follow", `{"session":"s","from":1}`)
	c.until(`"kind":"session_created"`)
	c.close()
}

// TestStoreAway: while the store does not answer, requests that wait for it are answered after 10 s that their outcome is unknown,
// and others at once. A repeat is answered when the store is back.
func TestStoreAway(t *testing.T) {
	for method, params := range map[string]string{
		"session/put_blob": `{"session":"s","data":"aGVsbG8="}`,
		"session/save":     `{"session":"s"}`,
		"turn/prompt":      `{"session":"s","id":"p-1","blocks":[{"kind":"text","text":"hello"}]}`,
	} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newSharedClient(t)
				synctest.Wait()
				ack := c.store.Hold()
				if method == "session/save" {
					c.send(4, "session/change", `{"session":"s","settings":{"name":"other"}}`)
				}
				began := time.Now()
				c.send(5, method, params)
				c.send(6, "ping", `{}`)
				c.until(`"id":6,`)
				if waited := time.Since(began); waited != 0 {
					t.Errorf("ping is answered after %v", waited)
				}
				c.wantUnknown(5)
				if waited := time.Since(began); waited != storedLimit {
					t.Errorf("answered after %v", waited)
				}
				ack()
				c.send(7, method, params)
				if line := c.until(`"id":7,`); !strings.Contains(line, `"result":`) {
					t.Errorf("the repeat: %s", line)
				}
				c.close()
				synctest.Wait() // until what the first request left is stored: it is in the folder that is removed now
			})
		})
	}
}

// TestSlowDisk: what a request has recorded is on disk only after the input has ended, and the request is answered then.
func TestSlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newStoreClient(t, func(s *dialecttest.SharedStore) journal.Store { return slowDisk{s} })
		written := c.store.Hold()
		c.send(5, "session/change", `{"session":"s","settings":{"name":"other"}}`)
		c.requests.Close()
		<-c.conn.life.Done()
		synctest.Wait()
		written()
		if line := c.until(`"id":5,`); !strings.Contains(line, `"result":`) {
			t.Errorf("answered %s", line)
		}
		c.close()
	})
}

// TestForkAway: a fork that the store does not acknowledge is refused after 10 s, and what is stored of it is removed when the store
// is back.
func TestForkAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newSharedClient(t)
		synctest.Wait()
		ack := c.store.Hold()
		began := time.Now()
		c.send(5, "session/fork", `{"session":"s"}`)
		refused := c.until(`"id":5,`)
		if waited := time.Since(began); waited != storedLimit || !strings.Contains(refused, `"code":-32009`) || strings.Contains(refused, "unknown") {
			t.Errorf("after %v: %s", waited, refused)
		}
		ack()
		synctest.Wait()
		c.send(6, "sessions/list", `{}`)
		if list := c.until(`"id":6,`); strings.Count(list, `"parent":`) != 0 {
			t.Errorf("there is a fork: %s", list)
		}
		c.send(7, "session/fork", `{"session":"s"}`)
		if line := c.until(`"id":7,`); !strings.Contains(line, `"result":`) {
			t.Errorf("the repeat: %s", line)
		}
		c.send(8, "sessions/list", `{}`)
		if list := c.until(`"id":8,`); strings.Count(list, `"parent":`) != 1 {
			t.Errorf("there is no fork: %s", list)
		}
		c.close()
	})
}

// TestUnknownOutcome checks that an error reports whether the request was accepted.
func TestUnknownOutcome(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{engine.ErrOutcomeUnknown, `{"kind":"unsaved","outcome":"unknown"}`},
		{fmt.Errorf("x: %w", engine.ErrUnsaved), `{"kind":"unsaved"}`},
		{&engine.LockedError{ID: "s", PID: 7, Owner: "h-2.1", Host: "two"}, `{"kind":"in_use","owner":"h-2.1","host":"two"}`},
		{fmt.Errorf("open session: %w: x", engine.ErrUnavailable), `{"kind":"store_unavailable"}`},
		{createError(fmt.Errorf("%w: x", engine.ErrUnavailable)), `{"kind":"store_unavailable"}`},
		{createError(errors.New("no folder")), `{"kind":"invalid_params","member":"workspace"}`},
		{errors.New("x"), `{"kind":"internal"}`},
	} {
		got := wireError(test.err)
		if string(got.Data) != test.want {
			t.Errorf("%v: data %s, want %s", test.err, got.Data, test.want)
		}
		const remedy = "on host two (h-2.1): stop it there, or connect to that host"
		if got.Code == CodeInUse && !strings.HasSuffix(got.Message, remedy) {
			t.Errorf("the message is %q", got.Message)
		}
	}
}
