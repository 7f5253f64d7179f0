package client

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/e2e/stage"
)

// A Flint is a client of "parley flint".
type Flint struct {
	Reader[FlintLine]
	requests int
}

// A FlintLine is any line of the Flint protocol. That lines are exactly right is checked by the transcripts.
type FlintLine struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params struct {
		ItemID string         `json:"itemId"`
		Delta  string         `json:"delta"`
		Item   jsontext.Value `json:"item"`
		Turn   FlintTurn      `json:"turn"`
	} `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Raw string `json:"-"`
}

// A FlintTurn is a turn as the server shows it.
type FlintTurn struct {
	ID     string           `json:"id"`
	Status string           `json:"status"`
	Items  []jsontext.Value `json:"items"`
}

// A FlintItem is an item as the server shows it.
type FlintItem struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	Status   string `json:"status"`
	Text     string `json:"text"`
	Output   string `json:"aggregatedOutput"`
	ExitCode *int   `json:"exitCode"`
}

// A FlintResult is the result of a request that returns a thread or a turn.
type FlintResult struct {
	Thread struct {
		ID    string           `json:"id"`
		Turns []jsontext.Value `json:"turns"`
	} `json:"thread"`
	Turn FlintTurn `json:"turn"`
}

// ReadFlint returns a line of the protocol.
func ReadFlint(text string) (line FlintLine, err error) {
	line.Raw = text
	return line, json.Unmarshal([]byte(text), &line)
}

// NewFlint returns a client that speaks over c.
func NewFlint(c *Conn) *Flint { return &Flint{Reader: Reader[FlintLine]{c, ReadFlint}} }

// StartFlint starts the program and initializes it.
func StartFlint(t testing.TB, p *stage.Place, args ...string) *Flint {
	t.Helper()
	return start(t, p, append([]string{"flint"}, args...))
}

// StartCodex starts the app-server of Codex: the members of its protocol that these tests read are those of Flint.
func StartCodex(t testing.TB, p *stage.Place, args ...string) *Flint {
	t.Helper()
	return start(t, p, append([]string{"codex", "app-server"}, args...))
}

func start(t testing.TB, p *stage.Place, args []string) *Flint {
	t.Helper()
	f := NewFlint(Start(t, p.Command(t, args...)))
	f.Call("initialize", `{"clientInfo":{"name":"e2e","version":"1"}}`)
	return f
}

// UntilMethod reads up to the first line of a method and returns that line.
func (f *Flint) UntilMethod(method string) FlintLine {
	f.T.Helper()
	all := f.ReadTo(method, func(l FlintLine) bool { return l.Method == method })
	return all[len(all)-1]
}

// Request sends a request and reads up to its answer.
func (f *Flint) Request(method, params string) FlintLine {
	f.T.Helper()
	f.requests++
	id := fmt.Sprint(f.requests)
	f.SendText(fmt.Sprintf(`{"id":%s,"method":%q,"params":%s}`+"\n", id, method, params))
	all := f.ReadTo("the answer to "+method, func(l FlintLine) bool { return l.Method == "" && string(l.ID) == id })
	return all[len(all)-1]
}

// Call is Request for what must succeed.
func (f *Flint) Call(method, params string) jsontext.Value {
	f.T.Helper()
	line := f.Request(method, params)
	if line.Error != nil {
		f.T.Fatalf("%s %s: %s", method, params, line.Raw)
	}
	return line.Result
}

func (f *Flint) result(method, params string) (r FlintResult) {
	f.T.Helper()
	if err := json.Unmarshal(f.Call(method, params), &r); err != nil {
		f.T.Fatal(err)
	}
	return r
}

// StartThread makes a thread and returns its id.
func (f *Flint) StartThread(params string) string {
	f.T.Helper()
	return f.result("thread/start", params).Thread.ID
}

// Resume returns the turns of a thread.
func (f *Flint) Resume(thread string) []jsontext.Value {
	f.T.Helper()
	return f.result("thread/resume", fmt.Sprintf(`{"threadId":%q}`, thread)).Thread.Turns
}

// Begin starts a turn and returns its id.
func (f *Flint) Begin(thread string) string {
	f.T.Helper()
	return f.result("turn/start", fmt.Sprintf(`{"threadId":%q,"input":[{"type":"text","text":"go"}]}`, thread)).Turn.ID
}

// Interrupt ends a turn.
func (f *Flint) Interrupt(thread, turn string) {
	f.T.Helper()
	f.Call("turn/interrupt", fmt.Sprintf(`{"threadId":%q,"turnId":%q}`, thread, turn))
}

// Accept allows the call of a request.
func (f *Flint) Accept(line FlintLine) {
	f.T.Helper()
	f.SendText(fmt.Sprintf(`{"id":%s,"result":{"decision":"accept"}}`+"\n", line.ID))
}

// Finish reads to the end of the turn and allows every call.
func (f *Flint) Finish() []FlintLine {
	f.T.Helper()
	return f.ReadTo("the end of the turn", func(l FlintLine) bool {
		if l.ID != nil && l.Method != "" {
			f.Accept(l)
		}
		return l.Method == "turn/completed"
	})
}

// Work runs a whole turn and returns its items.
func (f *Flint) Work(thread string) []FlintItem {
	f.T.Helper()
	f.Begin(thread)
	all := f.Finish()
	return f.Items(all[len(all)-1].Params.Turn)
}

// Items returns the items of a turn.
func (f *Flint) Items(turn FlintTurn) []FlintItem {
	f.T.Helper()
	items := make([]FlintItem, len(turn.Items))
	for i, raw := range turn.Items {
		if err := json.Unmarshal(raw, &items[i]); err != nil {
			f.T.Fatalf("%v: %s", err, raw)
		}
	}
	return items
}

// Turn reads a turn from JSON.
func (f *Flint) Turn(raw jsontext.Value) (turn FlintTurn) {
	f.T.Helper()
	if err := json.Unmarshal(raw, &turn); err != nil {
		f.T.Fatal(err)
	}
	return turn
}
