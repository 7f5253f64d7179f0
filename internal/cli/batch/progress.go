package batch

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/terminal"
)

const (
	barInterval  = 100 * time.Millisecond // between two drawings of the bar
	lineInterval = 500 * time.Millisecond // between two lines of JSON
)

// A progress shows how far a batch is: a bar on stderr if that is a terminal, lines of JSON on stdout with --json.
type progress struct {
	cmd      *cobra.Command
	terminal terminal.File // nil: there is no bar
	asJSON   bool
	colours  bool

	mu     sync.Mutex // guards the rest
	report batch.Report
	fresh  bool // report was not shown yet
	drawn  bool // the bar is on the last line
}

func newProgress(cmd *cobra.Command, asJSON bool) *progress {
	p := &progress{cmd: cmd, asJSON: asJSON, colours: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if file, ok := cmd.ErrOrStderr().(terminal.File); ok && !asJSON && terminal.Is(file) && os.Getenv("TERM") != "dumb" {
		p.terminal = file
	}
	return p
}

// watch shows a batch until it is finished or ctx ends.
func watch(ctx context.Context, b *batch.Batches, cmd *cobra.Command, id string, asJSON bool) (batch.Report, error) {
	return newProgress(cmd, asJSON).follow(ctx, b, id)
}

// follow shows a batch until it is finished or ctx ends, and returns its last state.
func (p *progress) follow(ctx context.Context, b *batch.Batches, id string) (batch.Report, error) {
	showing, end := context.WithCancel(context.Background())
	var shows sync.WaitGroup
	shows.Go(func() { p.run(showing) })
	err := b.Watch(ctx, id, func(s *batch.State) bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.report, p.fresh = s.Report(time.Now()), true
		return !p.report.Finished
	})
	end()
	shows.Wait()
	p.show()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		p.drawn = false
		fmt.Fprintln(p.cmd.ErrOrStderr())
	}
	if p.report.Finished {
		err = nil
	}
	return p.report, err
}

// run shows the state at intervals until ctx ends.
func (p *progress) run(ctx context.Context) {
	interval := barInterval
	if p.asJSON {
		interval = lineInterval
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			p.show()
		case <-ctx.Done():
			return
		}
	}
}

// show shows the state, unless it was shown.
func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.fresh {
		return
	}
	p.fresh = false
	switch {
	case p.asJSON:
		_ = printLine(p.cmd, p.report) // the command reports at its end that stdout is closed
	case p.terminal != nil:
		columns, _ := terminal.Size(p.terminal)
		fmt.Fprint(p.cmd.ErrOrStderr(), "\r"+barLine(p.report, columns-1, p.colours)+"\x1b[K")
		p.drawn = true
	}
}

// Write writes lines of a log above the bar.
func (p *progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.cmd.ErrOrStderr()
	if p.drawn {
		fmt.Fprint(out, "\r\x1b[K")
		p.drawn, p.fresh = false, true
	}
	if _, err := io.WriteString(out, terminal.Clean(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

var _ io.Writer = (*progress)(nil)

// Escape sequences.
const (
	green = "\x1b[32m"
	red   = "\x1b[31m"
	cyan  = "\x1b[36m"
	dim   = "\x1b[2m"
	reset = "\x1b[0m"
)

// A piece is a part of the line; if there is too little space those of the highest rank are left out.
type piece struct {
	text, look string
	rank       int
}

// minBar and maxBar bound the length of the bar.
const (
	minBar = 10
	maxBar = 40
)

// barLine returns the line for a terminal of so many columns.
func barLine(r batch.Report, columns int, colours bool) string {
	digits := len(fmt.Sprint(r.Tasks)) // numbers have the width that they will have, so that the bar keeps its length
	pieces := []piece{
		{fmt.Sprintf("%*d/%d", digits, r.Ended(), r.Tasks), "", 0},
		{fmt.Sprintf("✓ %-*d", digits, r.Done), green, 1},
		{fmt.Sprintf("✗ %-*d", digits, r.Ended()-r.Done), red, 1},
		{fmt.Sprintf("▶ %-3d", r.Running), cyan, 2},
		{fmt.Sprintf("%-6s", dollars(r.CostUSD)), "", 3},
	}
	if !r.Finished {
		speed, eta := "", ""
		if r.Rate > 0 {
			speed = rate(r.Rate)
		}
		if r.ETA != nil {
			eta = "ETA " + shortDuration(time.Duration(*r.ETA)*time.Second)
		}
		pieces = append(pieces, piece{fmt.Sprintf("%-8s", speed), dim, 5}, piece{fmt.Sprintf("%-10s", eta), dim, 4})
	}
	name := piece{r.Batch, dim, 6}
	for rank := name.rank; rank > 0 && width(append(pieces, name))+minBar+2 > columns; rank-- {
		var left []piece
		for _, p := range pieces {
			if p.rank < rank {
				left = append(left, p)
			}
		}
		if pieces = left; rank == name.rank {
			name.text = ""
		}
	}
	length := min(maxBar, columns-width(append(pieces, name))-2)
	paint := func(look, text string) string {
		if !colours || look == "" || text == "" {
			return text
		}
		return look + text + reset
	}
	var parts []string
	if name.text != "" {
		parts = append(parts, paint(name.look, name.text))
	}
	if length >= minBar {
		parts = append(parts, bar(r, length, paint))
	}
	for _, p := range pieces {
		parts = append(parts, paint(p.look, p.text))
	}
	return strings.TrimRight(strings.Join(parts, "  "), " ")
}

// width returns the columns of pieces with a gap of two after each.
func width(pieces []piece) (columns int) {
	for _, p := range pieces {
		if p.text != "" {
			columns += displaywidth.String(p.text) + 2
		}
	}
	return max(0, columns-2)
}

// bar draws the parts of the tasks that are done, finished in another way, and running. A part that is not empty has a column.
func bar(r batch.Report, length int, paint func(look, text string) string) string {
	cells := func(upTo int) int {
		if r.Tasks == 0 {
			return 0
		}
		return upTo * length / r.Tasks
	}
	done := cells(r.Done)
	failed := cells(r.Ended()) - done
	if failed == 0 && r.Ended() > r.Done && done < length {
		failed = 1
	}
	running := cells(r.Ended()+r.Running) - done - failed
	if running <= 0 && r.Running > 0 {
		running = min(1, length-done-failed)
	}
	running = max(0, running)
	return paint(green, strings.Repeat("━", done)) + paint(red, strings.Repeat("━", failed)) +
		paint(cyan, strings.Repeat("╸", running)) + paint(dim, strings.Repeat("─", length-done-failed-running))
}

// rate returns tasks a time in a unit that gives a number above 1.
func rate(perSecond float64) string {
	switch {
	case perSecond >= 1:
		return fmt.Sprintf("%.1f/s", perSecond)
	case perSecond*60 >= 1:
		return fmt.Sprintf("%.1f/min", perSecond*60)
	}
	return fmt.Sprintf("%.1f/h", perSecond*3600)
}
