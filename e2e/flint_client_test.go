package e2e

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/transcript"
)

// A flint is a running "parley flint"; the test is its client.
type flint struct {
	*server
	asked int
	bytes int // of output that was read
}

// A flintLine is any line of the Flint protocol. That lines are exactly right is for the
// transcripts to test.
type flintLine struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params struct {
		ItemID string         `json:"itemId"`
		Delta  string         `json:"delta"`
		Item   jsontext.Value `json:"item"`
		Turn   flintTurn      `json:"turn"`
	} `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	raw string
}

type flintTurn struct {
	ID     string           `json:"id"`
	Status string           `json:"status"`
	Items  []jsontext.Value `json:"items"`
}

type flintItem struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	Status   string `json:"status"`
	Text     string `json:"text"`
	Output   string `json:"aggregatedOutput"`
	ExitCode *int   `json:"exitCode"`
}

// flint starts the program with a script for the offline model, and initializes it.
func (p *place) flint(t testing.TB, script string, args ...string) *flint {
	t.Helper()
	f := &flint{server: launch(t, p.flintCommand(t, transcript.Build(t), script, append([]string{"flint"}, args...)...))}
	f.call("initialize", `{"clientInfo":{"name":"e2e","version":"1"}}`)
	return f
}

func (p *place) flintCommand(t testing.TB, program, script string, args ...string) *exec.Cmd {
	t.Helper()
	path := filepath.Join(p.home, "model.script")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = p.work
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "PARLEY_HOME=" + p.state(), "LANG=C.UTF-8",
		"PARLEY_MODEL=offline/script", "PARLEY_OFFLINE_SCRIPT=" + path,
	}, p.env...)
	return cmd
}

// next returns the next line; false at the end of the output.
func (f *flint) next() (flintLine, bool) {
	f.t.Helper()
	if err := f.stdout.SetReadDeadline(time.Now().Add(patience)); err != nil {
		f.t.Fatal(err)
	}
	raw, err := f.lines.ReadString('\n')
	if errors.Is(err, io.EOF) && raw == "" {
		return flintLine{}, false
	}
	if err != nil {
		f.t.Fatalf("read: %v behind %.500q", err, raw)
	}
	f.bytes += len(raw)
	line := flintLine{raw: strings.TrimSuffix(raw, "\n")}
	if err := json.Unmarshal([]byte(raw), &line); err != nil {
		f.t.Fatalf("%v: %s", err, raw)
	}
	return line, true
}

// until reads up to the first line for which found holds.
func (f *flint) until(found func(flintLine) bool) []flintLine {
	f.t.Helper()
	var all []flintLine
	for {
		line, ok := f.next()
		if !ok {
			f.t.Fatalf("the output ended behind %d lines", len(all))
		}
		if all = append(all, line); found(line) {
			return all
		}
	}
}

// untilMethod reads up to the first line of a method and is that line.
func (f *flint) untilMethod(method string) flintLine {
	f.t.Helper()
	all := f.until(func(l flintLine) bool { return l.Method == method })
	return all[len(all)-1]
}

// ask sends a request and reads up to its answer.
func (f *flint) ask(method, params string) flintLine {
	f.t.Helper()
	f.asked++
	id := fmt.Sprint(f.asked)
	f.sendText(fmt.Sprintf(`{"id":%s,"method":%q,"params":%s}`+"\n", id, method, params))
	all := f.until(func(l flintLine) bool { return l.Method == "" && string(l.ID) == id })
	return all[len(all)-1]
}

// call is ask for what must succeed.
func (f *flint) call(method, params string) jsontext.Value {
	f.t.Helper()
	line := f.ask(method, params)
	if line.Error != nil {
		f.t.Fatalf("%s %s: %s", method, params, line.raw)
	}
	return line.Result
}

// start makes a thread and is its id.
func (f *flint) start(params string) string {
	f.t.Helper()
	return f.threadOf(f.call("thread/start", params)).ID
}

type flintThread struct {
	ID    string           `json:"id"`
	Turns []jsontext.Value `json:"turns"`
}

func (f *flint) threadOf(result jsontext.Value) flintThread {
	f.t.Helper()
	var r struct {
		Thread flintThread `json:"thread"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		f.t.Fatal(err)
	}
	return r.Thread
}

// resume returns the turns of a thread.
func (f *flint) resume(thread string) []jsontext.Value {
	f.t.Helper()
	return f.threadOf(f.call("thread/resume", fmt.Sprintf(`{"threadId":%q}`, thread))).Turns
}

// begin starts a turn and is its id.
func (f *flint) begin(thread string) string {
	f.t.Helper()
	var r struct {
		Turn flintTurn `json:"turn"`
	}
	if err := json.Unmarshal(f.call("turn/start", fmt.Sprintf(`{"threadId":%q,"input":[{"type":"text","text":"go"}]}`, thread)), &r); err != nil {
		f.t.Fatal(err)
	}
	return r.Turn.ID
}

// accept allows what a request asks.
func (f *flint) accept(line flintLine) {
	f.t.Helper()
	f.sendText(fmt.Sprintf(`{"id":%s,"result":{"decision":"accept"}}`+"\n", line.ID))
}

// finish reads to the end of the turn and allows whatever is asked.
func (f *flint) finish() []flintLine {
	f.t.Helper()
	return f.until(func(l flintLine) bool {
		if l.ID != nil && l.Method != "" {
			f.accept(l)
		}
		return l.Method == "turn/completed"
	})
}

// work returns a whole turn and its items.
func (f *flint) work(thread string) []flintItem {
	f.t.Helper()
	f.begin(thread)
	all := f.finish()
	return f.items(all[len(all)-1].Params.Turn)
}

func (f *flint) items(turn flintTurn) []flintItem {
	f.t.Helper()
	items := make([]flintItem, len(turn.Items))
	for i, raw := range turn.Items {
		items[i] = f.item(raw)
	}
	return items
}

func (f *flint) item(raw jsontext.Value) flintItem {
	f.t.Helper()
	var it struct {
		flintItem
		Content jsontext.Value `json:"content"`
	}
	if err := json.Unmarshal(raw, &it); err != nil {
		f.t.Fatalf("%v: %s", err, raw)
	}
	return it.flintItem
}

// turnOf returns a turn as JSON.
func (f *flint) turnOf(raw jsontext.Value) flintTurn {
	f.t.Helper()
	var turn flintTurn
	if err := json.Unmarshal(raw, &turn); err != nil {
		f.t.Fatal(err)
	}
	return turn
}

// quit closes the input, reads what is left, and wants exit code 0.
func (f *flint) quit() {
	f.t.Helper()
	f.stdin.Close()
	drain(f.stdout)
	if code := f.code(); code != 0 {
		f.t.Errorf("exit code %d", code)
	}
}
