package parley_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"parley.dev/parley"
	"parley.dev/parley/record"
)

// killedHome is the variable with the state folder of the process that TestKilled kills.
const killedHome = "PARLEY_TEST_KILLED_HOME"

// TestKilled: a program that is killed in the middle of a turn loses nothing: the next one finds the turn closed as
// interrupted, and the repeat of the prompt does nothing.
func TestKilled(t *testing.T) {
	home := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledProgram$")
	cmd.Env = append(os.Environ(), killedHome+"="+home)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	turn, err := bufio.NewReader(out).ReadString('\n')
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if werr := cmd.Wait(); err != nil {
		t.Fatalf("the program has not begun a turn: %v, %v", err, werr)
	}

	h, ctx := open(t, "text Done.\n", parley.Options{Home: home}), background(t)
	s, err := h.Open(ctx, "killed")
	if err != nil {
		t.Fatal(err)
	}
	all := until(t, s, parley.FollowOptions{}, kind(record.KindTurnEnded))
	if e := events[record.TurnEnded](all)[0]; e.Reason != record.TurnInterrupted || state(t, s).Busy {
		t.Errorf("%+v", e)
	}
	if again, err := s.Prompt(ctx, parley.Prompt{ID: "p-1", Text: "Go."}); err != nil || again+"\n" != turn {
		t.Errorf("the repeat: %q, %v, want %q", again, err, turn)
	}
	if answer, err := s.Run(ctx, parley.Prompt{Text: "Go on."}); err != nil || answer.Text != "Done." {
		t.Errorf("%+v, %v", answer, err)
	}
}

// TestKilledProgram is the program that TestKilled kills: it writes the id of its turn once the model is called.
func TestKilledProgram(t *testing.T) {
	home := os.Getenv(killedHome)
	if home == "" {
		t.Skip("it is started by TestKilled")
	}
	h, ctx := open(t, "hang\n", parley.Options{Home: home}), background(t)
	s, err := h.Create(ctx, parley.NewSession{Workspace: t.TempDir(), ID: "killed"})
	if err != nil {
		t.Fatal(err)
	}
	turn, err := s.Prompt(ctx, parley.Prompt{ID: "p-1", Text: "Go."})
	if err != nil {
		t.Fatal(err)
	}
	until(t, s, parley.FollowOptions{}, kind(record.KindStepStarted))
	fmt.Println(turn)
	_ = s.Wait(ctx) // it is killed meanwhile
}
