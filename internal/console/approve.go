package console

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/terminal"
)

// An Approval is a call that needs the user's approval.
type Approval struct {
	Tool    string
	Input   jsontext.Value // exactly what will run
	Command string         // shell text, also in Input; "": it runs no command
	Dir     string         // where Command runs
	Details []string       // what the user has to know: why approval is requested, what the call reaches
	Files   []approval.FileEffect
	Session string // what the answer "a" covers for the session; "": it is not offered
}

// A Decision is the user's answer.
type Decision struct {
	Allow   bool
	Session bool   // the approval also covers Approval.Session
	Reason  string // of a denial, for the model
}

// A Console requests approvals and answers from the user at a terminal.
type Console struct {
	screen *Screen
	in     *terminal.Input
}

// New returns a console that shows questions on a screen and reads the answers from in.
func New(screen *Screen, in *terminal.Input) *Console { return &Console{screen, in} }

// changeLines is how many lines of diffs a question shows by itself.
const changeLines = 2000

// Approve shows a complete call and returns the user's decision. It drops input that was typed
// before. The end of the input denies. The only error is the cause of ctx.
func (c *Console) Approve(ctx context.Context, a Approval) (Decision, error) {
	columns, rows := c.screen.size()
	var all, shown []string
	for _, b := range a.blocks(0) {
		all = b.render(c.screen, all, columns-1)
	}
	for _, b := range a.blocks(changeLines) {
		shown = b.render(c.screen, shown, columns-1)
	}
	long := len(all)+6 > rows
	text := append([]string{c.screen.paint(bold, c.screen.paint(yellow, "Allow "+terminal.Line(a.Tool)+"?"))}, shown...)
	for i, detail := range a.Details {
		label := c.screen.paint(bold, "Reason: ")
		if i > 0 {
			label = "        "
		}
		text = append(text, label+inLine(detail))
	}
	if long {
		text = append(text, fmt.Sprintf("The request has %d lines, more than fit on the screen.", len(all)))
	}
	text = append(text, a.keys(long))
	start := ""
	if c.screen.errFile != nil {
		start = reset // makes the question visible after any earlier output
	}
	c.screen.write(start + strings.Join(text, "\n") + "\n")
	for {
		line, err := c.read(ctx, "Allow? ")
		if err != nil {
			return Decision{}, context.Cause(ctx) // the end of the input denies
		}
		if long && isKey(line, "p", "page") {
			c.page(ctx, all)
			continue
		}
		if d, ok := a.decision(line); ok {
			return d, nil
		}
		c.screen.write("That is no answer. Type one of:\n" + a.keys(long) + "\n")
	}
}

// blocks returns everything that needs approval. With a limit, of changes with more lines only the
// size is in it; a command always is.
func (a Approval) blocks(limit int) []block {
	var blocks []block
	switch {
	case a.Command != "":
		title := "It runs this command:"
		if a.Dir != "" {
			title = "It runs this command in " + inLine(a.Dir) + ":"
		}
		blocks = append(blocks, block{title: title, lines: strings.Split(terminal.Exact(a.Command), "\n")})
		if others := a.otherFields(); len(others) > 0 {
			blocks = append(blocks, block{title: "with:", lines: others})
		}
	case len(a.Files) > 0:
		whole := true
		for _, file := range a.Files {
			blocks = append(blocks, fileBlock(file).limit(limit))
			whole = whole && (file.Diff != "" || file.Op == string(event.Deleted))
		}
		if !whole {
			blocks = append(blocks, block{title: "There is no diff of all of it; the call:", lines: fieldLines(a.Input)}.limit(limit))
		}
	default:
		blocks = append(blocks, block{lines: fieldLines(a.Input)})
	}
	return blocks
}

// otherFields returns the input without the command, which is shown separately.
func (a Approval) otherFields() []string {
	var in struct {
		Command string `json:"command"`
	}
	if err := json.Unmarshal(a.Input, &in); err != nil || in.Command != a.Command {
		return fieldLines(a.Input)
	}
	return fieldLines(a.Input, "command")
}

func fileBlock(file approval.FileEffect) block {
	b := block{title: inLine(file.Path + ": " + file.String()), diff: true}
	if file.Diff != "" {
		b.lines = strings.Split(strings.TrimSuffix(terminal.Exact(file.Diff), "\n"), "\n")
	}
	return b
}

// limit omits the lines of a block that has more; 0 means no limit.
func (b block) limit(most int) block {
	if most > 0 && len(b.lines) > most {
		b.title += fmt.Sprintf("; %d lines are not shown here", len(b.lines))
		b.lines = nil
	}
	return b
}

// keys returns the possible answers, one on each line.
func (a Approval) keys(long bool) string {
	keys := "  y  yes\n"
	if a.Session != "" {
		keys += "  a  yes, and don't ask again in this session about " + inLine(a.Session) + "\n"
	}
	keys += "  n  no; a text after the n goes to the model"
	if long {
		keys += "\n  p  show the request page by page"
	}
	return keys
}

// denial matches an answer that denies: a no, and optionally a reason for the model.
var denial = lazy.Regexp{Expr: `(?is)^no?(?:[\s,;:.]+(.*))?$`}

// decision returns the decision that a line contains; false if it is not an answer.
func (a Approval) decision(line string) (Decision, bool) {
	line = strings.TrimSpace(line)
	switch {
	case isKey(line, "y", "yes"):
		return Decision{Allow: true}, true
	case isKey(line, "a", "all") && a.Session != "":
		return Decision{Allow: true, Session: true}, true
	}
	if m := denial.Get().FindStringSubmatch(line); m != nil {
		return Decision{Reason: strings.TrimSpace(m[1])}, true
	}
	return Decision{}, false
}

func isKey(line, short, long string) bool {
	line = strings.TrimSpace(line)
	return strings.EqualFold(line, short) || strings.EqualFold(line, long)
}

// read reads an answer that is typed after prompt is shown.
func (c *Console) read(ctx context.Context, prompt string) (string, error) {
	_ = c.in.Discard() // if the terminal is lost, reading fails too
	c.screen.write(c.screen.paint(bold, prompt))
	line, err := c.in.ReadLine(ctx)
	if err != nil {
		c.screen.write("\n")
	}
	return line, err
}

// page shows lines page by page, until the last or until the user stops it.
func (c *Console) page(ctx context.Context, lines []string) {
	for from := 0; from < len(lines); {
		_, rows := c.screen.size()
		to := min(from+max(rows-2, 1), len(lines))
		c.screen.write(strings.Join(lines[from:to], "\n") + "\n")
		if from = to; from == len(lines) {
			return
		}
		line, err := c.read(ctx, fmt.Sprintf("Line %d of %d. Enter: next page. q: back to the question. ", to, len(lines)))
		if err != nil || strings.TrimSpace(line) != "" {
			return
		}
	}
}
