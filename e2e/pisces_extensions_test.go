package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
)

// file waits for a file of the workspace to have a text, and gives it.
func (p *place) file(t testing.TB, name string) string {
	t.Helper()
	limit := time.After(stage.Patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if text, err := os.ReadFile(filepath.Join(p.Work, name)); err == nil && len(text) > 0 {
			return string(text)
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("there is no file %s", name)
		}
	}
}

// killHost is kill -9 of the process that the asker runs in.
func (p *place) killHost(t testing.TB) {
	t.Helper()
	pid, err := strconv.Atoi(p.file(t, "host"))
	if err != nil || syscall.Kill(pid, syscall.SIGKILL) != nil {
		t.Fatalf("process %d of the extensions cannot be killed: %v", pid, err)
	}
}

// TestPiscesHostKilled: kill -9 of the extensions' process, while a tool of theirs, a gate of theirs, or
// a command waits for a dialog, is reported, and the run goes on without them.
func TestPiscesHostKilled(t *testing.T) {
	t.Parallel()
	gate := strings.Replace(asker, "export default function (pi) {", `export default function (pi) {
  pi.on("tool_call", async (event, ctx) => (await ctx.ui.confirm("Run?", event.toolName)) ? undefined : { block: true });`, 1)
	for name, test := range map[string]struct{ text, call, result string }{
		"in a tool": {asker, `call ask {"method":"input"}`, "the extension of this tool has ended; whether the call had effects is not known"},
		"in a gate": {gate, `call bash {"command":"touch ran"}`, "Extension failed: the process of the extensions was ended by SIGKILL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.Plays(t, test.call+"\nnext\nexpect "+test.result+"\ntext Without them.\nnext\ncall bash {\"command\":\"echo alone\"}\nnext\nexpect alone\ntext Alone.\n")
			s := extended(t, p, "asker.mjs", test.text)
			command := open(s, "editor", "")
			s.Send(map[string]any{"type": "prompt", "message": "go"})
			request := ui(s)
			p.killHost(t)
			failures, ended, over := 0, false, false
			var withdrawn uiLine
			for !over || failures == 0 || withdrawn.Method == "" { // the run does not wait for the other two
				l := s.Must()
				switch l.Type {
				case "agent_end":
					over = true
				case "extension_error":
					failures++
					if !strings.Contains(l.Raw, `"event":"host"`) || !strings.Contains(l.Raw, "SIGKILL") || !strings.Contains(l.Raw, "asker.mjs") {
						t.Errorf("the client received %s", l.Raw)
					}
				case "extension_ui_request":
					if err := json.Unmarshal([]byte(l.Raw), &withdrawn); err != nil || withdrawn.Method != "cancel" || withdrawn.TargetID != command.id {
						t.Errorf("asked for is %s", l.Raw)
					}
				case "tool_execution_end":
					ended = strings.Contains(l.Raw, test.result) && strings.Contains(l.Raw, `"isError":true`)
				}
			}
			if failures != 1 || !ended || withdrawn.Method != "cancel" {
				t.Errorf("reported %d times, the call ended as it should: %t, withdrawn %+v", failures, ended, withdrawn)
			}
			respond(s, fmt.Sprintf("%q", request.ID), `"value":"late","confirmed":true`)
			respond(s, fmt.Sprintf("%q", command.id), `"value":"late"`)
			s.Turn("again")
			if texts := strings.Join(piscesTexts(s.Context()), "\n"); !strings.Contains(texts, "assistant: Without them.") || !strings.HasSuffix(texts, "assistant: Alone.") {
				t.Errorf("the messages are\n%s", texts)
			}
			if _, err := os.Stat(filepath.Join(p.Work, "ran")); err == nil {
				t.Error("what was to be judged ran")
			}
			s.Leave()
		})
	}
}

// TestPiscesHandlerThatNeverReturns: an abort, and the end of input, do not wait for handlers.
func TestPiscesHandlerThatNeverReturns(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.Plays(t, "call bash {\"command\":\"touch ran\"}\n")
	s := extended(t, p, "x.mjs", `export default function (pi) {
  pi.on("tool_call", (event, ctx) => { ctx.ui.setStatus("at", "call"); return new Promise(() => {}); });
  pi.on("agent_end", (event, ctx) => { ctx.ui.setStatus("at", "end"); return new Promise(() => {}); });
}`)
	s.Send(map[string]any{"type": "prompt", "message": "go"})
	ui(s)
	s.Send(map[string]any{"type": "abort", "id": "x"})
	ui(s) // the run is over, and the handler of its end never returns
	begin := time.Now()
	s.Leave()
	if took := time.Since(begin); took > 20*time.Second { // handlers have 30 s
		t.Errorf("the end took %s", took)
	}
	if _, err := os.Stat(filepath.Join(p.Work, "ran")); err == nil {
		t.Error("what was to be judged ran")
	}
}

