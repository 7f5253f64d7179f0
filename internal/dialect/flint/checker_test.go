package flint

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/text"
)

// A checker is the strictest client there can be: it holds what one process says to the
// laws of items and turns (Flint specification, 3.1 and 3.5).
//
//   - Frames have no version member, requests to the client count up from 1000001.
//   - A turn that was accepted starts once and completes once; nothing of it comes later.
//   - An item starts once, grows, and completes once, within its turn; the deltas make up
//     its final text; the completed turn has all items in the order in which they started.
//   - A resumed thread has the turns that were streamed.
//   - git can apply each diff to the file as it was.
type checker struct {
	turns    map[string]*seenTurn // by id, of this process
	open     map[string]string    // thread: its running turn
	done     map[string][]string  // thread: its completed turns as JSON, of earlier processes too
	items    map[string]bool      // thread and item id, of this process
	asked    int64
	silent   map[string]bool // what the client opted out of
	patches  *patches
	problems []string
}

// A seenTurn is a turn that was accepted.
type seenTurn struct {
	thread    string
	started   bool
	completed bool
	failed    bool // its final error was sent
	items     []*seenItem
	usage     wireUsage
}

// A seenItem is an item that was started.
type seenItem struct {
	id, kind string
	first    jsontext.Value
	last     jsontext.Value    // nil while it is open
	deltas   map[string][]byte // by method
}

// wireUsage is what can be checked of token usage.
type wireUsage struct {
	Input  int `json:"inputTokens"`
	Output int `json:"outputTokens"`
}

// wireFrame is any line.
type wireFrame struct {
	Version jsontext.Value `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  string         `json:"method"`
	Params  wireParams     `json:"params"`
	Error   jsontext.Value `json:"error"`
	Result  struct {
		Turn   *wireTurn `json:"turn"`
		Thread *struct {
			ID    string           `json:"id"`
			Turns []jsontext.Value `json:"turns"`
		} `json:"thread"`
	} `json:"result"`
}

// wireParams is the params of all notifications and requests at once.
type wireParams struct {
	ThreadID  string         `json:"threadId"`
	TurnID    string         `json:"turnId"`
	ItemID    string         `json:"itemId"`
	Delta     string         `json:"delta"`
	Item      jsontext.Value `json:"item"`
	Turn      *wireTurn      `json:"turn"`
	WillRetry bool           `json:"willRetry"`
	Changes   jsontext.Value `json:"changes"`
	Usage     wireUsage      `json:"usage"`
	Meta      struct {
		Last   wireUsage `json:"last"`
		Thread wireUsage `json:"thread"`
	} `json:"_meta"`
}

type wireTurn struct {
	ID     string           `json:"id"`
	Status string           `json:"status"`
	Items  []jsontext.Value `json:"items"`
	Error  jsontext.Value   `json:"error"`
}

// wireItem is what can be checked of an item.
type wireItem struct {
	Type    string         `json:"type"`
	ID      string         `json:"id"`
	Status  string         `json:"status"`
	Text    string         `json:"text"`
	Summary jsontext.Value `json:"summary"`
	Content jsontext.Value `json:"content"`
	Output  string         `json:"aggregatedOutput"`
	Changes []wireChange   `json:"changes"`
}

type wireChange struct {
	Path string         `json:"path"`
	Kind jsontext.Value `json:"kind"`
	Diff string         `json:"diff"`
}

func newChecker(done map[string][]string, p *patches) *checker {
	return &checker{
		turns: map[string]*seenTurn{}, open: map[string]string{}, done: done, items: map[string]bool{},
		asked: firstQuestion, silent: map[string]bool{}, patches: p,
	}
}

func (c *checker) fault(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// received takes a line of the client's; only what it opts out of matters.
func (c *checker) received(line []byte) {
	var hello struct {
		Method string `json:"method"`
		Params struct {
			Capabilities struct {
				Silent []string `json:"optOutNotificationMethods"`
			} `json:"capabilities"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &hello) == nil && hello.Method == "initialize" {
		for _, method := range hello.Params.Capabilities.Silent {
			c.silent[method] = method != "turn/completed"
		}
	}
}

