package plain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/client"
	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/record"
)

// A fakeHost has one session. What it is requested to do it notes, and sends the records that a test has for it.
type fakeHost struct {
	t       testing.TB
	answers map[string]string // records, a line each, by the request that they follow
	refuse  map[string]error  // by request
	opened  link.Opened
	page    string // the records that are there
	models  link.Models
	listed  []record.Listed

	mu       sync.Mutex
	prompt   string        // the id of the last prompt
	sent     chan struct{} // a value for each prompt; nil: none is wanted
	requests []string
	seq      uint64
	created  int                // sessions
	feed     chan record.Record // the records of the session that was created last
}

// do notes a request, and sends the records that follow it.
func (h *fakeHost) do(format string, args ...any) error {
	request := fmt.Sprintf(format, args...)
	h.mu.Lock()
	h.requests = append(h.requests, request)
	h.mu.Unlock()
	records, feed := h.parse(h.answers[request]), h.records()
	for _, rec := range records {
		feed <- rec
	}
	return h.refuse[request]
}

func (h *fakeHost) records() chan record.Record {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.feed
}

// parse returns records that are a line each: the kind, a blank and the data. Durable ones are numbered, transient ones begin
// with "~". A prompt with the id p is the last that was sent.
func (h *fakeHost) parse(lines string) (records []record.Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for line := range strings.Lines(lines) {
		kind, data, _ := strings.Cut(strings.TrimSpace(line), " ")
		if kind == "" {
			continue
		}
		rec := record.Record{Turn: "t"}
		if !strings.HasPrefix(kind, "~") {
			h.seq++
			rec.Seq = h.seq
		}
		rec.Kind = strings.TrimPrefix(kind, "~")
		data = strings.ReplaceAll(data, `{"id":"p"`, `{"id":"`+cmp.Or(h.prompt, "p")+`"`)
		if err := json.Unmarshal([]byte(data), &rec.Data); err != nil {
			h.t.Errorf("%s: %v", line, err)
		}
		records = append(records, rec)
	}
	return records
}

func (h *fakeHost) made() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.requests)
}

func (h *fakeHost) Create(_ context.Context, n link.NewSession) (link.Opened, error) {
	h.mu.Lock()
	if h.created++; h.created > 1 {
		h.feed = make(chan record.Record, cap(h.feed))
	}
	h.mu.Unlock()
	return link.Opened{ID: "s-1"}, h.do("create %s %v", n.Workspace, n.Settings)
}

func (h *fakeHost) Open(_ context.Context, session string) (link.Opened, error) {
	return h.opened, h.do("open %s", session)
}

