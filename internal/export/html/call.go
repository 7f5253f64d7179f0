package html

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/highlight"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/text"
)

// A call is a tool call of the open step, stored until its position on the page is reached: calls
// that run in parallel end in any order, and are shown in the model's.
type call struct {
	id      event.CallID
	name    string
	server  string
	input   jsontext.Value
	taken   bool // it was begun
	started event.ToolStarted
	said    []string // in approvals and questions
	ended   *event.ToolEnded
	seq     uint64 // of the end
}

// begin stores the calls of an answer.
func (f *fold) begin(e event.AssistantMessage) {
	for _, c := range (model.Message{Blocks: e.Blocks}).Calls() {
		f.calls = append(f.calls, &call{id: event.CallID(c.ID), name: c.Name, input: c.Input})
	}
}

func (f *fold) call(id event.CallID) *call {
	for _, c := range f.calls {
		if c.id == id {
			return c
		}
	}
	c := &call{id: id}
	f.calls = append(f.calls, c)
	return c
}

func (f *fold) callRecord(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.ToolIntended:
		c := f.call(e.Call)
		c.taken, c.name, c.server, c.input = true, e.Name, e.Server, e.Input
	case event.ToolStarted:
		f.call(e.Call).started = e
	case event.ToolEnded:
		c := f.call(e.Call)
		c.ended, c.seq = &e, rec.Seq
		f.flushEnded()
	case event.ApprovalAsked:
		text := "Asked for approval"
		if details := e.Details(); len(details) > 0 {
			text += ": " + strings.Join(details, "; ")
		}
		f.ask("approval "+string(e.ID), e.Call, text)
	case event.ApprovalAnswered:
		f.reply("approval "+string(e.ID), approvalText(e))
	case event.QuestionAsked:
		for _, q := range e.Questions {
			f.ask("question "+string(e.ID), e.Call, "Question: "+q.Text)
		}
	case event.QuestionAnswered:
		f.reply("question "+string(e.ID), answerText(e))
	}
}

// ask stores the open approval or question of a call; the answer names only that.
func (f *fold) ask(question string, id event.CallID, text string) {
	c := f.call(id)
	c.said = append(c.said, text)
	if f.asks == nil {
		f.asks = map[string]*call{}
	}
	f.asks[question] = c
}

func (f *fold) reply(question, text string) {
	if c := f.asks[question]; c != nil {
		c.said = append(c.said, text)
		delete(f.asks, question)
	}
}

var answerers = map[event.Answerer]string{
	event.ByClient: "by a person", event.ByPolicy: "by policy", event.ByInterrupt: "by an interrupt",
	event.ByAbsence: "because nobody was there", event.ByRecovery: "because the process had ended", event.ByFault: "because the answer made no sense",
}