// line takes the next line of the program's.
func (c *checker) line(line []byte) {
	before := len(c.problems)
	var f wireFrame
	if err := json.Unmarshal(line, &f); err != nil {
		c.fault("not JSON: %v", err)
	} else {
		c.frame(f)
	}
	for i := range c.problems[before:] {
		c.problems[before+i] += "\n\tin " + abbreviated(string(line))
	}
}

func abbreviated(line string) string { return text.Prefix(line, 2000) }

func (c *checker) frame(f wireFrame) {
	if f.Version != nil {
		c.fault("a version member")
	}
	if c.silent[f.Method] {
		c.fault("the client opted out of %s", f.Method)
	}
	p := f.Params
	switch {
	case f.Method == "" && (f.ID == nil || (f.Error == nil) == (f.Result == (wireFrame{}.Result)) && f.Error != nil):
		c.fault("neither an answer nor a notification")
	case f.Method == "":
		c.answer(f)
	case f.ID != nil:
		c.question(f)
	case f.Method == "turn/started":
		c.turnStarted(p)
	case f.Method == "turn/completed":
		c.turnCompleted(p)
	case f.Method == "thread/started" || strings.HasPrefix(f.Method, "parley/"):
	default:
		c.within(f.Method, p)
	}
}

func (c *checker) answer(f wireFrame) {
	if t := f.Result.Turn; t != nil {
		if c.turns[t.ID] != nil || t.Status != "inProgress" || len(t.Items) > 0 {
			c.fault("turn %s was accepted before, or is not at its beginning", t.ID)
		}
		c.turns[t.ID] = &seenTurn{}
	}
	if t := f.Result.Thread; t != nil && len(t.Turns) > 0 {
		c.resumed(t.ID, t.Turns)
	}
}

// resumed compares the turns of a thread with what was streamed.
func (c *checker) resumed(thread string, turns []jsontext.Value) {
	for i, raw := range turns {
		var t wireTurn
		if err := json.Unmarshal(raw, &t); err != nil {
			c.fault("a resumed turn: %v", err)
			return
		}
		switch {
		case t.Status == "inProgress" && i == len(turns)-1:
			c.resumedRunning(t)
		case i >= len(c.done[thread]):
			c.fault("turn %s was never completed", t.ID)
		case string(raw) != c.done[thread][i]:
			c.fault("turn %s was streamed as\n\t%s\nand is resumed as\n\t%s", t.ID, c.done[thread][i], raw)
		}
	}
	if len(turns) < len(c.done[thread]) {
		c.fault("%d turns are resumed, %d were completed", len(turns), len(c.done[thread]))
	}
}

// resumedRunning: a running turn is resumed with the items so far, but for what the model is
// saying at that moment.
func (c *checker) resumedRunning(t wireTurn) {
	turn := c.turns[t.ID]
	if turn == nil || turn.completed {
		c.fault("turn %s is resumed as running", t.ID)
		return
	}
	rest := t.Items
	for _, it := range turn.items {
		if it.last == nil && (it.kind == "agentMessage" || it.kind == "reasoning") {
			continue
		}
		want := cmp.Or(string(it.last), string(it.first))
		if len(rest) == 0 || string(rest[0]) != want {
			c.fault("item %s was sent as %s, and is not resumed so", it.id, want)
			return
		}
		rest = rest[1:]
	}
	if len(rest) > 0 {
		c.fault("item %s is resumed, and was not sent", rest[0])
	}
}

func (c *checker) question(f wireFrame) {
	if string(f.ID) != fmt.Sprint(c.asked) {
		c.fault("the id of a request is %s, not %d", f.ID, c.asked)
	}
	c.asked++
	it := c.item(f.Params)
	if it == nil {
		return
	}
	change := it.kind == "fileChange"
	if change != (f.Method == "item/fileChange/requestApproval") || !change && f.Method != "item/commandExecution/requestApproval" {
		c.fault("%s for a %s", f.Method, it.kind)
	}
	if first := parseItem(it.first); change && !bytes.Contains(it.first, f.Params.Changes) {
		c.fault("it is asked for %s, announced was %v", f.Params.Changes, first.Changes)
	}
}