// TestPiscesExtensionChangesInput: a call runs with what an extension has made of its input, also
// where commands are confined, and the process can be talked to afterwards.
func TestPiscesExtensionChangesInput(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.Plays(t, "call bash {\"command\":\"echo original\"}\nnext\nexpect changed\ntext Seen.\n")
	s := extended(t, p, "x.mjs", `export default function (pi) {
  pi.on("tool_call", (event) => { if (event.toolName == "bash") event.input.command = "echo changed"; });
}`)
	s.Turn("go")
	if texts := strings.Join(piscesTexts(s.Context()), "\n"); !strings.HasSuffix(texts, "assistant: Seen.") {
		t.Errorf("the messages are\n%s", texts)
	}
	s.Leave()
}

// TestPiscesExtensionSaysTooMuch: 10 MB in one result, strings that are no Unicode, ten thousand frames
// at once, and everything on standard output that a program can put there: each line is one of
// the protocol's, and the order holds.
func TestPiscesExtensionSaysTooMuch(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.Plays(t, "call much {\"what\":\"long\"}\nnext\ncall much {\"what\":\"odd\"}\nnext\ntext Done.\n")
	s := extended(t, p, "x.mjs", `import { spawnSync } from "node:child_process";
import fs from "node:fs";
export default function (pi) {
  const odd = "a\ud800b\udc00\u0000\u2028c";
  pi.registerTool({
    name: "much", description: "says much", parameters: { type: "object", properties: { what: { type: "string" } } },
    execute: async (id, { what }, signal, update) => {
      const text = what === "long" ? "0123456789".repeat(1 << 20) : odd;
      update({ content: [{ type: "text", text }] });
      return { content: [{ type: "text", text }], details: { text } };
    },
  });
  pi.registerCommand("many", { async handler(args, ctx) { for (let i = 0; i < 10000; i++) ctx.ui.setStatus("n", String(i)); } });
  pi.registerCommand("noise", {
    async handler(args, ctx) {
      console.log('{"type":"response"}');
      process.stdout.write("{}\n");
      fs.writeSync(1, "{}\n");
      spawnSync("sh", ["-c", "echo {}; echo {} >&1; for fd in 3 4 5 6; do { echo {} >&$fd; } 2>/dev/null; done"], { stdio: "inherit" });
      ctx.ui.notify(odd);
    },
  });
}`)
	s.Send(map[string]any{"type": "prompt", "message": "go"})
	for l := s.Must(); l.Type != "agent_end"; l = s.Must() {
		if l.Type == "tool_execution_end" && !strings.Contains(l.Raw, `"isError":false`) {
			t.Errorf("a call gave %.300s", l.Raw)
		}
		if l.Type == "tool_execution_end" && strings.Contains(l.Raw, `"what":"odd"`) && !strings.Contains(l.Raw, "a\uFFFDb\uFFFD\\u0000\u2028c") {
			t.Errorf("odd is %s", l.Raw)
		}
	}
	begin := time.Now()
	s.Send(map[string]any{"type": "prompt", "message": "/many"})
	for i := range 10000 {
		if l := s.Until("extension_ui_request"); !strings.Contains(l.Raw, fmt.Sprintf(`"statusText":"%d"`, i)) {
			t.Fatalf("frame %d is %s", i, l.Raw)
		}
	}
	t.Logf("10,000 frames took %s", time.Since(begin).Round(time.Millisecond))
	s.Send(map[string]any{"type": "prompt", "message": "/noise"})
	if l := ui(s); l.Method != "notify" || l.Message != "a\uFFFDb\uFFFD\x00\u2028c" {
		t.Errorf("after the noise comes %s", l.raw)
	}
	s.Leave()
}

// TestPiscesHearsEveryDelta: an extension that listens to each piece of an answer that is streamed fast
// hears them all, in order, before the client does, and slows nothing down for ever.
func TestPiscesHearsEveryDelta(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, "text %d.\n", i)
	}
	p.Plays(t, text.String())
	s := extended(t, p, "x.mjs", `export default function (pi) {
  let heard = "", n = 0;
  pi.on("message_update", (event) => { n++; if (event.assistantMessageEvent.type === "text_delta") heard += event.assistantMessageEvent.delta; });
  pi.on("message_end", (event, ctx) => {
    if (event.message.role === "assistant") ctx.ui.notify(String(heard === event.message.content[0].text) + " " + heard.split(".").length);
  });
}`)
	begin := time.Now()
	s.Send(map[string]any{"type": "prompt", "message": "count"})
	if l := ui(s); l.Message != "true 10001" {
		t.Errorf("heard is %s", l.raw)
	}
	s.Until("agent_end")
	t.Logf("10,000 deltas took %s", time.Since(begin).Round(time.Millisecond))
	s.Leave()
}

