package codex

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// An ExecRun is one turn of codex exec.
type ExecRun struct {
	Resume, Fork string // the thread to go on with, or to copy; "": a new one
	Last         bool   // Resume is the last thread of the folder
	Model        string
	Cwd          string // absolute; "": that of the process, or of the thread
	Sandbox      string // "": the configured one
	ThreadSource string
	Ephemeral    bool
	Config       map[string]jsontext.Value // by dotted keys
	Prompt       string
	Images       []string // absolute paths
	OutputSchema jsontext.Value
	Review       *ReviewTarget // what a review is about, in place of a prompt; nil: it is none

	Event func(ExecEvent) error // is sent each event; an error ends the run
}

// An ExecEnd is how a run ended.
type ExecEnd struct {
	Thread    string
	Answer    string // the last message
	Completed bool   // the turn is
}

// Exec runs one turn: it is a client of [Serve] in this process, which cannot ask a user. cfg.In and cfg.Out are not used. After cfg.Stop the turn is
// interrupted, and ended as far as it was seen.
func Exec(ctx context.Context, cfg Config, run ExecRun) (ExecEnd, error) {
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	cfg.In, cfg.Out, cfg.PromptsOnly = in, out, true
	served := make(chan struct{})
	go func() { // Serve recovers
		defer close(served)
		Serve(ctx, cfg)
		_ = out.Close() // it returns no errors
		_ = in.CloseWithError(io.ErrClosedPipe)
	}()
	defer func() {
		_ = requests.Close()                // it returns no errors
		_, _ = io.Copy(io.Discard, answers) // what is not read any more must not block the end
		<-served
	}()
	x := &execClient{out: requests, in: bufio.NewReader(answers), event: run.Event, cwd: cfg.Flags.Cwd, fold: execFold{stop: cfg.Stop}}
	err := x.run(run)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		err = nil // Stop
	}
	return ExecEnd{x.fold.thread, x.fold.answer, x.fold.status == TurnStatusCompleted}, err
}

// An execClient speaks the protocol for one run.
type execClient struct {
	out   io.Writer
	in    *bufio.Reader
	event func(ExecEvent) error
	fold  execFold
	cwd   string // of the process
	last  int    // id of the last request
}

// An execLine is a line of the server: an answer, a request or a notification.
type execLine struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *ExecError     `json:"error"`
}

// An openedThread is what a run needs of a thread.
type openedThread struct {
	ID string `json:"id"`
}

func (x *execClient) run(run ExecRun) error {
	initialize := InitializeParams{ClientInfo: ClientInfo{Name: "codex_exec", Version: schemaVersion}, Capabilities: &InitializeCapabilities{ExperimentalAPI: true}}
	if err := x.call("initialize", initialize, nil); err != nil {
		return err
	}
	if err := x.send(map[string]any{"method": "initialized"}); err != nil {
		return err
	}
	if err := x.open(run); err != nil {
		return err
	}
	if err := x.event(ExecEvent{Type: execThreadStarted, ThreadID: x.fold.thread}); err != nil {
		return err
	}
	if err := x.begin(run); err != nil {
		return err
	}
	for !x.fold.ended {
		if _, err := x.next(); err != nil {
			return err
		}
	}
	return nil
}

// begin begins the turn.
func (x *execClient) begin(run ExecRun) error {
	if run.Review != nil {
		return x.call("review/start", map[string]any{"threadId": x.fold.thread, "target": run.Review}, nil)
	}
	input := []any{map[string]any{"type": "text", "text": run.Prompt, "text_elements": []any{}}}
	for _, path := range run.Images {
		input = append(input, map[string]any{"type": "localImage", "path": path})
	}
	params := map[string]any{"threadId": x.fold.thread, "input": input}
	if run.OutputSchema != nil {
		params["outputSchema"] = run.OutputSchema
	}
	return x.call("turn/start", params, nil)
}

// open starts, resumes or copies the thread.
func (x *execClient) open(run ExecRun) error {
	if run.Last {
		var list struct {
			Data []openedThread `json:"data"`
		}
		if err := x.call("thread/list", map[string]any{"limit": 1, "cwd": cmp.Or(run.Cwd, x.cwd)}, &list); err != nil {
			return err
		}
		if len(list.Data) > 0 {
			run.Resume = list.Data[0].ID
		}
	}
	params := map[string]any{}
	for name, value := range map[string]string{"model": run.Model, "cwd": run.Cwd, "sandbox": run.Sandbox} {
		if value != "" {
			params[name] = value
		}
	}
	config := map[string]jsontext.Value{}
	for key, value := range run.Config {
		config[key] = value
	}
	policy := cmp.Or(string(config["approval_policy"]), `"never"`)
	params["config"], params["approvalPolicy"] = config, jsontext.Value(policy)
	if mode, ok := config["sandbox_mode"]; ok && run.Sandbox == "" {
		params["sandbox"] = mode
	}
	method := "thread/start"
	switch {
	case run.Resume != "":
		method, params["threadId"], params["excludeTurns"] = "thread/resume", run.Resume, true
	case run.Fork != "":
		method, params["threadId"], params["excludeTurns"] = "thread/fork", run.Fork, true
	default:
		params["ephemeral"] = run.Ephemeral
		if run.ThreadSource != "" {
			params["threadSource"] = run.ThreadSource
		}
	}
	var opened struct {
		Thread openedThread `json:"thread"`
	}
	err := x.call(method, params, &opened)
	x.fold.thread = opened.Thread.ID
	return err
}

// call sends a request and waits for its answer.
func (x *execClient) call(method string, params, result any) error {
	x.last++
	if err := x.send(map[string]any{"id": x.last, "method": method, "params": params}); err != nil {
		return err
	}
	want := fmt.Sprint(x.last)
	for {
		line, err := x.next()
		switch {
		case err != nil:
			return err
		case line.Method != "" || string(line.ID) != want:
		case line.Error != nil:
			return errors.New(line.Error.Message)
		case result == nil:
			return nil
		default:
			return json.Unmarshal(line.Result, result)
		}
	}
}

func (x *execClient) send(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = x.out.Write(append(line, '\n'))
	return err
}

// next reads a line. Of a notification it sends the events; a request is refused.
func (x *execClient) next() (line execLine, err error) {
	text, err := x.in.ReadBytes('\n')
	if err != nil {
		return line, err
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return line, fmt.Errorf("read the line of the server: %w", err)
	}
	switch {
	case line.Method == "":
		return line, nil
	case line.ID != nil:
		return line, x.refuse(line)
	}
	for _, e := range x.fold.fold(line.Method, line.Params) {
		if err := x.event(e); err != nil {
			return line, err
		}
	}
	return line, nil
}

// refuse answers a request of the server: no user can be asked.
func (x *execClient) refuse(line execLine) error {
	switch line.Method {
	case "item/commandExecution/requestApproval", "item/fileChange/requestApproval":
		return x.send(map[string]any{"id": line.ID, "result": map[string]any{"decision": "decline"}})
	}
	return x.send(map[string]any{"id": line.ID, "error": map[string]any{"code": jsonrpc.CodeInvalidRequest, "message": "no user can be asked"}})
}

// AppendExecEvent appends the line of an event.
func AppendExecEvent(to []byte, e ExecEvent) []byte { return append(append(to, marshal(e)...), '\n') }
