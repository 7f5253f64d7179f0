package codex

import (
	"os"
	"path/filepath"
	"testing"

	"parley.dev/parley/internal/model/modeltest"
)

// TestTerminal: the terminal UI of Codex prompts, approves, declines and interrupts; after kill -9 of the server another
// one resumes its thread, in the client that was connected and in a second one.
func TestTerminal(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	defer close(gate)
	program(t)
	outside := outside(t)
	p := newPlace(t,
		says("Hello from Parley."),
		escalates("c1", "touch "+outside+"/one"), says("The first file is there."),
		escalates("c2", "touch "+outside+"/two"), says("Then not."),
		modeltest.Stream(modeltest.Text("I begin a long text."), modeltest.Wait(gate)),
		runs("c3", "echo begun; exec sleep 1000"),
		says("Here again."),
		says("Resumed and well."),
	)
	server, url := serve(t, p, "ws://127.0.0.1:0")

	x := open(t, p, "--remote", url)
	x.shows(`OpenAI Codex`)
	x.save("start")
	x.send("say hello")
	x.shows(`Hello from Parley\.`)
	x.save("answer")

	x.send("make the first file")
	x.shows(`Would you like to run the following command\?`)
	x.save("approval")
	x.press("y")
	x.shows(`The first file is there\.`)
	x.save("approved")
	if _, err := os.Stat(filepath.Join(outside, "one")); err != nil {
		t.Error(err)
	}

	x.send("make the second file")
	x.shows(`Would you like to run the following command\?`)
	x.press("d")
	x.shows(`Then not\.`)
	x.save("declined")

	x.send("write a lot")
	x.shows(`I begin a long text`)
	x.press("Escape")
	x.shows(`Conversation interrupted`)
	x.save("interrupted")

	x.send("run a long command")
	x.shows(`Running echo begun; exec sleep 1000`) // as it is
	server.Kill()
	x.shows(`Reconnecting to server`)
	x.save("reconnecting")
	serve(t, p, url)
	x.gone(`Reconnecting to server`)
	x.save("reconnected")
	x.send("are you there")
	x.shows(`Here again\.`)
	x.save("again")

	y := open(t, p, "resume", "--last", "--remote", url)
	y.shows(`Here again\.`)
	y.save("resumed")
	y.send("and for another client")
	y.shows(`Resumed and well\.`)
	x.shows(`Resumed and well\.`)
}
