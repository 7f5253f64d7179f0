// Package htmltest has a session with every kind of event, and a check that a page is safe. Only
// tests import it.
package htmltest

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"iter"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// Marker is the text that the scripts of Hostile write into the title of a page that runs them.
const Marker = "a-script-ran-here"

// Remote is the host from which Hostile makes an unsafe page load files.
const Remote = "stranger.test"

// Hostile is texts of which every part attacks an unsafe page.
var Hostile = []string{
	`<script>document.title="` + Marker + `"</script>`,
	`<img src="http://` + Remote + `/a.png" onerror='document.title="` + Marker + `"'>`,
	`![tracker](http://` + Remote + `/b.png) and ![inline](data:image/svg+xml;base64,PHN2Zy8+)`,
	`[press me](javascript:document.title='` + Marker + `') [or me](JaVaScRiPt&colon;alert(1)) <javascript:alert(1)>`,
	`[data](data:text/html,<script>alert(1)</script>) [file](file:///etc/passwd) [vb](vbscript:x) [rel](/etc/passwd)`,
	`</style><script>document.title="` + Marker + `"</script><style>`,
	`</title></textarea></noscript></template><svg onload='document.title="` + Marker + `"'>`,
	"```html\"><script>document.title='" + Marker + "'</script>\n</code></pre><script>document.title='" + Marker + "'</script>\n```\n````\n```\nunclosed",
	`<iframe src="http://` + Remote + `/c"></iframe><object data="http://` + Remote + `/d"></object><link rel=stylesheet href="http://` + Remote + `/e.css"><base href="http://` + Remote + `/">`,
	`<meta http-equiv="refresh" content="0;url=http://` + Remote + `/f"><form action="http://` + Remote + `/g"><input name=q></form>`,
	"<!-- <b> --> <![CDATA[ x ]]> <?php x ?> <!DOCTYPE html> &lt;script&gt; &#60;script&#62; &#x202e;evil",
	"| a | b |\n|:--|--:|\n| <script>1</script> | <td onclick=alert(1)> |\n\n<details open ontoggle=alert(1)>",
	"user\u202egnp.exe\u2066hidden\u2069 \u200f\u061c bell\a null\x00 escape\x1b[31mred\x1b[0m \x1b]0;title\a c1\u009b31m \ufffe",
	`"><script>document.title="` + Marker + `"</script>` + "' onmouseover='alert(1)' style='background:url(http://" + Remote + "/h.png)'",
	strings.Repeat("one-huge-line-without-a-space", 400),
	strings.Repeat("> ", 300) + "deep " + strings.Repeat("- ", 300) + "deeper",
	strings.Repeat("[", 3000) + strings.Repeat("*_", 3000) + strings.Repeat("`", 3001),
	"# \n\n[a]: javascript:alert(1)\n\n[a] [a][a] ![a]\n\nhttp://" + Remote + "/i www." + Remote + " me@" + Remote,
	`[![pic](http://` + Remote + `/j.png)](http://` + Remote + `/k) [<http://` + Remote + `/l>](http://` + Remote + `/m)`,
}

// Broken is text that is not UTF-8. A journal cannot contain it, but a caller may.
const Broken = "a\xff\xfe\xc3<b>\xed\xa0\x80"