func (c *checker) turnStarted(p wireParams) {
	t := c.turns[p.Turn.ID]
	switch {
	case t == nil || t.started:
		c.fault("turn %s was not accepted, or started before", p.Turn.ID)
		return
	case c.open[p.ThreadID] != "":
		c.fault("thread %s has a running turn", p.ThreadID)
	}
	t.started, t.thread, c.open[p.ThreadID] = true, p.ThreadID, p.Turn.ID
}

func (c *checker) turnCompleted(p wireParams) {
	t := c.turns[p.Turn.ID]
	if t == nil || t.completed || len(c.silent) == 0 && c.open[p.ThreadID] != p.Turn.ID {
		c.fault("turn %s is not running", p.Turn.ID)
		return
	}
	t.completed = true
	delete(c.open, p.ThreadID)
	raw := p.Turn.raw()
	c.done[p.ThreadID] = append(c.done[p.ThreadID], raw)
	if failed := p.Turn.Status == "failed"; failed != (p.Turn.Error != nil) || len(c.silent) == 0 && failed != t.failed {
		c.fault("turn %s is %s, its error is %s, sent before: %t", p.Turn.ID, p.Turn.Status, p.Turn.Error, t.failed)
	}
	if !slices.Contains([]string{"completed", "interrupted", "failed"}, p.Turn.Status) {
		c.fault("status %s", p.Turn.Status)
	}
	if len(c.silent) > 0 {
		return
	}
	if len(p.Turn.Items) != len(t.items) {
		c.fault("%d items at the end, %d were started", len(p.Turn.Items), len(t.items))
		return
	}
	for i, it := range t.items {
		if string(it.last) != string(p.Turn.Items[i]) {
			c.fault("item %s was completed as %s, the turn has %s", it.id, it.last, p.Turn.Items[i])
		}
	}
	if len(t.items) == 0 || t.items[0].kind != "userMessage" {
		c.fault("the prompt is not the first item")
	}
}

// within takes what can only come while its turn runs.
func (c *checker) within(method string, p wireParams) {
	if len(c.silent) > 0 {
		return // what it belongs to may not have been sent
	}
	t := c.turns[p.TurnID]
	if t == nil || c.open[p.ThreadID] != p.TurnID {
		c.fault("%s of turn %q, which does not run", method, p.TurnID)
		return
	}
	if t.failed {
		c.fault("%s stands between the error of a turn and its end", method)
	}
	switch method {
	case "item/started":
		c.itemStarted(t, p)
	case "item/completed":
		c.itemCompleted(p)
	case "error":
		t.failed = !p.WillRetry
	case "thread/tokenUsage/updated":
		t.usage.Input += p.Meta.Last.Input
		t.usage.Output += p.Meta.Last.Output
		if p.Usage.Input < t.usage.Input || p.Usage.Output < t.usage.Output || p.Meta.Thread.Input < p.Usage.Input {
			c.fault("usage %+v is not the sum %+v", p.Usage, t.usage)
		}
	case "turn/plan/updated":
	default:
		c.delta(method, p)
	}
}

func (c *checker) itemStarted(t *seenTurn, p wireParams) {
	i := parseItem(p.Item)
	key := p.ThreadID + "/" + i.ID
	if i.ID == "" || i.Type == "" || c.items[key] || i.Status != "" && i.Status != "inProgress" {
		c.fault("item %q of type %q starts with status %q, or has before", i.ID, i.Type, i.Status)
	}
	if len(t.items) == 0 != (i.Type == "userMessage") {
		c.fault("a %s is item %d", i.Type, len(t.items)+1)
	}
	c.items[key] = true
	t.items = append(t.items, &seenItem{id: i.ID, kind: i.Type, first: p.Item, deltas: map[string][]byte{}})
	for _, change := range i.Changes {
		if err := c.patches.propose(change); err != nil {
			c.fault("%v", err)
		}
	}
}

