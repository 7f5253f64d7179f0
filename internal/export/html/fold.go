package html

import (
	"fmt"
	"io"
	"strings"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A fold writes the records one by one. It stores state of the open turn only.
type fold struct {
	*sheet
	index     *index
	markdown  *converter
	blob      func(string) ([]byte, error)
	settings  event.Settings
	day       string
	abandoned int // messages of the abandoned branch that is being written
	written   int // those of them that are written
	begun     time.Time
	answered  bool   // the turn has had an answer
	model     string // of the last answer
	calls     []*call
	asks      map[string]*call // by their open approvals and questions
}

func newFold(w io.StringWriter, ix *index, o Options) *fold {
	c := &colours{coloursCap}
	return &fold{sheet: &sheet{w, c}, index: ix, markdown: &converter{colours: c}, blob: o.Blob, settings: ix.created.Settings}
}

// record writes what the next record adds to the page.
func (f *fold) record(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.SessionChanged:
		f.changed(e.Settings)
	case event.UserMessage:
		f.message(rec)
		f.user(rec, e)
	case event.AssistantMessage:
		f.message(rec)
		f.answer(rec, e)
	case event.CommandRan:
		f.message(rec)
		f.command(rec, e)
	case event.Compacted:
		f.message(rec)
		f.compacted(rec, e)
	case event.Notice:
		f.notice(e.Level, e.Text)
	case event.HookRan:
		f.hook(e)
	case event.BudgetWarned:
		f.notice(event.Warning, e.Text)
	case event.BudgetExceeded:
		f.notice(event.Warning, e.Text)
	case event.PlanUpdated:
		f.plan(e)
	case event.Unknown:
		f.note("A newer program noted something here that this one does not know: " + string(e.Name))
	default:
		f.turn(rec)
	}
}

func (f *fold) turn(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.TurnStarted:
		f.begun, f.answered = rec.Time, false
	case event.StepEnded:
		f.flush()
	case event.TurnEnded:
		f.flush()
		f.turnEnded(rec, e)
	default:
		f.callRecord(rec)
	}
}

// message precedes each message: it opens and closes abandoned branches.
func (f *fold) message(rec event.Record) {
	f.flush()
	if f.abandoned == 0 {
		if f.abandoned = f.index.left[rec.Seq]; f.abandoned > 0 {
			f.open("details", "class", "left")
			f.element("summary", "Left behind: "+count(f.abandoned, "message"))
			f.put("\n")
			f.written = 0
		}
	} else if f.written == f.abandoned {
		f.endLeft()
	}
	f.written++
}

func (f *fold) endLeft() {
	if f.abandoned > 0 {
		f.end("details")
		f.put("\n")
		f.abandoned = 0
	}
}

// user writes a message of the user.
func (f *fold) user(rec event.Record, e event.UserMessage) {
	f.newDay(rec.Time)
	if e.Via == event.ByEngine {
		f.open("details", "class", "aside", "id", anchor(rec.Seq))
		f.element("summary", "Reminder to the model")
		f.blocks(e.Blocks, f.plain)
		f.end("details")
		return
	}
	f.answered = false
	who := map[event.Via]string{event.BySteer: "You, meanwhile", event.ByFollowUp: "You, afterwards"}[e.Via]
	if who == "" {
		who = "You"
	}
	f.open("article", "class", "you", "id", anchor(rec.Seq))
	f.heading("h2", who, rec)
	f.blocks(e.Blocks, f.plain)
	f.end("article")
	f.put("\n")
}

// answer writes an answer of the model; its calls follow as they run.
func (f *fold) answer(rec event.Record, e event.AssistantMessage) {
	f.newDay(rec.Time)
	f.begin(e)
	class := "answer"
	if f.answered && e.Model == f.model && f.index.labels[rec.Seq] == "" {
		class = "answer more" // the speaker's name is for screen readers only
	}
	f.answered, f.model = true, e.Model
	if !says(e.Blocks) && !e.Partial {
		return
	}
	f.open("article", "class", class, "id", anchor(rec.Seq))
	f.heading("h3", "Assistant", rec, e.Model)
	f.blocks(e.Blocks, f.prose)
	if e.Partial {
		f.element("p", "This answer was cut off.", "class", "cut")
	}
	f.end("article")
	f.put("\n")
}

// says reports whether blocks have other content than calls.
func says(blocks []model.Block) bool {
	for _, b := range blocks {
		if b.Kind == model.KindImage || strings.TrimSpace(b.Text) != "" {
			return true
		}
	}
	return false
}

// heading writes the speaker and the time.
func (f *fold) heading(tag markup, who string, rec event.Record, more ...string) {
	f.put("<header>")
	f.element(tag, who)
	for _, m := range more {
		if m != "" {
			f.element("span", m, "class", "model")
		}
	}
	f.label(rec.Seq)
	f.clock(rec.Time)
	f.put("</header>\n")
}

func (f *fold) label(seq uint64) {
	if label := f.index.labels[seq]; label != "" {
		f.element("span", label, "class", "label")
	}
}

func (f *fold) clock(t time.Time) {
	if !t.IsZero() {
		t = t.UTC()
		f.element("time", t.Format("15:04:05"), "datetime", t.Format(time.RFC3339))
	}
}

// newDay writes the date if it differs from that of the previous message.
func (f *fold) newDay(t time.Time) {
	if day := t.UTC().Format("2 January 2006"); !t.IsZero() && day != f.day {
		f.day = day
		f.element("p", day, "class", "day")
		f.put("\n")
	}
}