// carrying returns the processes that have a word in their environment.
func carrying(t testing.TB, word string) (pids []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skipf("processes cannot be listed here: %v", err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if environ, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ")); err == nil && bytes.Contains(environ, []byte(word)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestPiscesExtensionsLeaveNoProcess: however a session ends, no process is left that extensions have started,
// not even one in a Unix session of its own, or its children.
func TestPiscesExtensionsLeaveNoProcess(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]struct {
		ask  func(*place, *client.Pisces)
		code int
	}{
		"EOF":     {func(_ *place, s *client.Pisces) { s.Stdin.Close() }, 0},
		"TERM":    {func(_ *place, s *client.Pisces) { s.Signal(syscall.SIGTERM) }, 143},
		"KILL":    {func(_ *place, s *client.Pisces) { s.Signal(syscall.SIGKILL) }, -1},
		"a crash": {func(p *place, s *client.Pisces) { p.killHost(t); s.Until("extension_error"); s.Stdin.Close() }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.Model = "offline/demo"
			word := fmt.Sprintf("token-of-%s-%d", strings.ReplaceAll(name, " ", "-"), time.Now().UnixNano())
			p.Env = append(p.Env, "BRED_BY="+word)
			s := extended(t, p, "x.mjs", `import { spawn } from "node:child_process";
import fs from "node:fs";
export default function (pi) {
  fs.writeFileSync("host", String(process.pid));
  pi.on("session_start", async (event, ctx) => {
    for (let i = 0; i < 8; i++) spawn("sh", ["-c", "for i in 1 2 3; do (trap '' TERM HUP; setsid sleep 1000 & sleep 1000) & done; echo >>born; wait"], { detached: true, stdio: "ignore" }).unref();
    pi.exec("sleep", ["1000"]);
    while (!fs.existsSync("born") || fs.readFileSync("born").length < 8) await new Promise((r) => setTimeout(r, 5));
    ctx.ui.notify("born");
  });
}`)
			ui(s)
			if n := len(carrying(t, word)); n < 20 {
				t.Errorf("there are only %d processes", n)
			}
			end.ask(p, s)
			if _, code := s.Rest(); code != end.code {
				t.Errorf("exit code %d, want %d", code, end.code)
			}
			limit := time.After(stage.Patience)
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for left := carrying(t, word); len(left) > 0; left = carrying(t, word) {
				if end.code == 0 || end.code == 143 {
					t.Fatalf("processes %v are left", left)
				}
				select {
				case <-tick.C:
				case <-limit:
					t.Fatalf("processes %v are left", left)
				}
			}
		})
	}
}

// BenchmarkPiscesExtensions is from the start of the process to the answer to its first command, without
// and with an extension, and the memory of it and of the process that extensions run in.
func BenchmarkPiscesExtensions(b *testing.B) {
	for name, args := range map[string][]string{"without": nil, "with": {"-e", "x.mjs"}} {
		b.Run(name, func(b *testing.B) {
			needNode(b)
			p := newPlace(b)
			p.Model = "offline/demo"
			p.Write(b, "x.mjs", `import fs from "node:fs"; export default (pi) => fs.writeFileSync("host", String(process.pid));`)
			p.pisces(b, args...).Leave() // the binary is built, and in memory
			var starts []time.Duration
			for b.Loop() {
				begin := time.Now()
				s := p.pisces(b, args...)
				s.State()
				starts = append(starts, time.Since(begin))
				b.ReportMetric(float64(s.Size("smaps_rollup", "Pss"))/(1<<20), "MiB-pss")
				if args != nil {
					pid, _ := strconv.Atoi(p.file(b, "host"))
					host := &stage.Process{Cmd: &exec.Cmd{Process: &os.Process{Pid: pid}}}
					b.ReportMetric(float64(host.Size("smaps_rollup", "Pss"))/(1<<20), "host-MiB-pss")
				}
				s.Leave()
			}
			slices.Sort(starts)
			b.ReportMetric(starts[len(starts)/2].Seconds()*1000, "ms/answer")
		})
	}
}
