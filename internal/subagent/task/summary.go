package task

import (
	"fmt"
	"strings"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/text"
	"parley.dev/parley/internal/tool"
)

// summary returns the result of all tasks for the model. Each output gets its part of the room.
func (r *run) summary(tasks *event.Tasks, merged string) string {
	const frame = 4 << 10 // for everything but the outputs, with the result of the merge
	good := 0
	for _, t := range tasks.Results {
		if t.ExitCode == 0 {
			good++
		}
	}
	room := max(500, (tool.MaxText-frame)/len(tasks.Results)-500)
	var b strings.Builder
	fmt.Fprintf(&b, "<task-summary>\n<header>%d/%d succeeded [%s]</header>\n", good, len(tasks.Results), seconds(time.Duration(tasks.Ran)))
	for _, t := range tasks.Results {
		writeResult(&b, t, room)
	}
	if len(merged) > frame/2 {
		merged = strings.ToValidUTF8(merged[:frame/2], "") + " …"
	}
	if merged != "" {
		b.WriteString("\n" + merged + "\n")
	}
	b.WriteString("</task-summary>")
	text := b.String()
	if len(text) > tool.MaxText {
		text = strings.ToValidUTF8(text[:tool.MaxText-len("…\n</task-summary>")], "") + "…\n</task-summary>"
	}
	return text
}

func writeResult(b *strings.Builder, t event.TaskResult, room int) {
	status := "completed"
	switch {
	case t.Aborted:
		status = "aborted"
	case t.ExitCode != 0:
		status = "failed"
	}
	fmt.Fprintf(b, "\n<agent id=%q agent=%q>\n<status>%s</status>\n", t.ID, t.Agent, status)
	if t.Error != "" {
		fmt.Fprintf(b, "<error>%s</error>\n", text.Clip(t.Error, room/4, " …"))
	}
	if v := t.Verification; v != nil {
		fmt.Fprintf(b, "<verification>%s</verification>\n", v.Status)
		if v.Status == event.VerificationFailed && len(v.Attempts) > 0 {
			for _, c := range v.Attempts[len(v.Attempts)-1].Commands {
				if c.ExitCode != 0 && !c.Optional {
					fmt.Fprintf(b, "<failed-command name=%q exit-code=\"%d\">\n%s\n</failed-command>\n", c.Name, c.ExitCode, text.Clip(c.Preview, room/8, " …"))
				}
			}
		}
	}
	if t.PatchPath != "" {
		fmt.Fprintf(b, "<patch>%s</patch>\n", t.PatchPath)
	}
	if t.Output != "" {
		fmt.Fprintf(b, "<result>\n%s\n</result>\n", text.Clip(t.Output, room/2, " …"))
	}
	if t.OutputPath != "" && (t.Truncated || len(t.Output) > room/2) {
		fmt.Fprintf(b, "<full-output>%s</full-output>\n", t.OutputPath)
	}
	b.WriteString("</agent>\n")
}

func seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%dms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}