// Picture returns a small PNG.
func Picture() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 240, 120))
	for y := range 120 {
		for x := range 240 {
			img.Set(x, y, color.RGBA{uint8(60 + x/2), uint8(90 + y), 170, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// Blob returns an Options.Blob of pages: the address "picture" returns Picture.
func Blob(address string) ([]byte, error) {
	if address != "picture" {
		return nil, errors.New("no such blob")
	}
	return Picture(), nil
}

// Seq returns records as an argument for html.Write.
func Seq(records []event.Record) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for _, rec := range records {
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// A Log makes records of events, a second apart.
type Log struct {
	Records []event.Record
	Turn    event.TurnID
}

// Add adds a record and returns its number.
func (l *Log) Add(e event.Event) uint64 {
	seq := uint64(len(l.Records) + 1)
	at := time.Date(2026, 11, 20, 23, 58, 0, 0, time.UTC).Add(time.Duration(seq) * time.Second)
	l.Records = append(l.Records, event.Record{Seq: seq, Time: at, Turn: l.Turn, Event: e})
	return seq
}

// Prompt begins a turn and returns the number of the message.
func (l *Log) Prompt(blocks ...model.Block) uint64 {
	l.Turn = event.TurnID(fmt.Sprintf("t%d", len(l.Records)))
	l.Add(event.TurnStarted{Prompt: event.PromptID(l.Turn)})
	return l.Add(event.UserMessage{ID: event.PromptID(l.Turn), Via: event.ByPrompt, Blocks: blocks})
}

// Answer adds a step with an answer and its calls, which end as ends says.
func (l *Log) Answer(blocks []model.Block, ends ...event.ToolEnded) uint64 {
	l.Add(event.StepStarted{Step: 1, Model: "claude-sonnet-5"})
	seq := l.Add(event.AssistantMessage{
		ID: "m", Model: "claude-sonnet-5", Blocks: blocks,
		Usage: model.Usage{Input: 812, Output: 240, CacheRead: 12000}, Cost: 0.0123,
	})
	for i, c := range (model.Message{Blocks: blocks}).Calls() {
		if i >= len(ends) {
			break
		}
		l.Add(event.ToolIntended{Call: event.CallID(c.ID), Name: c.Name, Tool: c.Name, Input: c.Input})
		l.Add(event.ToolStarted{Call: event.CallID(c.ID)})
	}
	for _, e := range ends {
		l.Add(e)
	}
	l.Add(event.StepEnded{Step: 1})
	return seq
}

// End ends the turn.
func (l *Log) End(reason event.TurnReason, failure *event.Failure) {
	l.Add(event.TurnEnded{Reason: reason, Failure: failure, Steps: 2, Usage: model.Usage{Input: 1624, Output: 480, CacheRead: 24000}, Cost: 0.0246})
	l.Turn = ""
}

// Call returns a block of a tool call; input is any number of names and texts in turn.
func Call(id, name string, input ...string) model.Block {
	b := []byte("{")
	for i := 0; i+1 < len(input); i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, input[i])
		b = append(b, ':')
		b, _ = jsontext.AppendQuote(b, strings.ToValidUTF8(input[i+1], "\uFFFD"))
	}
	return model.Block{Kind: model.KindToolCall, Call: &model.Call{ID: id, Name: name, Input: append(b, '}')}}
}

// Thinking returns a block of reasoning.
func Thinking(text string) model.Block { return model.Block{Kind: model.KindThinking, Text: text} }

const story = `The request is parsed **twice**: once to look at its size, once to read it. I will make the reader do both.

## What changes

1. ` + "`Reader.Next`" + ` counts while it reads.
2. The old check goes.
   - its test stays
   - [x] and passes

| case | before | after |
|:-----|-------:|------:|
| small line | 1.9 µs | 0.8 µs |
| 64 MiB line | 20.2 s | 1.1 s |

` + "```go\n// Next is the next line, without its end.\nfunc (r *Reader) Next() ([]byte, error) {\n\tfor n := 0; ; n++ {\n\t\tif n > limit {\n\t\t\treturn nil, fmt.Errorf(\"line %d is too long\", r.line)\n\t\t}\n\t}\n}\n```" + `

> A line that is too long is an error, not the end.

See <https://go.dev/ref/spec> and ~~the old notes~~.`

const patch = `--- a/wire/reader.go
+++ b/wire/reader.go
@@ -12,7 +12,6 @@ func (r *Reader) Next() ([]byte, error) {
 	line, err := r.buffer.ReadSlice('\n')
-	if len(line) > limit {
-		return nil, errTooLong
-	}
+	r.count += len(line)
+	if r.count > limit { // a line that is too long is an error, not the end of the stream, and long lines wrap
 	return line, err
 }
`

// Session returns a session with every kind of event.
func Session() []event.Record {
	l := &Log{}
	text := model.TextBlock
	l.Add(event.SessionCreated{
		Version: event.Version, ID: "20261120-235800-a1b2c3", Workspace: "/home/ada/parley", Parent: "20261119-090000-000001",
		Settings: event.Settings{Model: "anthropic/claude-sonnet-5", Mode: "ask"},
	})
	l.Add(event.SessionChanged{Settings: event.Settings{Name: "Make the reader count", Model: "anthropic/claude-sonnet-5", Mode: "workspace-write"}})

	l.Prompt(text("The reader of lines is slow with very long ones.\nPlease have a look, here is the profile:"),
		model.Block{Kind: model.KindImage, Image: &model.Image{MIME: "image/png", Blob: "picture", Name: "profile.png"}})
	l.Answer([]model.Block{
		Thinking("The profile shows *two* passes over the buffer. I should read `reader.go` first."),
		text("I will look at the reader first."),
		Call("c1", "read", "path", "wire/reader.go"),
		Call("c2", "bash", "command", "go test -run TestReader -bench . ./wire/ 2>&1 | tail -20"),
	},
		event.ToolEnded{
			Call: "c2", Outcome: event.Failed, Ran: event.Duration(2300 * time.Millisecond), Output: "--- FAIL: TestReader (0.00s)\n    reader_test.go:31: \x1b[31mline 3 is too long\x1b[0m\nFAIL\n",
			Shell: &event.ShellRun{Command: "go test -run TestReader -bench . ./wire/ 2>&1 | tail -20", Dir: "/home/ada/parley", ExitCode: 1},
		},
		event.ToolEnded{Call: "c1", Outcome: event.Succeeded, Ran: event.Duration(3 * time.Millisecond), Output: "package wire\n" + strings.Repeat("// a line of the file\n", 40)},
	)
	l.Add(event.UserMessage{ID: "s1", Via: event.BySteer, Blocks: []model.Block{text("Keep the old test, please.")}})
	story := l.Answer([]model.Block{text(story), Call("c3", "edit", "path", "wire/reader.go", "old_text", "if len(line) > limit {\n\treturn nil, errTooLong\n}", "new_text", "r.count += len(line)\nif r.count > limit { // too long\n\treturn nil, errTooLong\n}")},
		event.ToolEnded{
			Call: "c3", Outcome: event.Succeeded, Ran: event.Duration(12 * time.Millisecond), Output: "Replaced 1 place.",
			Changes: []event.FileChange{{Path: "wire/reader.go", Op: event.Updated, Existed: true, Diff: patch, Added: 2, Removed: 3}},
		})
	l.Add(event.Labelled{Target: story, Label: "the plan"})
	l.Add(event.PlanUpdated{Items: []event.PlanItem{{Text: "Read the reader", Status: event.Completed}, {Text: "Make it count", Status: event.InProgress}, {Text: "Measure again", Status: event.Pending}}})
	asked := Call("c4", "bash", "command", "git push --force")
	l.Add(event.StepStarted{Step: 2, Model: "claude-sonnet-5"})
	l.Add(event.AssistantMessage{Model: "claude-sonnet-5", Blocks: []model.Block{text("Shall I push it?"), asked, Call("c5", "ask", "question", "Which branch?")}})
	l.Add(event.ToolIntended{Call: "c4", Name: "bash", Input: asked.Call.Input})
	l.Add(event.ApprovalAsked{ID: "a1", Call: "c4", Reason: "it reaches the network"})
	l.Add(event.ApprovalAnswered{ID: "a1", By: event.ByClient, Reason: "not today"})
	l.Add(event.ToolEnded{Call: "c4", Outcome: event.Denied, Output: "The call was denied: not today"})
	l.Add(event.StepEnded{Step: 2})
	l.Add(event.AssistantMessage{Model: "claude-sonnet-5", Blocks: []model.Block{text("Done: nothing was pushed.")}})
	l.End(event.TurnCompleted, nil)
	end := l.Add(event.CommandRan{Shell: event.ShellRun{Command: "go test ./wire/ && git diff --stat", ExitCode: 0}, Output: "ok  \tparley.dev/parley/internal/wire\t0.412s\n wire/reader.go | 5 +++--\n", Lines: 3, Bytes: 80, Ran: event.Duration(time.Second)})

	l.Prompt(text("Try it another way."))
	l.Answer([]model.Block{text("I could use a scanner.")})
	l.End(event.TurnInterrupted, nil)
	l.Add(event.Branched{Head: end, Removed: 2})
	l.Add(event.Compacted{Reason: event.CompactAsked, Summary: "The reader counts while it reads. The *old test* stays.", TokensBefore: 91200, TokensAfter: 1430, Removed: 9, Usage: model.Usage{Input: 90000, Output: 600}, Cost: 0.3})
	l.Add(event.SessionChanged{Settings: event.Settings{Name: "Make the reader count", Model: "openai/gpt-6", Mode: "workspace-write"}})

	l.Prompt(text("Why did it <b>fail</b> before?"))
	l.Answer([]model.Block{Call("c10", "web_search", "query", "go readslice limit"), Call("c11", "web_fetch", "url", "https://go.dev/pkg/bufio")},
		event.ToolEnded{Call: "c11", Outcome: event.Interrupted, Output: "interrupted", Fetch: &event.Fetch{URL: "https://go.dev/pkg/bufio", Status: 200, MIME: "text/html", Bytes: 80123}},
		event.ToolEnded{Call: "c10", Outcome: event.Succeeded, Output: `{"hits":1}`, Search: &event.Search{Query: "go readslice limit", Results: []event.SearchHit{{Title: "bufio", URL: "https://go.dev/pkg/bufio?a=1&b=<2>", Snippet: "ReadSlice reads until the first occurrence"}}}},
	)
	l.Add(event.Notice{Level: event.Warning, Code: "slow", Text: "The provider is slow today."})
	l.Add(event.HookRan{Moment: event.AtTurnEnd, Hook: "tests", Decision: event.HookContinued, Context: "Run the tests."})
	l.Add(event.Unknown{Name: "dreamt", Data: jsontext.Value("{}")})
	l.Add(event.UserMessage{ID: "s2", Via: event.ByEngine, Blocks: []model.Block{text("The plan has 2 open items.")}})
	l.Add(event.StepStarted{Step: 2, Model: "gpt-6"})
	l.Add(event.AssistantMessage{Model: "gpt-6", Blocks: []model.Block{text("I was just")}, Partial: true})
	l.Add(event.StepEnded{Step: 2})
	l.End(event.TurnFailed, &event.Failure{Kind: "overloaded", Message: "overloaded_error (529): the service is busy <b>now</b>", Status: 529})
	return l.Records
}

// Nasty returns Session followed by all of Hostile in every field of untrusted text.
func Nasty() []event.Record {
	l, text := &Log{Records: Session()}, model.TextBlock
	l.Prompt(text(Hostile[0]), text(Hostile[12]), model.Block{Kind: model.KindImage, Image: &model.Image{MIME: `image/png"onerror="x`, Data: Picture(), Name: Hostile[13]}},
		model.Block{Kind: model.KindImage, Image: &model.Image{MIME: "image/png", Data: Picture(), Name: Hostile[13]}})
	for i, hostile := range Hostile {
		id := fmt.Sprintf("h%d", i)
		l.Answer([]model.Block{Thinking(hostile), text(hostile), Call(id, "bash", "command", hostile, hostile, "x")},
			event.ToolEnded{
				Call: event.CallID(id), Outcome: event.Succeeded, Output: hostile, Shell: &event.ShellRun{Command: hostile},
				Changes: []event.FileChange{{Path: hostile, Op: event.Created, Diff: "+" + strings.ReplaceAll(hostile, "\n", "\n+") + "\n", Added: 1}},
				Search:  &event.Search{Query: hostile, Results: []event.SearchHit{{Title: hostile, URL: "javascript:alert(1)", Snippet: hostile}, {Title: "fine", URL: "https://go.dev/?a=1&b=<2>"}}},
				Images:  []model.Image{{MIME: "image/svg+xml", Data: []byte("<svg onload=alert(1)>")}, {MIME: "image/png", Name: hostile, URL: "http://" + Remote + "/n.png"}},
			})
	}
	l.Add(event.UserMessage{ID: "s3", Via: event.ByEngine, Blocks: []model.Block{text(Hostile[0])}})
	l.Add(event.Notice{Level: event.Warning, Code: "x", Text: Hostile[13]})
	l.Add(event.HookRan{Moment: event.BeforeTool, Hook: Hostile[13], Decision: event.HookDenied, Reason: Hostile[0]})
	l.Add(event.Labelled{Target: uint64(len(l.Records) - 1), Label: Hostile[0]})
	l.Add(event.Unknown{Name: event.Kind(Hostile[0]), Data: jsontext.Value("{}")})
	l.Add(event.SessionChanged{Settings: event.Settings{Name: Hostile[5], Model: Hostile[6]}})
	l.Add(event.CommandRan{Shell: event.ShellRun{Command: Hostile[5], Signal: Hostile[13]}, Output: Hostile[12]})
	l.Add(event.Compacted{Summary: strings.Join(Hostile, "\n\n")})
	l.Add(event.PlanUpdated{Items: []event.PlanItem{{Text: Hostile[1]}}})
	l.End(event.TurnFailed, &event.Failure{Message: Hostile[5]})
	return l.Records
}
