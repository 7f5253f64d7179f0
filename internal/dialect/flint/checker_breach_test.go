package flint

import (
	"slices"
	"strings"
	"testing"
)

// TestChecker shows that the checker sees each kind of breach, so that its silence elsewhere
// means something.
func TestChecker(t *testing.T) {
	const (
		accepted  = `{"id":3,"result":{"turn":{"id":"u","status":"inProgress","items":[]}}}`
		started   = `{"method":"turn/started","params":{"threadId":"t","turn":{"id":"u","status":"inProgress","items":[]}}}`
		prompt    = `{"method":"item/started","params":{"threadId":"t","turnId":"u","item":{"type":"userMessage","id":"i1","content":[{"type":"text","text":"x"}]}}}`
		text      = `{"method":"item/started","params":{"threadId":"t","turnId":"u","item":{"type":"agentMessage","id":"i2","text":""}}}`
		delta     = `{"method":"item/agentMessage/delta","params":{"threadId":"t","turnId":"u","itemId":"i2","delta":"Hi."}}`
		textEnd   = `{"method":"item/completed","params":{"threadId":"t","turnId":"u","item":{"type":"agentMessage","id":"i2","text":"Hi."}}}`
		shell     = `{"method":"item/started","params":{"threadId":"t","turnId":"u","item":{"type":"commandExecution","id":"i3","command":"x","cwd":"/","status":"inProgress"}}}`
		ask       = `{"id":1000001,"method":"item/commandExecution/requestApproval","params":{"threadId":"t","turnId":"u","itemId":"i3","command":"x","cwd":"/"}}`
		shellEnd  = `{"method":"item/completed","params":{"threadId":"t","turnId":"u","item":{"type":"commandExecution","id":"i3","command":"x","cwd":"/","status":"declined"}}}`
		usage     = `{"method":"thread/tokenUsage/updated","params":{"threadId":"t","turnId":"u","usage":{"inputTokens":5,"outputTokens":1},"_meta":{"last":{"inputTokens":5,"outputTokens":1},"thread":{"inputTokens":5,"outputTokens":1}}}}`
		failed    = `{"method":"error","params":{"error":{"message":"m"},"willRetry":false,"threadId":"t","turnId":"u"}}`
		end       = `{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","status":"completed","items":[{"type":"userMessage","id":"i1","content":[{"type":"text","text":"x"}]},{"type":"agentMessage","id":"i2","text":"Hi."},{"type":"commandExecution","id":"i3","command":"x","cwd":"/","status":"declined"}]}}}`
		bareEnd   = `{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","status":"completed","items":[{"type":"userMessage","id":"i1","content":[{"type":"text","text":"x"}]}]}}}`
		resumed   = `{"id":9,"result":{"thread":{"id":"t","turns":[{"id":"u","status":"completed","items":[{"type":"userMessage","id":"i1","content":[{"type":"text","text":"x"}]}]}]}}}`
		patch     = `{"method":"item/started","params":{"threadId":"t","turnId":"u","item":{"type":"fileChange","id":"i4","changes":[{"path":"/w/a","kind":"modify","diff":"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-old\n+new\n"}],"status":"inProgress"}}}`
		unlikeAsk = `{"id":1000001,"method":"item/fileChange/requestApproval","params":{"threadId":"t","turnId":"u","itemId":"i3"}}`
	)
	promptEnd := strings.Replace(prompt, "started", "completed", 1)
	begun := []string{accepted, started, prompt, promptEnd}
	whole := append(slices.Clone(begun), text, delta, textEnd, shell, ask, shellEnd, usage, end)
	bare := append(slices.Clone(begun), bareEnd)
	with := func(lines ...string) []string { return append(slices.Clone(begun), lines...) }
	for name, lines := range map[string][]string{"whole": whole, "bare": append(slices.Clone(bare), resumed), "failed": with(failed, strings.Replace(bareEnd, `"completed","items"`, `"failed","error":{"message":"m"},"items"`, 1))} {
		if at, c := readLines(lines); at < len(lines) || len(c.problems) > 0 {
			t.Errorf("%s is sound, but for line %d: %q", name, at, c.problems)
		}
	}
	for name, lines := range map[string][]string{
		"version member":                     {`{"jsonrpc":"2.0",` + accepted[1:]},
		"turn that was not accepted":         {started},
		"turn accepted twice":                {accepted, accepted},
		"turn started twice":                 {accepted, started, started},
		"end twice":                          append(slices.Clone(bare), bareEnd),
		"item outside a turn":                {accepted, prompt},
		"item after the end":                 append(slices.Clone(bare), text),
		"usage after the end":                append(slices.Clone(bare), usage),
		"prompt is not first":                {accepted, started, text},
		"item id used twice":                 with(strings.Replace(text, "i2", "i1", 1)),
		"item starts completed":              with(strings.Replace(shell, "inProgress", "completed", 1)),
		"delta before its item":              with(delta),
		"delta after its item":               with(text, delta, textEnd, delta),
		"empty delta":                        with(text, strings.Replace(delta, "Hi.", "", 1)),
		"delta of another kind":              with(text, strings.Replace(delta, "agentMessage", "plan", 1), strings.Replace(textEnd, "Hi.", "", 1)),
		"deltas are not the text":            with(text, delta, strings.Replace(textEnd, "Hi.", "Ho.", 1)),
		"completed twice":                    with(text, delta, textEnd, textEnd),
		"completed in progress":              with(shell, strings.Replace(shellEnd, "declined", "inProgress", 1)),
		"completed as another kind":          with(text, strings.Replace(shellEnd, "i3", "i2", 1)),
		"request for no item":                with(ask),
		"request out of count":               with(shell, strings.Replace(ask, "1000001", "1000002", 1)),
		"request of the wrong kind":          with(shell, unlikeAsk),
		"end with an open item":              with(shell, strings.Replace(end, `{"type":"agentMessage","id":"i2","text":"Hi."},`, "", 1)),
		"end without an item":                with(text, delta, textEnd, bareEnd),
		"end with another item":              with(text, delta, textEnd, shell, shellEnd, strings.Replace(end, "declined", "failed", 1)),
		"end failed, unreported":             with(strings.Replace(bareEnd, `"completed","items"`, `"failed","error":{"message":"m"},"items"`, 1)),
		"end well, failure reported":         with(failed, bareEnd),
		"something after the failure":        with(failed, text),
		"end in progress":                    with(strings.Replace(bareEnd, `"completed"`, `"inProgress"`, 1)),
		"usage that is no sum":               with(usage, usage),
		"unknown notification":               with(strings.Replace(failed, `"error"`, `"item/exploded"`, 1)),
		"resumed turn of an unknown thread":  {resumed},
		"resumed otherwise":                  append(slices.Clone(bare), strings.Replace(resumed, `"text":"x"`, `"text":"y"`, 1)),
		"resumed as running":                 append(slices.Clone(bare), strings.Replace(resumed, `"completed"`, `"inProgress"`, 1)),
		"diff that does not fit":             with(patch),
		"second turn in a thread that works": with(strings.ReplaceAll(accepted, `"u"`, `"v"`), strings.ReplaceAll(started, `"u"`, `"v"`)),
	} {
		if at, _ := readLines(lines); at != len(lines)-1 {
			t.Errorf("%s: not seen, or at line %d of %d", name, at, len(lines))
		}
	}
	if _, c := readLines(begun); len(c.problems) > 0 {
		t.Error(c.problems)
	} else if c.end(); len(c.problems) != 1 {
		t.Errorf("turn that never ends: %q", c.problems)
	}
	c := newChecker(map[string][]string{}, newPatches())
	c.received([]byte(`{"method":"initialize","params":{"capabilities":{"optOutNotificationMethods":["turn/started"]}}}`))
	if c.line([]byte(accepted)); len(c.problems) > 0 {
		t.Error(c.problems)
	}
	if c.line([]byte(started)); len(c.problems) == 0 {
		t.Error("what was opted out of: not seen")
	}
}

// readLines gives lines to a fresh checker; at is where it stopped.
func readLines(lines []string) (at int, c *checker) {
	files := newPatches()
	files.files["/w/a"] = "older\n"
	c = newChecker(map[string][]string{}, files)
	for at, line := range lines {
		if c.line([]byte(line)); len(c.problems) > 0 {
			return at, c
		}
	}
	return len(lines), c
}