func anchor(seq uint64) string { return fmt.Sprintf("r%d", seq) }

// blocks writes texts with say, and the model's reasoning collapsed.
func (f *fold) blocks(blocks []model.Block, say func(string)) {
	for _, b := range blocks {
		switch {
		case b.Kind == model.KindText && strings.TrimSpace(b.Text) != "":
			say(b.Text)
		case b.Kind == model.KindThinking && strings.TrimSpace(b.Text) != "":
			title := "Thinking"
			if b.Summary {
				title = "Thinking, summed up"
			}
			f.open("details", "class", "thinking")
			f.element("summary", title)
			f.prose(b.Text)
			f.end("details")
			f.put("\n")
		case b.Kind == model.KindImage && b.Image != nil:
			f.image(*b.Image)
		}
	}
}

// prose writes Markdown.
func (f *fold) prose(text string) {
	html, ok := f.markdown.convert(text)
	if !ok {
		f.plain(text)
		return
	}
	f.open("div", "class", "prose", "dir", "auto")
	f.rendered(html)
	f.end("div")
	f.put("\n")
}

// plain writes text without Markdown.
func (f *fold) plain(text string) {
	text, left := cutMiddle(text)
	f.open("div", "class", "plain", "dir", "auto")
	f.text(text)
	f.end("div")
	f.leftOut(left)
}

func (f *fold) compacted(rec event.Record, e event.Compacted) {
	f.newDay(rec.Time)
	f.open("details", "class", "aside", "id", anchor(rec.Seq))
	f.put("<summary>")
	f.text(fmt.Sprintf("Compacted: %s became a summary, about %s tokens became %s",
		count(e.Removed, "message"), thousands(e.TokensBefore), thousands(e.TokensAfter)))
	f.label(rec.Seq)
	f.put("</summary>")
	f.prose(e.Summary)
	f.end("details")
	f.put("\n")
}

func (f *fold) plan(e event.PlanUpdated) {
	done := 0
	for _, item := range e.Items {
		if item.Status == event.Completed {
			done++
		}
	}
	f.flush()
	f.open("details", "class", "aside plan")
	f.element("summary", fmt.Sprintf("Plan: %d of %d done", done, len(e.Items)))
	f.put("<ul>\n")
	marks := map[event.PlanStatus]string{event.Pending: "☐ ", event.InProgress: "◐ ", event.Completed: "☑ "}
	for _, item := range e.Items {
		f.element("li", marks[item.Status]+item.Text)
		f.put("\n")
	}
	f.put("</ul></details>\n")
}

func (f *fold) changed(now event.Settings) {
	old := f.settings
	f.settings = now
	if f.day == "" {
		return // there is no message yet
	}
	for _, c := range []struct{ what, from, to string }{
		{"Model", old.Model, now.Model},
		{"Thinking", string(old.Thinking), string(now.Thinking)},
		{"Mode", old.Mode, now.Mode},
		{"Folder", old.Dir, now.Dir},
	} {
		if c.from != c.to && c.to != "" {
			f.note(c.what + " is now " + c.to)
		}
	}
}

// note writes a line of the program itself.
func (f *fold) note(text string) {
	f.element("p", text, "class", "note")
	f.put("\n")
}

// hook writes the decision of a hook.
func (f *fold) hook(e event.HookRan) {
	text := "Hook " + e.Hook
	switch {
	case e.Decision == event.HookDenied && e.Reason != "":
		text += " said no: " + e.Reason
	case e.Decision == event.HookDenied:
		text += " said no"
	case e.Decision == event.HookContinued:
		text += " made the turn go on"
	case e.Rewrote:
		text += " changed the input of a call"
	default:
		text += " told the model something"
	}
	f.notice(event.Info, text)
}

func (f *fold) notice(level event.NoticeLevel, text string) {
	class := "notice"
	switch level {
	case event.Error:
		class = "notice bad"
	case event.Warning:
		class = "notice warn"
	}
	f.element("p", text, "class", class)
	f.put("\n")
}

var reasons = map[event.TurnReason]string{
	event.TurnInterrupted: "Interrupted",
	event.TurnStepLimit:   "Stopped at the limit of steps",
	event.TurnBudget:      "Stopped at the end of the budget",
	event.TurnMaxTokens:   "Cut at the limit of an answer",
	event.TurnRefused:     "Refused by the provider",
	event.TurnFailed:      "Failed",
}

func (f *fold) turnEnded(rec event.Record, e event.TurnEnded) {
	if e.Failure != nil && e.Reason == event.TurnFailed {
		f.notice(event.Error, "The turn failed: "+e.Failure.Message)
	}
	var parts []string
	if reason := reasons[e.Reason]; reason != "" {
		parts = append(parts, reason)
	}
	if !f.begun.IsZero() && rec.Time.After(f.begun) {
		parts = append(parts, took(rec.Time.Sub(f.begun)))
	}
	if e.Steps > 1 {
		parts = append(parts, count(e.Steps, "step"))
	}
	if n := len(e.Mutations); n > 0 {
		parts = append(parts, "changed "+count(n, "file"))
	}
	parts = append(parts, spent(e.Usage, e.Cost)...)
	if len(parts) > 0 {
		f.element("p", strings.Join(parts, " · "), "class", "turn")
		f.put("\n")
	}
}