func approvalText(e event.ApprovalAnswered) string {
	text := "Denied " + answerers[e.By]
	if e.Allowed {
		text = "Allowed " + answerers[e.By]
	}
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

func answerText(e event.QuestionAnswered) string {
	if e.Answers == nil {
		return "Not answered, " + answerers[e.By]
	}
	var answers []string
	for _, a := range e.Answers {
		answers = append(answers, strings.Join(a, ", "))
	}
	return "Answer: " + strings.Join(answers, "; ")
}

// flushEnded writes the ended calls up to the first that has not ended.
func (f *fold) flushEnded() {
	for len(f.calls) > 0 && f.calls[0].ended != nil {
		f.writeCall(f.calls[0])
		f.calls = f.calls[1:]
	}
}

// flush writes all calls: no more records of them can follow.
func (f *fold) flush() {
	for _, c := range f.calls {
		f.writeCall(c)
	}
	f.calls, f.asks = nil, nil
}

func (f *fold) writeCall(c *call) {
	e := event.ToolEnded{}
	if c.ended != nil {
		e = *c.ended
	}
	attributes := []string{"class", "tool"}
	if c.seq != 0 {
		attributes = append(attributes, "id", anchor(c.seq))
	}
	if len(e.Changes) > 0 || e.Outcome == event.Denied || len(e.Images) > 0 {
		attributes = append(attributes, "open", "")
	}
	f.open("details", attributes...)
	f.callSummary(c, e)
	f.put(`<div class="body">`)
	if len(e.Changes) > 0 { // they show the input
		f.put(`<details class="input"><summary>Input</summary>`)
		f.input(c)
		f.put("</details>\n")
	} else {
		f.input(c)
	}
	for _, text := range c.said {
		f.note(text)
	}
	if c.started.Confined != "" {
		f.note("Confined by " + c.started.Confined)
	}
	f.result(c, e)
	f.put("</div></details>\n")
}

func (f *fold) callSummary(c *call, e event.ToolEnded) {
	f.put("<summary>")
	f.element("span", c.name, "class", "name")
	if c.server != "" {
		f.element("span", c.server, "class", "model")
	}
	if hint := hintOf(c, e); hint != "" {
		f.put(" ")
		f.element("code", hint, "class", "hint")
	}
	for _, change := range e.Changes {
		f.tally(change)
	}
	f.outcome(c, e)
	f.label(c.seq)
	if e.Ran > 0 {
		f.element("span", took(time.Duration(e.Ran)), "class", "took")
	}
	f.put("</summary>\n")
}

// hintOf returns what distinguishes a call from others of its tool: the command, the path, the words.
func hintOf(c *call, e event.ToolEnded) string {
	hint := ""
	if e.Shell != nil {
		hint = e.Shell.Command
	} else {
		for _, m := range members(c.input) {
			if m.isText && strings.TrimSpace(m.value) != "" {
				hint = m.value
				break
			}
		}
	}
	line, rest, more := strings.Cut(strings.TrimSpace(hint), "\n")
	const most = 100 // characters
	if short := text.ClipRunes(line, most, "…"); short != line {
		return short
	}
	if more && rest != "" {
		line += " …"
	}
	return line
}

func (f *fold) tally(c event.FileChange) {
	if c.Added > 0 {
		f.put(" ")
		f.element("ins", fmt.Sprintf("+%d", c.Added))
	}
	if c.Removed > 0 {
		f.put(" ")
		f.element("del", fmt.Sprintf("−%d", c.Removed))
	}
}

// outcome writes how the call ended, unless it succeeded.
func (f *fold) outcome(c *call, e event.ToolEnded) {
	class, word := "badge bad", ""
	switch {
	case c.ended == nil && !c.taken:
		class, word = "badge", "not run"
	case c.ended == nil:
		word = "no end recorded"
	case e.Shell != nil && e.Outcome != event.Denied && e.Outcome != event.Interrupted:
		word = exit(*e.Shell)
		if e.Shell.ExitCode == 0 && !e.Shell.TimedOut {
			class = "badge good"
		}
	case e.Outcome == event.Failed:
		word = "failed"
	case e.Outcome == event.Denied:
		word = "denied"
	case e.Outcome == event.Interrupted:
		word = "interrupted"
	case e.Outcome == event.OutcomeUnknown:
		word = "outcome unknown"
	}
	if word != "" {
		f.element("span", word, "class", class)
	}
}

func exit(s event.ShellRun) string {
	switch {
	case s.TimedOut:
		return "timed out"
	case s.Signal != "":
		return s.Signal
	}
	return fmt.Sprintf("exit %d", s.ExitCode)
}

// result writes the result of a call.
func (f *fold) result(c *call, e event.ToolEnded) {
	for _, change := range e.Changes {
		f.change(change)
	}
	if e.Search != nil {
		f.search(*e.Search)
	}
	if e.Fetch != nil {
		f.put(`<p class="note">`)
		f.link(e.Fetch.URL, e.Fetch.URL)
		f.text(fmt.Sprintf(" · %d · %s · %s", e.Fetch.Status, e.Fetch.MIME, size(int(e.Fetch.Bytes))))
		f.put("</p>\n")
	}
	for _, img := range e.Images {
		f.image(img)
	}
	if strings.TrimSpace(e.Output) != "" {
		f.element("p", "Output", "class", "part")
		f.output(e.Output, languageOfOutput(e.Output), "Output of "+c.name)
	}
}

func languageOfOutput(text string) string {
	switch {
	case looksLikeDiff(text):
		return "diff"
	case len(text) <= highlight.MaxText && len(text) > 1 && (text[0] == '{' || text[0] == '[') && jsontext.Value(text).IsValid():
		return "json"
	}
	return ""
}

var operations = map[event.FileOp]string{event.Created: "created", event.Updated: "updated", event.Deleted: "deleted"}

func (f *fold) change(c event.FileChange) {
	f.put(`<figure class="diff"><figcaption>`)
	f.element("code", c.Path)
	f.text(" " + operations[c.Op])
	f.tally(c)
	f.put("</figcaption>\n")
	if c.Diff != "" {
		f.output(c.Diff, "diff", "Changes of "+c.Path)
	}
	f.put("</figure>\n")
}

func (f *fold) search(e event.Search) {
	f.put("<ul>\n")
	for _, hit := range e.Results {
		f.put("<li>")
		f.link(hit.URL, hit.Title)
		if hit.Snippet != "" {
			f.put("<br>")
			f.text(hit.Snippet)
		}
		f.put("</li>\n")
	}
	f.put("</ul>\n")
}

// command writes a shell command of the user.
func (f *fold) command(rec event.Record, e event.CommandRan) {
	f.newDay(rec.Time)
	f.open("article", "class", "you", "id", anchor(rec.Seq))
	f.heading("h2", "You ran", rec)
	f.block("$ "+readable(e.Shell.Command), "bash", "Command")
	if e.Output != "" {
		f.output(e.Output, languageOfOutput(e.Output), "Output of the command")
	}
	parts := []string{exit(e.Shell)}
	if e.Cancelled {
		parts = []string{"cancelled"}
	}
	if e.Ran > 0 {
		parts = append(parts, took(time.Duration(e.Ran)))
	}
	if e.Cut {
		parts = append(parts, "the end of "+count(e.Lines, "line")+" ("+size(int(e.Bytes))+")")
	}
	if e.Hidden {
		parts = append(parts, "the model was not told")
	}
	f.element("p", strings.Join(parts, " · "), "class", "turn")
	f.put("</article>\n")
}
