package acp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/journal/file"
)

// sharedHost returns a host whose sessions are shared, and its folder, which has the script of the offline model. The host is closed
// after the test.
func sharedHost(t *testing.T, script string) (host *engine.Host, dir string) {
	t.Helper()
	dir = t.TempDir()
	store, err := file.Open(filepath.Join(dir, "home"), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	host = hostOf(t, dir, store, &engine.Sharing{Left: engine.WaitWhenLeft})
	t.Cleanup(func() {
		_ = host.Close(context.Background())
		_ = store.Close()
	})
	return host, dir
}

// TestPromptsOfOthers: clients of one session of a host are sent each other's prompts, before their answers, and not their own.
func TestPromptsOfOthers(t *testing.T) {
	t.Parallel()
	host, dir := sharedHost(t, "text first\nnext\ntext second\nnext\ntext third\n")
	owner, guest := dialHost(t, host, Flags{Model: "offline/script"}), dialHost(t, host, Flags{})
	defer owner.close()
	defer guest.close()
	second := dialEarly(t, func(in io.Reader, out io.Writer) int {
		return Serve(context.Background(), Config{Host: host, In: in, Out: out, Log: slog.New(slog.DiscardHandler), Version: "0.0.0-test", Flags: Flags{V2: true}})
	})
	defer second.close()
	second.call("initialize", `{"protocolVersion":2,"info":{"name":"ed","version":"1"},"capabilities":{}}`, nil)
	s := owner.newIn(dir)
	guest.call("session/load", loadParams(s, dir), nil)
	second.call("session/resume", fmt.Sprintf(`{"sessionId":%q,"cwd":%q}`, s, dir), nil)

	sent := func(c *client, text string) (all []string) {
		c.until(func(f frame) bool { all = append(all, said(f)...); return len(all) > 0 && all[len(all)-1] == text }, nil)
		return all
	}
	check := func(who string, got []string, want ...string) {
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", who, d)
		}
	}
	prompt := func(text string) string {
		return fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`, s, text)
	}
	owner.request("session/prompt", prompt("one"))
	check("the owner's own", sent(owner, "first"), "first")
	check("the owner's at the guest", sent(guest, "first"), "user_message_chunk: one", "first")
	check("the owner's in version 2", sent(second, "first"), "user_message: one", "first")
	guest.request("session/prompt", prompt("two"))
	check("the guest's own", sent(guest, "second"), "second")
	check("the guest's at the owner", sent(owner, "second"), "user_message_chunk: two", "second")
	check("the guest's in version 2", sent(second, "second"), "user_message: two", "second")
	second.until(func(f frame) bool { return string(f.Params.Update.whole["state"]) == `"idle"` }, nil) // else it steers
	second.request("_session/steering", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"three"}]}`, s))
	check("own, begun by a steer", sent(second, "third"), "third")
	check("a steer's at the owner", sent(owner, "third"), "user_message_chunk: three", "third")
}

// TestCancelKeepsOthers: session/cancel ends the running turn and the prompts of the client that cancels. A prompt of another client of the
// session has its turn, and its answer.
func TestCancelKeepsOthers(t *testing.T) {
	t.Parallel()
	host, dir := sharedHost(t, "when one\ntext first\nhang\nnext\nwhen two\ntext second\n")
	owner, guest := dialHost(t, host, Flags{Model: "offline/script"}), dialHost(t, host, Flags{})
	defer owner.close()
	defer guest.close()
	s := owner.newIn(dir)
	guest.call("session/load", loadParams(s, dir), nil)
	prompt := func(c *client, text string) (id string) {
		return c.request("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`, s, text))
	}
	runs := prompt(owner, "one")
	owner.until(func(f frame) bool { return slices.Contains(said(f), "first") }, nil)
	waits := prompt(guest, "two")
	queued := prompt(owner, "three")
	guest.call("session/list", "{}", nil) // both are taken
	owner.call("session/list", "{}", nil)
	owner.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, s))
	for _, id := range []string{runs, queued} {
		if got := owner.await(id, nil).Result.StopReason; got != StopCancelled {
			t.Errorf("the owner's prompt %s: %q", id, got)
		}
	}
	if got := guest.await(waits, nil).Result.StopReason; got != StopEndTurn {
		t.Errorf("the guest's prompt: %q", got)
	}
}

// TestPromptsOfOtherProcesses: without a host, too, the prompt of another process precedes its answer.
func TestPromptsOfOtherProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("text first\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"PARLEY_HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "PARLEY_OFFLINE_SCRIPT=" + script}
	a, b := dialInProcess(t, env), dialInProcess(t, env)
	defer a.close()
	defer b.close()
	s := a.newIn(dir)
	a.prompt(s, "one")
	b.call("session/load", loadParams(s, dir), nil)
	b.prompt(s, "two")
	var all []string
	a.call("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"three"}]}`, s), func(f frame) { all = append(all, said(f)...) })
	if len(all) < 2 || all[0] != "user_message_chunk: two" || all[len(all)-1] == "user_message_chunk: three" {
		t.Errorf("the first process was sent %q", all)
	}
}

// said returns the texts of a message in a frame; those of the user have the kind of the update before them.
func said(f frame) (texts []string) {
	u := f.Params.Update
	switch u.Kind {
	case "agent_message_chunk", "user_message_chunk", "user_message":
	default:
		return nil
	}
	type text struct {
		Text string `json:"text"`
	}
	var all []text
	if json.Unmarshal(u.Content, &all) != nil {
		all = make([]text, 1)
		_ = json.Unmarshal(u.Content, &all[0])
	}
	for _, one := range all {
		if u.Kind != "agent_message_chunk" {
			one.Text = u.Kind + ": " + one.Text
		}
		texts = append(texts, one.Text)
	}
	return texts
}
