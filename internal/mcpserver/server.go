package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/wire"
)

// Config is what a server works with.
type Config struct {
	Host *engine.Host
	// Options are those of sessions; which calls need an approval is set for each session.
	Options engine.Options
	// Dir is the folder of sessions that do not set one.
	Dir   string
	Model string // of sessions that do not set one; "": the configured one
	// Mode is the permission mode of sessions that do not set one, and the widest that they can set.
	Mode approval.Mode
	// Sandbox is the widest sandbox that a session can ask for.
	Sandbox approval.SandboxKind
	In      io.Reader
	Out     io.WriteCloser
	Log     *slog.Logger
	Version string
}

// versions are the versions of the protocol in which a server can ask the client's user within a call.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

const instructions = "Parley is a coding agent: it reads, changes and runs code in a folder. The tool parley starts a session with a task and returns " +
	"its last answer; parley-reply continues that session."

// maxLine bounds a message, in bytes.
const maxLine = 64 << 20

// A server is one connection.
type server struct {
	cfg   Config
	calls sync.WaitGroup

	mu   lock.Mutex
	busy map[event.SessionID]bool // sessions with a running turn
}

// Serve answers the client until the input ends or ctx does. Turns that still run are interrupted,
// and their sessions closed, before it returns.
func Serve(ctx context.Context, cfg Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{cfg: cfg, busy: map[event.SessionID]bool{}}
	reader, feed := io.Pipe()
	go s.feed(feed)                                             // ends with the input; at the end of ctx the process ends
	stop := context.AfterFunc(ctx, func() { _ = feed.Close() }) // a blocked read of a standard input cannot be ended
	defer stop()
	connection := &sdk.IOTransport{Reader: reader, Writer: cfg.Out, MaxLineLength: maxLine + 1}
	session, err := s.protocol(ctx).Connect(ctx, connection, nil)
	if err != nil {
		return err
	}
	err = session.Wait()
	cancel()
	s.calls.Wait()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		err = nil
	}
	return err
}

// feed copies the lines of the input that are JSON objects: another one would end the connection.
func (s *server) feed(to *io.PipeWriter) {
	lines := wire.NewReader(s.cfg.In, maxLine)
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, wire.ErrLineTooLong):
			s.cfg.Log.Warn("a message is too long and was dropped", "limit", maxLine)
			continue
		case err != nil && !errors.Is(err, io.EOF):
			to.CloseWithError(err)
			return
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if text[0] != '{' || !jsontext.Value(text).IsValid() {
				s.cfg.Log.Warn("a line that is no JSON object was dropped")
			} else if _, err := to.Write(append(text, '\n')); err != nil {
				return
			}
		}
		if err != nil {
			_ = to.Close() // of a pipe it never fails
			return
		}
	}
}

// protocol returns the server of the library with our tools. Calls end with ctx.
func (s *server) protocol(ctx context.Context) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "parley", Title: "Parley", Version: s.cfg.Version}, &sdk.ServerOptions{
		Instructions: instructions, Logger: slog.New(slog.DiscardHandler), Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		SupportedProtocolVersions: versions,
	})
	sdk.AddTool(server, startTool(s.cfg), handler(ctx, s, s.start))
	sdk.AddTool(server, replyTool, handler(ctx, s, s.reply))
	return server
}

// handler returns work as the library calls it: it ends with the call and with ctx, and what
// goes wrong is a result for the model of the client.
func handler[In any](ctx context.Context, s *server, work func(context.Context, *sdk.CallToolRequest, In) (answer, error)) sdk.ToolHandlerFor[In, answer] {
	return func(call context.Context, req *sdk.CallToolRequest, in In) (*sdk.CallToolResult, answer, error) {
		s.calls.Add(1)
		defer s.calls.Done()
		call, cancel := context.WithCancel(call)
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		a, err := work(call, req, in)
		if err != nil {
			return nil, a, err // the library makes a result of it
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: a.Content}}, IsError: a.failed}, a, nil
	}
}

// take marks a session as busy, and reports whether it was not.
func (s *server) take(id event.SessionID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[id] {
		return false
	}
	s.busy[id] = true
	return true
}

func (s *server) release(id event.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, id)
}