func (h *fakeHost) Follow(ctx context.Context, _ string, _ uint64) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		feed := h.records()
		for ctx.Err() == nil {
			select {
			case rec, ok := <-feed:
				if !ok || !yield(rec, nil) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func (h *fakeHost) Before(_ context.Context, _ string, before uint64, _ int, kinds ...string) (link.Page, error) {
	var page link.Page
	h.mu.Lock()
	was := h.seq
	h.seq = 0
	h.mu.Unlock()
	for _, rec := range h.parse(h.page) {
		if rec.Seq < before && (len(kinds) == 0 || slices.Contains(kinds, rec.Kind)) {
			page.Records = append(page.Records, rec)
		}
	}
	h.mu.Lock()
	h.seq = max(h.seq, was)
	h.mu.Unlock()
	return page, nil
}

func (h *fakeHost) Leave(_ context.Context, session string) error { return h.do("leave %s", session) }

func (h *fakeHost) Prompt(_ context.Context, session string, p client.Prompt) error {
	h.mu.Lock()
	h.prompt = p.ID
	h.mu.Unlock()
	if h.sent != nil {
		h.sent <- struct{}{}
	}
	return h.do("prompt %s %s", session, p.Text)
}

func (h *fakeHost) Interrupt(_ context.Context, session string) (bool, error) {
	return true, h.do("interrupt %s", session)
}

func (h *fakeHost) Allow(_ context.Context, _, approval, remember string) error {
	return h.do("allow %s %s", approval, remember)
}

func (h *fakeHost) Deny(_ context.Context, _, approval, reason string) error {
	return h.do("deny %s %s", approval, reason)
}

func (h *fakeHost) Answer(_ context.Context, _, question string, answers [][]string) error {
	return h.do("answer %s %v", question, answers)
}

func (h *fakeHost) Change(_ context.Context, _ string, patch map[string]any, _ uint64) error {
	return h.do("change %v", patch)
}

func (h *fakeHost) Compact(_ context.Context, _, guidance string) error {
	return h.do("compact %s", guidance)
}

func (h *fakeHost) Rename(_ context.Context, _, name string) error { return h.do("rename %s", name) }

func (h *fakeHost) Fork(_ context.Context, session string, before uint64) (link.Opened, error) {
	return link.Opened{ID: "s-2"}, h.do("fork %s %d", session, before)
}

func (h *fakeHost) List(context.Context, client.Query) ([]record.Listed, string, error) {
	return h.listed, "", h.do("list")
}

func (h *fakeHost) Models(context.Context, bool) (link.Models, error) { return h.models, nil }

// run runs a console with an input, and returns what it printed, the requests that it made, and its exit code.
func run(t testing.TB, h *fakeHost, input string, change func(*Options)) (out string, requests []string, code int) {
	t.Helper()
	h.t, h.feed = t, make(chan record.Record, 1000)
	var b strings.Builder
	o := Options{In: strings.NewReader(input), Out: &b, Workspace: "/shop", Export: func(session string) (string, error) {
		return "/shop/" + session + ".html", nil
	}}
	if change != nil {
		change(&o)
	}
	code = Run(t.Context(), h, o)
	return b.String(), h.made(), code
}

// The records of a turn.
const (
	begin = `turn_started {"prompt":"p"}
user_message {"id":"p","via":"prompt","blocks":[{"kind":"text","text":"run the tests"}]}
step_started {"step":1,"model":"m"}
`
	asksCommand = `tool_intended {"call":"c","name":"shell","tool":"shell","input":{"command":"go test ./..."}}
approval_asked {"id":"a","call":"c","request":{"tool":"shell","level":"execute","command":"go test ./...","dir":"/shop","summary":"run go test ./..."},"input":{}}
`
	allowed = `approval_answered {"id":"a","allowed":true,"by":"client","client":{"n":1,"name":"parley-tui"}}
`
	denied = `approval_answered {"id":"a","allowed":false,"reason":"%s","by":"client","client":{"n":1,"name":"parley-tui"}}
tool_ended {"call":"c","outcome":"denied","output":"%s"}
`
	end = `step_ended {"step":1}
turn_ended {"reason":"completed"}
`
)

// wantText compares what was printed.
func wantText(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimPrefix(want, "\n"); got != want {
		t.Errorf("printed:\n%s\nwant:\n%s", got, want)
	}
}

// TestTurn is the example of the contract.
func TestTurn(t *testing.T) {
	h := &fakeHost{answers: map[string]string{
		"prompt s-1 run the tests": `session_created {"workspace":"/shop","settings":{}}
` + begin + asksCommand,
		"allow a ": allowed + `tool_started {"call":"c"}
~tool_output {"call":"c","text":"\u001b[32mok  sh"}
~tool_output {"call":"c","text":"op  0.2s\u001b[0m\n"}
tool_ended {"call":"c","outcome":"succeeded","output":"ok  shop  0.2s\n","shell":{"command":"go test ./...","exit_code":0}}
~text_delta {"message":"m-1","block":0,"text":"All tests"}
~text_delta {"message":"m-1","block":0,"text":" pass."}
assistant_message {"id":"m-1","blocks":[{"kind":"text","text":"All tests pass."}]}
` + end,
	}}
	out, requests, code := run(t, h, "run the tests\ny\n", nil)
	wantText(t, out, `
[session] s-1
[you] run the tests
[command] go test ./...
[approval] y Allow once, s Allow for session, w Allow in workspace, n Deny
[allowed]
[output] ok  shop  0.2s
[exit] 0
[answer] All tests pass.
[turn] completed
`)
	if want := []string{"create /shop map[]", "prompt s-1 run the tests", "allow a "}; !slices.Equal(requests, want) || code != 0 {
		t.Errorf("%q, exit %d", requests, code)
	}
}

// TestPrompt: the prompt of the command line comes before the input, and answers nothing that waits.
func TestPrompt(t *testing.T) {
	h := &fakeHost{answers: map[string]string{
		"prompt s-1 y": `session_created {"workspace":"/shop","settings":{}}
` + begin + end,
		"prompt s-1 and now": begin + end,
	}}
	_, requests, code := run(t, h, "and now\n", func(o *Options) { o.Prompt = "y" })
	if want := []string{"create /shop map[]", "prompt s-1 y", "prompt s-1 and now"}; !slices.Equal(requests, want) || code != 0 {
		t.Errorf("%q, exit %d", requests, code)
	}
}

// TestAnswers: each answer to an approval, and lines that are none.
func TestAnswers(t *testing.T) {
	const once, session, workspace = "allow a ", "allow a session", "allow a workspace"
	for input, want := range map[string][2]string{
		"y":                 {once, "[allowed]"},
		"s":                 {session, "[allowed]"},
		"w":                 {workspace, "[allowed]"},
		"n":                 {"deny a ", "[denied]"},
		"n  not on Fridays": {"deny a not on Fridays", "[denied] not on Fridays"},
		"yes\nY\n\ny please\ny": {once, `[error] Answer y, s, w, n, or n and a reason
[error] Answer y, s, w, n, or n and a reason
[error] Answer y, s, w, n, or n and a reason
[error] Only n has a reason: answer y, s, w, n, or n and a reason
[allowed]`},
	} {
		reason := strings.TrimPrefix(want[0], "deny a ")
		h := &fakeHost{answers: map[string]string{
			"prompt s-1 x": begin + asksCommand, once: allowed + end, session: allowed + end, workspace: allowed + end,
			"deny a " + reason: fmt.Sprintf(denied, reason, reason) + end,
		}}
		out, requests, code := run(t, h, "x\n"+input+"\n", nil)
		_, rest, _ := strings.Cut(out, choices+"\n")
		wantText(t, rest, want[1]+"\n[turn] completed\n")
		if requests[len(requests)-1] != want[0] || code != 0 {
			t.Errorf("%q: %q, exit %d", input, requests, code)
		}
	}
}

// TestRefused: an answer that the host refuses leaves the approval waiting, and one that comes too late does not.
func TestRefused(t *testing.T) {
	h := &fakeHost{
		answers: map[string]string{"prompt s-1 x": begin + asksCommand, "allow a ": allowed + end},
		refuse:  map[string]error{"allow a workspace": &client.Error{Code: -32602, Kind: "invalid_params", Message: "no grant covers this call"}},
	}
	out, _, code := run(t, h, "x\nw\ny\n", nil)
	_, rest, _ := strings.Cut(out, choices+"\n")
	wantText(t, rest, "[error] no grant covers this call\n[allowed]\n[turn] completed\n")
	if code != 0 {
		t.Error("exit", code)
	}

	h = &fakeHost{
		answers: map[string]string{"prompt s-1 x": begin + asksCommand, "allow a ": strings.Replace(allowed, "parley-tui", "parley-web", 1) + end},
		refuse:  map[string]error{"allow a ": &client.Error{Code: -32007, Kind: "answered", Message: "answered"}},
	}
	out, _, code = run(t, h, "x\ny\n", nil)
	_, rest, _ = strings.Cut(out, choices+"\n")
	if code != 0 || strings.Contains(rest, "[error]") || !strings.HasPrefix(rest, "[allowed]") {
		t.Errorf("exit %d:\n%s", code, rest)
	}
}

// TestOthers: the answers of another client have its name.
func TestOthers(t *testing.T) {
	const web = `"by":"client","client":{"n":2,"name":"parley-web"}`
	h := &fakeHost{answers: map[string]string{"prompt s-1 x": begin + asksCommand + `approval_answered {"id":"a","allowed":true,` + web + `}
approval_asked {"id":"b","call":"d","request":{"tool":"x","server":"srv","summary":"x"},"input":{"k":1}}
approval_answered {"id":"b","allowed":false,"reason":"no",` + web + `}
question_asked {"id":"q","call":"e","questions":[{"text":"Why?"}]}
question_answered {"id":"q","answers":[["so"]],` + web + `}
` + end}}
	out := runHeld(t, h, "x\n", 1)
	for _, want := range []string{"[allowed] by parley-web\n", "[tool] x of srv\n  {\"k\":1}\n", "[denied] by parley-web: no\n", "[notice] Answered by parley-web: so\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// TestOthersAfterNew: an approval that another client answers is not this console's because an approval of the session before
// had the same id.
func TestOthersAfterNew(t *testing.T) {
	h := &fakeHost{answers: map[string]string{
		"prompt s-1 x": begin + asksCommand,
		"allow a ":     allowed + end,
		"prompt s-1 z": begin + asksCommand + `approval_answered {"id":"a","allowed":true,"by":"client","client":{"n":2,"name":"parley-web"}}` + "\n" + end,
	}}
	out := runHeld(t, h, "x\ny\n/new\nz\n", 2)
	if strings.Count(out, "[allowed]\n") != 1 || strings.Count(out, "[allowed] by parley-web\n") != 1 {
		t.Errorf("the approvals are not [allowed] and [allowed] by parley-web:\n%s", out)
	}
}

// TestLateEnd: when a session was left and is opened again, the end of what was received of it before does not end the console.
func TestLateEnd(t *testing.T) {
	c := &console{out: newPrinter(io.Discard)}
	c.reset("s-1")
	late := arrival{items: c.items, end: true}
	c.reset("s-1")
	c.receive(late)
	if c.quit || c.failed {
		t.Error("the console ends")
	}
}

// runHeld runs a console with an input that ends after the last of some turns: at its end a console denies what waits. It
// returns what the console printed.
func runHeld(t *testing.T, h *fakeHost, input string, turns int) string {
	t.Helper()
	in := &heldInput{first: input, turns: turns, ended: make(chan struct{})}
	h.t, h.feed = t, make(chan record.Record, 100)
	if code := Run(t.Context(), h, Options{In: in, Out: in, Workspace: "/shop"}); code != 0 {
		t.Error("exit", code)
	}
	return in.out.String()
}

// A heldInput has some lines, and ends when some turns have.
type heldInput struct {
	first string
	turns int           // to await
	ended chan struct{} // closed when as many have ended
	out   strings.Builder
}

func (i *heldInput) Read(p []byte) (int, error) {
	if i.first == "" {
		<-i.ended
		return 0, io.EOF
	}
	n := copy(p, i.first)
	i.first = i.first[n:]
	return n, nil
}

func (i *heldInput) Write(p []byte) (int, error) {
	before := strings.Count(i.out.String(), "[turn]")
	i.out.Write(p)
	if before < i.turns && strings.Count(i.out.String(), "[turn]") >= i.turns {
		close(i.ended)
	}
	return len(p), nil
}

// TestOtherApproval: an answer that was read for one approval never answers another one.
func TestOtherApproval(t *testing.T) {
	in := &terminalInput{make(chan struct{}), make(chan string)}
	h := &fakeHost{t: t, feed: make(chan record.Record, 100), answers: map[string]string{
		"prompt s-1 x": begin + asksCommand,
		"deny b ":      `approval_answered {"id":"b","allowed":false,"by":"client"}` + "\n" + end,
	}}
	done := make(chan int)
	out := &strings.Builder{}
	go func() { done <- Run(t.Context(), h, Options{In: in, Out: out, Workspace: "/shop"}) }()
	<-in.reads
	in.lines <- "x\n"
	<-in.reads // for the first approval
	for _, rec := range h.parse(allowed + strings.NewReplacer(`"a"`, `"b"`, `"c"`, `"d"`, "go test", "rm -r").Replace(asksCommand)) {
		h.feed <- rec
	}
	for _, rec := range h.parse(strings.Repeat("~status_changed {\"status\":\"waiting\"}\n", 200)) {
		h.feed <- rec
	}
	in.lines <- "y\n"
	<-in.reads // for the second one
	in.lines <- "n\n"
	<-in.reads
	close(in.lines)
	if code := <-done; code != 0 {
		t.Error("exit", code)
	}
	if requests := h.made(); requests[len(requests)-1] != "deny b " || slices.Contains(requests, "allow b ") || !strings.Contains(out.String(), "[notice] Not used, as what it answers waits no longer: y\n") {
		t.Errorf("%q\n%s", requests, out)
	}
}

// TestQuestions: options by number, several, and words.
func TestQuestions(t *testing.T) {
	h := &fakeHost{answers: map[string]string{
		"prompt s-1 x": begin + `question_asked {"id":"q","call":"c","questions":[
{"text":"Which?","header":"Colour","options":[{"label":"red"},{"label":"blue","description":"like the sky"}]},{"text":"Which ones?","multi":true,"options":[{"label":"a"},{"label":"b"},{"label":"c"}]},{"text":"Why?"},{"text":"Another?","options":[{"label":"yes"}]}]}
`,
		"answer q [[blue] [a c] [because of it] [neither of them]]": `question_answered {"id":"q","answers":[["blue"]],"by":"client"}
` + end,
	}}
	h.answers["prompt s-1 x"] = strings.ReplaceAll(h.answers["prompt s-1 x"], "\"questions\":[\n", "\"questions\":[")
	out, _, code := run(t, h, "x\n7\n1 2\n2\n1,3\n\nbecause of it\nneither of them\n", nil)
	_, rest, _ := strings.Cut(out, "[you] run the tests\n")
	wantText(t, rest, `
[question] Colour: Which?
  1 red
  2 blue: like the sky
[error] there is no option 7: answer with a number from 1 to 2, or with words
[error] only one option is possible
[question] Which ones?
  1 a
  2 b
  3 c
  Several numbers are possible, such as 1,2
[question] Why?
[error] write an answer
[question] Another?
  1 yes
[turn] completed
`)
	if code != 0 {
		t.Error("exit", code)
	}
}

// TestEnd: the end of the input denies what waits, and the exit code is that of the last turn.
func TestEnd(t *testing.T) {
	const reason = "there is no input that could approve it"
	h := &fakeHost{answers: map[string]string{
		"prompt s-1 x":     begin + asksCommand,
		"deny a " + reason: fmt.Sprintf(denied, reason, reason) + `question_asked {"id":"q","call":"c","questions":[{"text":"Why?"}]}`,
		"answer q []":      `question_answered {"id":"q","by":"client"}` + "\n" + end,
	}}
	out, requests, code := run(t, h, "x", nil)
	if !strings.Contains(out, "[denied] "+reason+"\n") || !strings.HasSuffix(out, "[turn] completed\n") || code != 0 {
		t.Errorf("exit %d, requests %q:\n%s", code, requests, out)
	}

	h = &fakeHost{answers: map[string]string{"prompt s-1 x": begin + `turn_ended {"reason":"failed","failure":{"kind":"quota","message":"no credit"}}`}}
	if out, _, code = run(t, h, "x\n", nil); code != 1 || !strings.HasSuffix(out, "[error] no credit\n[turn] failed\n") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	h = &fakeHost{answers: map[string]string{
		"prompt s-1 x": begin + `turn_ended {"reason":"failed"}`, "prompt s-1 y": begin + `turn_ended {"reason":"interrupted"}`,
	}}
	if _, _, code = run(t, h, "x\ny\n", nil); code != 0 {
		t.Errorf("exit %d after a turn that did not fail", code)
	}
	h = &fakeHost{refuse: map[string]error{"prompt s-1 x": &client.Error{Kind: "budget", Message: "the limit of tokens was reached"}}}
	if out, _, code = run(t, h, "x\n", nil); code != 1 || !strings.Contains(out, "[error] budget is used up: the limit of tokens was reached\n") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	if out, _, code = run(t, &fakeHost{}, "\n \n", nil); code != 0 || out != "" {
		t.Errorf("no prompt: exit %d, %q", code, out)
	}
}

// A terminalInput is an input that reports when it is read.
type terminalInput struct {
	reads chan struct{}
	lines chan string
}

func (i *terminalInput) Read(p []byte) (int, error) {
	i.reads <- struct{}{}
	line, ok := <-i.lines
	if !ok {
		return 0, io.EOF
	}
	return copy(p, line), nil
}

// TestReads: input is read when it is needed, and not while a turn runs.
func TestReads(t *testing.T) {
	in := &terminalInput{make(chan struct{}), make(chan string)}
	h := &fakeHost{t: t, feed: make(chan record.Record, 100), sent: make(chan struct{})}
	done := make(chan int)
	go func() { done <- Run(t.Context(), h, Options{In: in, Out: io.Discard, Workspace: "/shop"}) }()
	<-in.reads
	in.lines <- "x\n"
	<-h.sent
	for _, rec := range h.parse(begin) {
		h.feed <- rec
	}
	for _, rec := range h.parse(strings.Repeat("~status_changed {\"status\":\"working\"}\n", 200)) {
		h.feed <- rec // the last of them are in the channel when the others were received
	}
	select {
	case <-in.reads:
		t.Error("input was read while a turn runs")
	default:
	}
	for _, rec := range h.parse(asksCommand) {
		h.feed <- rec
	}
	<-in.reads
	in.lines <- "n\n"
	for _, rec := range h.parse(fmt.Sprintf(denied, "", "") + end) {
		h.feed <- rec
	}
	<-in.reads
	close(in.lines)
	if code := <-done; code != 0 {
		t.Error("exit", code)
	}
}

// TestInterrupt: Ctrl-C interrupts the turn; without one it ends the console.
func TestInterrupt(t *testing.T) {
	in := &terminalInput{make(chan struct{}, 1), make(chan string)}
	interrupts := make(chan struct{})
	h := &fakeHost{t: t, feed: make(chan record.Record, 100), answers: map[string]string{
		"prompt s-1 x":  begin,
		"interrupt s-1": `turn_ended {"reason":"interrupted"}`,
	}}
	out, w := io.Pipe()
	done := make(chan int)
	go func() {
		code := Run(t.Context(), h, Options{In: in, Out: w, Interrupts: interrupts, Workspace: "/shop"})
		w.Close()
		done <- code
	}()
	<-in.reads
	in.lines <- "x\n"
	read := newReader(out)
	await := func(want string) {
		t.Helper()
		for {
			read.next <- struct{}{}
			l := <-read.lines
			if !l.ok {
				t.Fatalf("the output ends without %q", want)
			}
			if strings.TrimSpace(l.text) == want {
				return
			}
		}
	}
	await("[you] run the tests")
	interrupts <- struct{}{}
	await("[turn] interrupted")
	<-in.reads
	interrupts <- struct{}{}
	if code := <-done; code != 0 {
		t.Error("exit", code)
	}
}

// TestStreaming: lines are printed as they are complete, what comes between does not mix with them, and void answers are
// named.
func TestStreaming(t *testing.T) {
	h := &fakeHost{answers: map[string]string{"prompt s-1 x": begin + `~thinking_delta {"message":"m-1","block":0,"text":"Hm"}
~text_delta {"message":"m-1","block":1,"text":"one\ntwo"}
notice {"level":"warning","text":"between"}
~text_delta {"message":"m-1","block":1,"text":" and a half\n\nthree"}
~retry_started {"attempt":1,"max":8,"delay":2000000000,"failure":{"message":"The backend is down"}}
~text_delta {"message":"m-1","block":0,"text":"again"}
assistant_message {"id":"m-1","blocks":[{"kind":"text","text":"again\n"}]}
` + end}}
	out, _, _ := run(t, h, "x\n", nil)
	_, rest, _ := strings.Cut(out, "[you] run the tests\n")
	wantText(t, rest, `
[reasoning] Hm
[answer] one
[notice] between
[answer] two and a half
  
[notice] The backend is down; the model is called again in 2s (1 of 8)
[notice] The answer is void; the model is called again
[answer] again
[turn] completed
`)
}

// TestOutput: live output is printed once, and so is what did not come live; what is overwritten is left out.
func TestOutput(t *testing.T) {
	long := strings.Repeat("0123456789 0123456789\\n", 20_000)
	for name, test := range map[string]struct{ live, end, want string }{
		"lost beginning": {"", "a\\nb", "[output] a\n  b\n"},
		"lost end":       {"a\\nb", "a\\nb\\nc", "[output] a\n  b\n  c\n"},
		"progress":       {"10 %\\r50 %\\r", "10 %\\r50 %\\r100 %", "[output] 100 %\n"},
		"other":          {"a\\nb", "c", "[output] a\n  b\n"},
		"none":           {"", "", ""},
		"long":           {long, "the end", "[output] " + strings.ReplaceAll(strings.TrimSuffix(long, "\\n"), "\\n", "\n  ") + "\n"},
	} {
		live := ""
		if test.live != "" {
			live = `~tool_output {"call":"1","text":"` + test.live + `"}` + "\n"
		}
		h := &fakeHost{answers: map[string]string{"prompt s-1 x": begin + `tool_intended {"call":"1","name":"shell","tool":"shell","input":{"command":"ls"}}
tool_started {"call":"1"}
` + live + `tool_ended {"call":"1","outcome":"succeeded","output":"` + test.end + `","shell":{"command":"ls","exit_code":0}}
` + end}}
		out, _, _ := run(t, h, "x\n", nil)
		_, rest, _ := strings.Cut(out, "[command] ls\n")
		if want := test.want + "[exit] 0\n[turn] completed\n"; rest != want {
			t.Errorf("%s: printed:\n%.300s\nwant:\n%.300s", name, rest, want)
		}
	}
}

// TestKinds: what the other items are.
func TestKinds(t *testing.T) {
	h := &fakeHost{answers: map[string]string{"prompt s-1 x": begin + `tool_intended {"call":"1","name":"read","tool":"read","input":{"path":"a.go"}}
tool_started {"call":"1"}
tool_ended {"call":"1","outcome":"succeeded","output":"text"}
tool_intended {"call":"2","name":"edit","tool":"edit","input":{"path":"a.go"}}
tool_started {"call":"2"}
tool_ended {"call":"2","outcome":"succeeded","changes":[{"path":"a.go","op":"updated","diff":"@@ -1 +1 @@\n-a\n+b\n","added":1,"removed":1}]}
tool_intended {"call":"3","name":"edit","tool":"edit","input":{"path":"b.go"}}
tool_ended {"call":"3","outcome":"failed","output":"b.go does not exist"}
tool_intended {"call":"4","name":"search","tool":"search","input":{"query":"go"}}
tool_started {"call":"4"}
tool_ended {"call":"4","outcome":"succeeded","search":{"query":"go","results":[{"title":"Go","url":"https://go.dev"}]}}
plan_updated {"items":[{"text":"first","status":"completed"},{"text":"second","status":"in_progress"},{"text":"third","status":"pending"}]}
subagent_started {"call":"5","task":"look","agent":"scout","session":"s-3"}
subagent_ended {"call":"5","task":"look","agent":"scout","exit_code":0}
command_started {"id":"u","command":"ls","client":{"n":2,"name":"parley-web"}}
command_ran {"id":"u","shell":{"command":"ls","exit_code":2,"signal":""},"output":"one\rtwo\nthree"}
compacted {"reason":"asked","tokens_before":100,"tokens_after":10,"removed":5}
session_changed {"settings":{"mode":"plan"}}
turn_ended {"reason":"budget","failure":{"kind":"budget","message":"The budget is used up: 10 tokens"}}
`}}
	out, _, code := run(t, h, "x\n", nil)
	_, rest, _ := strings.Cut(out, "[you] run the tests\n")
	wantText(t, rest, `
[tool] read a.go
[change] a.go +1 -1
  @@ -1 +1 @@
  -a
  +b
[tool] edit b.go
[error] b.go does not exist
[tool] search go
[output] Go https://go.dev
[plan] 1 of 3 done
  [x] first
  [>] second
  [ ] third
[subagent] scout started: look
[subagent] scout ended with exit 0: look
[command] ls
[output] two
  three
[exit] 2
[notice] Compacted: a summary replaces 5 messages (100 → 10 tokens)
[notice] Settings changed
[error] The budget is used up: 10 tokens
[turn] budget
`)
	if code != 0 {
		t.Error("exit", code)
	}
}

// TestResume: a session is opened at its end, with what waits.
func TestResume(t *testing.T) {
	h := &fakeHost{
		page: `session_created {"workspace":"/shop","settings":{}}
` + begin + asksCommand,
		answers: map[string]string{"allow a ": allowed + end},
	}
	h.opened = link.Opened{ID: "s-9", State: record.State{
		Session: "s-9", Workspace: "/shop", Head: 6, Turn: "t", Status: record.StatusWaiting,
		Approvals: []record.ApprovalAsked{{ID: "a", Call: "c", Request: record.Request{Tool: "shell", Command: "go test ./...", Dir: "/shop"}}},
	}}
	h.seq = 6
	out, _, _ := run(t, h, "y\n", func(o *Options) { o.Session = "s-9" })
	wantText(t, out, `
[session] s-9
[command] go test ./...
[approval] y Allow once, s Allow for session, w Allow in workspace, n Deny
[allowed]
[turn] completed
`)
}

// TestQueued: a prompt that another client's turn delays is waited for, also at the end of the input, unless it is taken out
// of the queue.
func TestQueued(t *testing.T) {
	const queued = `queue_changed {"steering":[],"follow_ups":[{"id":"p"}]}
turn_ended {"reason":"failed"}
queue_changed {"steering":[],"follow_ups":[]}
`
	for last, want := range map[string]string{begin + end: "[turn] failed\n[you] run the tests\n[turn] completed\n", "~status_changed {\"status\":\"idle\"}\n": "[turn] failed\n"} {
		h := &fakeHost{answers: map[string]string{"prompt s-1 x": queued + last}}
		out, _, _ := run(t, h, "x\n", nil)
		wantText(t, out, "[session] s-1\n"+want)
	}
}

// TestCommands: commands, and the errors that name what is possible.
func TestCommands(t *testing.T) {
	h := &fakeHost{
		answers: map[string]string{"prompt s-1 x": begin + end, "prompt s-1 /etc/hosts is wrong": begin + end},
		page:    begin + end,
		models:  link.Models{Default: "a/b", Models: []link.Model{{Name: "a/b", Thinking: []string{"low", "high"}}, {Name: "c/d"}}},
		refuse:  map[string]error{"change map[model:nope]": errors.New("no_model: nope")},
		listed:  []record.Listed{{ID: "s-1", Title: "run the\ntests", Status: "waiting"}},
	}
	input := `/model
/model c/d
/reasoning low
/mode prompt
/sandbox nope
/compact
/theme
/nothing
x
/model nope
/model own/model
/mode nope
/mode plan
/reasoning low
/sandbox read-only
/compact be short
/rename A shop
/rename
/export
/history
/sessions
/fork 9
/fork x
/fork 1
/new
/quit
never read
`
	out, requests, code := run(t, h, input, nil)
	wantText(t, out, `
[notice] model; possible are a/b, c/d
[notice] model: c/d (next turn)
[error] There is no reasoning low; the model has none
[notice] mode: prompt (next turn)
[error] There is no sandbox nope; possible are read-only, workspace-write, external, full-access
[error] There is no session yet: send a prompt first
[error] Plain mode has no themes
[error] There is no command /nothing; there are /help, /new, /sessions, /model, /mode, /sandbox, /reasoning, /compact, /fork, /history, /rename, /export, /quit
[session] s-1
[you] run the tests
[turn] completed
[error] no_model: nope
[error] There is no mode nope; possible are read-only, plan, workspace-write, prompt, danger-full-access
[error] /rename needs a name
[notice] Exported to /shop/s-1.html
[notice] Prompts of the session; /fork N opens a copy of it as it was before prompt N:
  1 run the tests
[notice] Sessions of the workspace, the last used first; /sessions ID opens one:
  s-1 run the tests (waiting for you)
[error] there is no prompt 9; there are 1
[error] /fork needs the number of a prompt; /history lists them
[session] s-2
[notice] Forked from s-1
[notice] The next prompt begins a new session
`)
	want := []string{
		"create /shop map[mode:prompt model:c/d]", "prompt s-1 x", "change map[model:nope]", "change map[model:own/model]", "change map[mode:plan]", "change map[thinking:low]",
		"change map[sandbox:map[kind:read-only]]", "compact be short", "rename A shop", "list", "fork s-1 2", "leave s-1", "leave s-2",
	}
	if !slices.Equal(requests, want) || code != 0 {
		t.Errorf("exit %d, requests\n%q\nwant\n%q", code, requests, want)
	}
	if isCommand("/etc/hosts is wrong") || !isCommand("/help me") {
		t.Error("a path is a prompt")
	}
}

// TestForeign: nothing that others write controls the terminal, and approvals show what cannot be seen.
func TestForeign(t *testing.T) {
	const evil = `\u001b[2J\u001b]0;x\u0007\u202e\u200b\u009b1m\rX`
	h := &fakeHost{answers: map[string]string{"prompt s-1 x": strings.ReplaceAll(`user_message {"via":"prompt","blocks":[{"kind":"text","text":"EVIL"}]}
~text_delta {"message":"m-1","block":0,"text":"EVIL\nEVIL"}
assistant_message {"id":"m-1","blocks":[{"kind":"text","text":"EVIL\nEVIL"}]}
tool_intended {"call":"1","name":"EVIL","tool":"","server":"EVIL","input":{"path":"EVIL"}}
tool_started {"call":"1"}
tool_ended {"call":"1","outcome":"succeeded","output":"EVIL\nEVIL"}
tool_intended {"call":"2","name":"shell","tool":"shell","input":{"command":"EVIL"}}
tool_started {"call":"2"}
~tool_output {"call":"2","text":"EVIL\nEVIL"}
tool_ended {"call":"2","outcome":"succeeded","output":"other\nEVIL","shell":{"command":"EVIL","exit_code":0,"signal":"EVIL"}}
tool_intended {"call":"3","name":"edit","tool":"edit","input":{}}
tool_ended {"call":"3","outcome":"succeeded","changes":[{"path":"EVIL","op":"updated","diff":"EVIL","added":1}]}
plan_updated {"items":[{"text":"EVIL","status":"EVIL"}]}
subagent_started {"call":"5","task":"EVIL","agent":"EVIL"}
notice {"level":"EVIL","text":"EVIL"}
session_changed {"settings":{"mode":"EVIL"}}
question_asked {"id":"q","questions":[{"text":"EVIL","header":"EVIL","options":[{"label":"ok","description":"EVIL"}]}]}
`, "EVIL", evil), "answer q [[ok]]": begin + strings.ReplaceAll(`question_answered {"id":"q","answers":[["EVIL"]],"by":"client","client":{"name":"EVIL"}}
`, "EVIL", evil) + `approval_asked {"id":"a","call":"c","reason":"a\u202eb","request":{"tool":"shell","command":"rm \u202ex\u200b\u2066 \u001b[8m","dir":"/\u202e"},"input":{}}
`, "deny a ": fmt.Sprintf(denied, evil, evil) + `turn_ended {"reason":"` + evil + `","failure":{"message":"` + evil + `"}}`}}
	out, _, _ := run(t, h, "x\n1\nn\n", nil)
	checkClean(t, out)
	for _, want := range []string{"[command] rm <U+202E>x<U+200B><U+2066> ␛[8m\n", "\n  a<U+202E>b\n", "\n  in /<U+202E>\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// checkClean reports characters that control terminals, and lines that are none of plain mode.
func checkClean(t testing.TB, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "[") && !strings.HasPrefix(line, "  ") {
			t.Errorf("line without a tag: %q", line)
		}
		for _, r := range strings.TrimSuffix(line, "\n") {
			if unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%U is in %q", r, line)
			}
		}
	}
}

// FuzzForeign: no text controls the terminal.
func FuzzForeign(f *testing.F) {
	f.Add("\x1b]0;x\x07", "a\r\nb\x1b[1", "\u202e")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		quote := func(s string) string {
			data, err := json.Marshal(strings.ToValidUTF8(s, "?"))
			if err != nil {
				t.Skip()
			}
			return string(data)
		}
		h := &fakeHost{answers: map[string]string{"prompt s-1 x": begin + `~text_delta {"message":"m","block":0,"text":` + quote(a) + `}
~text_delta {"message":"m","block":0,"text":` + quote(b) + `}
notice {"level":"info","text":` + quote(c) + `}
tool_intended {"call":"1","name":` + quote(a) + `,"tool":"shell","input":{"command":` + quote(b) + `}}
~tool_output {"call":"1","text":` + quote(a) + `}
~tool_output {"call":"1","text":` + quote(b) + `}
tool_ended {"call":"1","outcome":"failed","output":` + quote(a+b+c) + `,"shell":{"command":` + quote(c) + `,"exit_code":1}}
` + end}}
		out, _, _ := run(t, h, "x\n", nil)
		checkClean(t, out)
	})
}

// TestDemo: without a provider the user learns so at once.
func TestDemo(t *testing.T) {
	h := &fakeHost{models: link.Models{Default: "offline/demo"}}
	if out, _, code := run(t, h, "", nil); !strings.HasPrefix(out, "[notice] offline demo: ") || !strings.Contains(out, "ANTHROPIC_API_KEY") || code != 0 {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestClosed: the end of the session for all clients, and a host that cannot be followed, end the console.
func TestClosed(t *testing.T) {
	h := &fakeHost{t: t, feed: make(chan record.Record)}
	close(h.feed)
	var b strings.Builder
	h.opened = link.Opened{ID: "s-1"}
	in := &terminalInput{make(chan struct{}, 1), make(chan string)}
	if code := Run(t.Context(), h, Options{In: in, Out: &b, Session: "s-1"}); code != 1 || b.String() != "[session] s-1\n[error] the session was closed for all clients\n" {
		t.Errorf("exit %d: %s", code, b.String())
	}
	if code := Run(t.Context(), h, Options{In: strings.NewReader("x\n"), Out: failing{}, Session: "s-1"}); code != 1 {
		t.Errorf("exit %d though nothing can be written", code)
	}
}

// failing is an output that is closed.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("closed") }
