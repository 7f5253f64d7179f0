package codex

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTerminalCommands: the commands of the terminal UI work over a Unix socket: what the thread is, models, permissions, changes, a
// review, a compaction, an earlier prompt that is edited, a side conversation, new and stored threads.
func TestTerminalCommands(t *testing.T) {
	t.Parallel()
	program(t)
	p := newPlace(t,
		says("Hello from Parley."), says("Second answer."),
		says(`{"findings":[],"overall_correctness":"patch is correct","overall_explanation":"All is well."}`),
		says("A summary of it all."), says("Third answer."), says("Fourth answer."), says("An answer on the side."), says("Fifth answer."),
	)
	if err := os.WriteFile(filepath.Join(p.Work, "new.txt"), []byte("a new line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, url := serve(t, p, "unix://"+filepath.Join(t.TempDir(), "s", "c.sock"))
	x := open(t, p, "--remote", url)
	x.shows(`OpenAI Codex`)
	x.send("say hello")
	x.shows(`Hello from Parley\.`)
	x.send("say it again")
	x.shows(`Second answer\.`)

	x.send("/status")
	x.shows(`Session: +[0-9a-f-]{36}`)
	x.send("/model")
	x.shows(`Select Model and Effort`)
	x.press("Escape")
	x.gone(`Select Model and Effort`)
	x.send("/permissions")
	x.shows(`Update Model Permissions`)
	x.press("Escape")
	x.gone(`Update Model Permissions`)
	x.send("/mcp")
	x.shows(`No MCP servers configured`)
	x.send("/diff")
	x.shows(`\+a new line`)
	x.press("q")
	x.gone(`\+a new line`)

	x.send("/review")
	x.shows(`Select a review preset`)
	x.press("Down")
	x.shows(`› 2\. Review uncommitted changes`)
	x.press("Enter")
	x.shows(`All is well\.`)
	x.shows(`Code review finished`)

	x.send("/compact")
	x.shows(`Context compacted`)
	x.shows(`Ask Codex to do anything`)
	x.press("Escape")
	x.shows(`esc again to edit previous message`)
	x.press("Escape")
	x.shows(`rewind`)
	x.press("Enter")
	x.shows(`Conversation reverted to this point`)
	x.shows(`› say it again`)
	x.press("Enter")
	x.shows(`Third answer\.`)

	x.send("/init")
	x.shows(`Fourth answer\.`)
	x.send("/side what is this")
	x.shows(`An answer on the side\.`)
	x.press("C-c")
	x.gone(`Side from main thread`)

	x.send("/new")
	x.gone(`Fourth answer\.`)
	x.send("in a new thread")
	x.shows(`Fifth answer\.`)
	x.send("/resume")
	x.shows(`Resume a previous session`)
	x.shows(`1 / 2`)
	x.press("Down")
	x.shows(`2 / 2`)
	x.press("Enter")
	x.shows(`Fourth answer\.`)
	x.send("/fork")
	x.shows(`Fork created`)
}