func (c *checker) itemCompleted(p wireParams) {
	i := parseItem(p.Item)
	p.ItemID = i.ID
	it := c.item(p)
	if it == nil {
		return
	}
	it.last = p.Item
	if it.kind != i.Type || i.Status == "inProgress" || (i.Status == "") != (parseItem(it.first).Status == "") {
		c.fault("a %s completes as %s with status %q", it.kind, i.Type, i.Status)
	}
	var diffs strings.Builder
	for _, change := range i.Changes {
		diffs.WriteString(change.Diff)
		if i.Status == "completed" {
			c.patches.accept(change)
		}
	}
	for method, text := range map[string]string{
		"item/agentMessage/delta":           textIf(i.Type == "agentMessage", i.Text),
		"item/plan/delta":                   textIf(i.Type == "plan", i.Text),
		"item/reasoning/textDelta":          textIf(i.Type == "reasoning", joined(i.Content)),
		"item/reasoning/summaryTextDelta":   textIf(i.Type == "reasoning", joined(i.Summary)),
		"item/commandExecution/outputDelta": i.Output,
		"item/fileChange/outputDelta":       diffs.String(),
	} {
		if grown := string(it.deltas[method]); grown != text {
			c.fault("the deltas of %s are %q, its text is %q", it.id, abbreviated(grown), abbreviated(text))
		}
		delete(it.deltas, method)
	}
	for method := range it.deltas {
		c.fault("a %s grew by %s", it.kind, method)
	}
}

func textIf(holds bool, text string) string {
	if holds {
		return text
	}
	return ""
}

// joined returns a text, or a list of texts.
func joined(value jsontext.Value) string {
	var text string
	var list []string
	if value != nil && json.Unmarshal(value, &text) != nil && json.Unmarshal(value, &list) == nil {
		text = strings.Join(list, "\n\n")
	}
	return text
}

func (c *checker) delta(method string, p wireParams) {
	if !strings.HasSuffix(strings.ToLower(method), "delta") {
		c.fault("unknown notification %s", method)
		return
	}
	if it := c.item(p); it != nil {
		it.deltas[method] = append(it.deltas[method], p.Delta...)
		if p.Delta == "" {
			c.fault("an empty delta")
		}
	}
}

// item returns the open item that p names.
func (c *checker) item(p wireParams) *seenItem {
	t := c.turns[p.TurnID]
	if t == nil || t.completed || t.thread != p.ThreadID {
		c.fault("turn %q does not run", p.TurnID)
		return nil
	}
	i := slices.IndexFunc(t.items, func(it *seenItem) bool { return it.id == p.ItemID })
	if i < 0 || t.items[i].last != nil {
		c.fault("item %q is not open", p.ItemID)
		return nil
	}
	return t.items[i]
}

// end takes the end of the output.
func (c *checker) end() {
	for id, t := range c.turns {
		if !t.completed {
			c.fault("turn %s was accepted and never completed", id)
		}
	}
}

func parseItem(raw jsontext.Value) wireItem {
	var i wireItem
	if err := json.Unmarshal(raw, &i); err != nil {
		var bare struct { // of a userMessage, whose content is a list of objects
			Type string `json:"type"`
			ID   string `json:"id"`
		}
		_ = json.Unmarshal(raw, &bare) // what is empty is a fault of its own
		i.Type, i.ID = bare.Type, bare.ID
	}
	return i
}

// raw returns a turn as thread/resume has it.
func (t *wireTurn) raw() string {
	items := make([]string, len(t.Items))
	for i, item := range t.Items {
		items[i] = string(item)
	}
	text := fmt.Sprintf(`{"id":%q,"status":%q,"items":[%s]`, t.ID, t.Status, strings.Join(items, ","))
	if t.Error != nil {
		text += `,"error":` + string(t.Error)
	}
	return text + "}"
}
