package extension

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

func TestRegistered(t *testing.T) {
	p := &player{}
	h := start(t, optionsFor(t), p, kit(t))
	r := h.Registered()
	if len(r.Tools) != 1 || len(r.Commands) != 1 || len(r.Flags) != 1 || len(p.failed()) > 0 {
		t.Fatalf("registered %+v, failures %v", r, p.failed())
	}
	const schema = `{"type":"object","properties":{"place":{"type":"string","description":"a town"},"days":{"type":"integer"}},"required":["place"]}`
	if got := r.Tools[0].Parameters; !sameJSON(t, got, jsontext.Value(schema)) {
		t.Errorf("parameters %s, want %s", got, schema)
	}
	if !h.Listens("tool_call") || h.Listens("context") {
		t.Errorf("hears %v", r.Events)
	}
	if !strings.Contains(h.Runtime(), ".") {
		t.Errorf("runtime %q", h.Runtime())
	}
}

// sameJSON compares values, whatever the order of their members.
func sameJSON(t *testing.T, a, b jsontext.Value) bool {
	t.Helper()
	a, b = a.Clone(), b.Clone()
	if err := errors.Join(a.Canonicalize(), b.Canonicalize()); err != nil {
		t.Fatal(err)
	}
	return string(a) == string(b)
}

func TestEvents(t *testing.T) {
	p := &player{}
	answer := true
	p.do = func(_ context.Context, what string, _ jsontext.Value) (any, error) {
		if what != "ui.confirm" {
			return nil, errors.New(what)
		}
		return answer, nil
	}
	h := start(t, optionsFor(t), p, kit(t))
	for _, test := range []struct {
		name, event, want string
		veto, no          bool
	}{
		{name: "a call of another tool", event: `{"type":"tool_call","toolName":"read","input":{}}`, want: `{}`},
		{name: "rewritten", event: `{"type":"tool_call","toolName":"bash","input":{"command":"ls"}}`, want: `{"input":{"command":"ls -l"}}`},
		{name: "confirmed", event: `{"type":"tool_call","toolName":"bash","input":{"command":"rm x"}}`, want: `{}`},
		{name: "blocked", no: true, event: `{"type":"tool_call","toolName":"bash","input":{"command":"rm x"}}`, want: `{"block":true,"reason":"Blocked by user"}`},
		{
			name: "a throw blocks", event: `{"type":"tool_call","toolName":"bash","input":{"command":"boom"}}`,
			want: `{"block":true,"reason":"Extension ` + kit(t) + ` failed: cannot judge"}`,
		},
		{
			name: "a result", event: `{"type":"tool_result","toolName":"bash","input":{},"content":[{"type":"text","text":"a"}],"isError":false}`,
			want: `{"content":[{"type":"text","text":"a"},{"type":"text","text":"seen"}]}`,
		},
		{
			name: "before a turn", event: `{"type":"before_agent_start","prompt":"p","systemPrompt":"You."}`,
			want: `{"messages":[{"customType":"hint","content":"x","display":false}],"systemPrompt":"You. Be brief."}`,
		},
		{name: "a veto", veto: true, event: `{"type":"session_before_switch","reason":"resume"}`, want: `{"cancel":true}`},
		{name: "no veto", veto: true, event: `{"type":"session_before_switch","reason":"new"}`, want: `{"cancel":false}`},
		{name: "only notified", event: `{"type":"turn_end"}`, want: `{}`},
		{name: "no listener", event: `{"type":"agent_end"}`, want: `{}`},
	} {
		answer = !test.no
		got, err := h.Emit(t.Context(), jsontext.Value(test.event), test.veto)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v; want %s", test.name, got, err, test.want)
		}
	}
	want := []Failure{{kit(t), "tool_call", "cannot judge"}, {kit(t), "turn_end", "disk full"}}
	if got := p.failed(); !slices.Equal(got, want) {
		t.Errorf("failures %v, want %v", got, want)
	}
}

func TestCommand(t *testing.T) {
	p := &player{}
	p.do = func(ctx context.Context, what string, params jsontext.Value) (any, error) {
		p.Notify(what, params)
		switch what {
		case "ui.select":
			return "us", nil
		case "ui.confirm":
			return true, nil
		}
		<-ctx.Done() // the editor: its signal fires
		return nil, nil
	}
	h := start(t, optionsFor(t), p, kit(t))
	h.SetFlags(map[string]any{"region": "asia"})
	if err := h.Command(t.Context(), "deploy", ""); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`ui.select {"title":"Region","options":["asia","us"]}`,
		`ui.confirm {"title":"Deploy","message":"Really to us?","timeout":30000}`,
		`ui.editor {"title":"Notes","prefill":"v2"}`,
		`ui.notify {"message":"us true undefined otter true 00000007","notifyType":"info"}`,
	}
	p.mu.Lock()
	notes := slices.Clone(p.notes)
	p.mu.Unlock()
	if !slices.Equal(notes, want) {
		t.Errorf("received %q, want %q", notes, want)
	}
	if err := h.Command(t.Context(), "deploy", "fail"); err == nil {
		t.Error("a command that throws did not fail")
	}
	if got, want := p.failed(), []Failure{{"command:deploy", "command", "no way"}}; !slices.Equal(got, want) {
		t.Errorf("failures %v, want %v", got, want)
	}
}

func TestTool(t *testing.T) {
	p := &player{}
	o := optionsFor(t)
	h := start(t, o, p, kit(t))
	hear := func(string) {} // the output
	run := func(ctx context.Context, input string) (tool.Result, string) {
		var output strings.Builder
		c, err := h.Tools()[0].Prepare(nil, jsontext.Value(input))
		if err != nil {
			t.Fatal(err)
		}
		r := c.Run(ctx, tool.Hooks{Call: event.CallID("c1"), Output: func(text string) {
			output.WriteString(text)
			hear(text)
		}})
		return r, output.String()
	}
	r, output := run(t.Context(), `{"place":"Bern"}`)
	if r.Text != "sun in Bern at "+o.Dir+" for c1" || r.IsError || output != "looking up" || string(r.Reply) != `{"details":{"degrees":21}}` {
		t.Errorf("result %+v, output %q", r, output)
	}
	if r, _ := run(t.Context(), `{"place":"nowhere"}`); !r.IsError || r.Text != "there is no such place" {
		t.Errorf("a throw gave %+v", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, _ := run(ctx, `{"place":"never"}`); !r.IsError {
		t.Errorf("an interrupted call gave %+v", r)
	}
	ctx, cancel = context.WithCancel(t.Context())
	hear = func(string) { cancel() }
	if r, _ := run(ctx, `{"place":"never"}`); r.Text != "[interrupted]" {
		t.Errorf("an interrupted call gave %+v", r)
	}
	p.await(func() bool {
		return slices.Contains(p.notes, `appendEntry {"customType":"aborted","data":{"id":"c1"}}`)
	})
}

// TestFaults is everything that extensions can do wrong. A second extension lives on where
// the process does.
func TestFaults(t *testing.T) {
	const stop = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);` // as a loop, but it leaves the processor to others
	const good = `export default (pi) => { pi.on("turn_end", () => pi.appendEntry("alive")); }`
	for _, test := range []struct {
		name, text string
		event      string // that something goes wrong at; load: while it is read
		problem    string // part of it
		dead       bool   // the process is gone then
		limit      bool   // the limit of that event is reached
	}{
		{name: "a throw", text: `export default () => { throw new Error("bad day"); }`, event: "load", problem: "bad day"},
		{name: "a slip in the syntax", text: `export default function ( {`, event: "load"},
		{name: "no function", text: `export const x = 1;`, event: "load", problem: "not a function"},
		{name: "a missing module", text: `import "./nowhere.js"; export default () => {};`, event: "load", problem: "nowhere"},
		{name: "an action while it is read", text: `export default (pi) => pi.sendUserMessage("hello")`, event: "load", problem: "not possible"},
		{name: "it does not come to an end", text: `export default () => new Promise(() => {})`, event: "load", problem: "timed out after 5000 ms", limit: true},
		{name: "a loop while it is read", text: stop, event: "load", problem: "stood still", limit: true},
		{name: "a crash while it is read", text: `process.kill(process.pid, "SIGKILL"); await new Promise(() => {});`, event: "load", problem: "SIGKILL"},
		{name: "process.exit while it is read", text: `process.exit(3)`, event: "load", problem: "not for extensions"},
		{name: "process.exit", text: `export default (pi) => pi.on("agent_end", () => process.exit(3))`, event: "agent_end", problem: "not for extensions"},
		{name: "a handler that throws no error", text: `export default (pi) => pi.on("agent_end", () => { throw "words" })`, event: "agent_end", problem: "words"},
		{name: "a handler that hangs", text: `export default (pi) => pi.on("agent_end", () => new Promise(() => {}))`, event: "agent_end", problem: "timed out after 5000 ms", limit: true},
		{name: "a rejection without a handler", text: `export default (pi) => pi.on("agent_end", () => { Promise.reject(new Error("lost")) })`, event: "uncaught", problem: "lost"},
		{name: "a throw from a timer", text: `export default (pi) => pi.on("agent_end", () => { setTimeout(() => { throw new Error("late") }, 1) })`, event: "uncaught", problem: "late"},
		{name: "a loop", text: `export default (pi) => pi.on("agent_end", () => { ` + stop + ` })`, event: "host", problem: "stood still", dead: true, limit: true},
		{name: "a crash", text: `export default (pi) => pi.on("agent_end", () => { process.kill(process.pid, "SIGKILL"); return new Promise(() => {}) })`, event: "host", problem: "SIGKILL", dead: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := &player{}
			o := optionsFor(t)
			switch {
			case !test.limit:
			case test.event == "load":
				o.Limits.Load = reached
			default:
				o.Limits.Handler = reached
			}
			path := module(t, "x.mjs", test.text)
			h := start(t, o, p, path, module(t, "good.mjs", good))
			_, err := h.Emit(t.Context(), jsontext.Value(`{"type":"agent_end"}`), false)
			if test.dead != (err != nil) {
				t.Errorf("the event gave %v", err)
			}
			p.await(func() bool { return len(p.failures) > 0 })
			f := p.failed()[0]
			if f.Path != path || f.Event != test.event || !strings.Contains(f.Problem, test.problem) {
				t.Errorf("failure %+v, want %s: %s", f, test.event, test.problem)
			}
			_, err = h.Emit(t.Context(), jsontext.Value(`{"type":"turn_end"}`), false)
			if test.dead {
				p.await(func() bool { return len(p.failures) == 2 })
				if len(h.Tools())+len(h.Registered().Paths) > 0 || !errors.Is(err, errGone) {
					t.Errorf("a dead process has %+v and says %v", h.Registered(), err)
				}
				return
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			if err != nil || !slices.Contains(p.notes, `appendEntry {"customType":"alive"}`) {
				t.Errorf("the other extension is not there: %v, notes %v", err, p.notes)
			}
		})
	}
}

func TestNoiseIsNoProtocol(t *testing.T) {
	p := &player{}
	h := start(t, optionsFor(t), p, module(t, "x.mjs", `
import { spawnSync } from "node:child_process";
export default (pi) => pi.on("agent_end", () => {
  console.log('{"method":"failed","params":{}}');
  process.stdout.write("\n{}\n");
  spawnSync("echo", ["x"], { stdio: "inherit" });
  return { ok: true };
})`))
	if _, err := h.Emit(t.Context(), jsontext.Value(`{"type":"agent_end"}`), false); err != nil || len(p.failed()) > 0 {
		t.Errorf("noise gave %v, %v", err, p.failed())
	}
}

// TestTheFolderIsNotRead: nothing that lies in the working folder is run, whatever the runtime
// would do with a folder that it is started in.
func TestTheFolderIsNotRead(t *testing.T) {
	p := &player{}
	o := optionsFor(t)
	for name, text := range map[string]string{
		"bunfig.toml":                        `preload = ["./evil.js"]`,
		".env":                               "EVIL=1",
		"evil.js":                            `require("fs").writeFileSync("ran", "")`,
		"node_modules/typescript/index.js":   `require("fs").writeFileSync("ran", "")`,
		"node_modules/esbuild/index.js":      `require("fs").writeFileSync("ran", "")`,
		"node_modules/esbuild/package.json":  `{"name": "esbuild", "main": "index.js"}`,
		"node_modules/@sinclair/typebox.js":  `require("fs").writeFileSync("ran", "")`,
		"node_modules/not-there-so-far.js":   `require("fs").writeFileSync("ran", "")`,
		"node_modules/typescript/index.d.ts": ``,
	} {
		path := filepath.Join(o.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h := start(t, o, p, module(t, "typed.ts", "enum Mood { Good }\nexport default (pi: any) => pi.registerCommand('m', {handler() {}, description: Mood[0]});"),
		module(t, "x.mjs", `import "@sinclair/typebox";
import fs from "node:fs";
export default (pi) => pi.on("context", async () => {
  await import("not-there-so-far").catch(() => {});
  return { messages: [[process.cwd(), process.env.EVIL, fs.existsSync("ran")]] };
})`))
	got, err := h.Emit(t.Context(), jsontext.Value(`{"type":"context","messages":[]}`), false)
	dir, _ := filepath.EvalSymlinks(o.Dir)
	if want := `{"messages":[["` + dir + `",null,false]]}`; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s; failures %v", got, err, want, p.failed())
	}
}

func TestLargeMessages(t *testing.T) {
	p := &player{}
	h := start(t, optionsFor(t), p, module(t, "x.mjs", `export default (pi) => pi.on("context", (event) => ({ messages: [event.messages[0], { text: event.messages[0].text }] }))`))
	large := strings.Repeat("ü", 5<<20)
	got, err := h.Emit(t.Context(), jsontext.Value(`{"type":"context","messages":[{"role":"user","text":"`+large+`"}]}`), false)
	if want := `{"messages":[0,{"text":"` + large + `"}]}`; err != nil || string(got) != want {
		t.Errorf("10 MiB came back as %d bytes, want %d; %v", len(got), len(want), err)
	}
}

// TestEventsByAnotherName: a change of the session is sent, as its beginning, to extensions that know
// only that event; and once to extensions that know the change.
func TestEventsByAnotherName(t *testing.T) {
	p := &player{}
	h := start(t, optionsFor(t), p, module(t, "new.mjs", `export default (pi) => {
  pi.on("session_start", (event) => pi.appendEntry("new", event));
  pi.on("session_before_fork", (event) => ({ cancel: event.entryId === "e" }));
}`), module(t, "old.mjs", `export default (pi) => {
  pi.on("session_start", (event) => pi.appendEntry("old", event));
  pi.on("session_switch", (event) => pi.appendEntry("old", event));
}`))
	for _, name := range []string{"session_start", "session_switch", "session_branch", "session_before_branch"} {
		if !h.Listens(name) {
			t.Errorf("no extension listens to %s", name)
		}
	}
	for _, event := range []string{`{"type":"session_start","reason":"startup"}`, `{"type":"session_switch","reason":"new","previousSessionFile":"f"}`, `{"type":"session_branch"}`} {
		if _, err := h.Emit(t.Context(), jsontext.Value(event), false); err != nil {
			t.Fatal(err)
		}
	}
	if said, err := h.Emit(t.Context(), jsontext.Value(`{"type":"session_before_branch","entryId":"e"}`), true); err != nil || string(said) != `{"cancel":true}` {
		t.Errorf("a veto by another name: %s, %v", said, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	want := []string{
		`appendEntry {"customType":"new","data":{"type":"session_start","reason":"startup"}}`,
		`appendEntry {"customType":"old","data":{"type":"session_start","reason":"startup"}}`,
		`appendEntry {"customType":"new","data":{"type":"session_start","reason":"new","previousSessionFile":"f"}}`,
		`appendEntry {"customType":"old","data":{"type":"session_switch","reason":"new","previousSessionFile":"f"}}`,
		`appendEntry {"customType":"new","data":{"type":"session_start","reason":"fork"}}`,
		`appendEntry {"customType":"old","data":{"type":"session_start","reason":"fork"}}`,
	}
	if !slices.Equal(p.notes, want) {
		t.Errorf("received\n%s", strings.Join(p.notes, "\n"))
	}
}

// TestStandIns is what extensions import of the family, where it is not installed.
func TestStandIns(t *testing.T) {
	p := &player{}
	h := start(t, optionsFor(t), p, module(t, "x.mjs", `import { Key, fuzzyFilter } from "@mariozechner/pi-tui";
import { complete, StringEnum } from "@oh-my-pi/pi-ai";
import { createBashTool, formatSize, parseFrontmatter, truncateHead, truncateTail, withFileMutationQueue } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
const why = (work) => { try { work(); } catch (err) { return err.message; } };
export default (pi) => pi.on("context", async () => {
  const order = [];
  await Promise.all([1, 2].map((n) => withFileMutationQueue("f", async () => { order.push(n); await null; order.push(-n); })));
  return { messages: [[
    Key.up, Key.ctrl("p"), Key.ctrlAlt("x"), fuzzyFilter(["alpha", "beta"], "ah"), why(complete), why(createBashTool),
    formatSize(10), formatSize(2048), parseFrontmatter("---\nname: \"a b\"\nx: y\n---\nbody\n"),
    truncateHead("a\nb\nc", { maxLines: 2 }).content, truncateTail("a\nb\nc", { maxBytes: 3 }), order,
    Type.Object({ a: Type.Optional(StringEnum(["x"])), b: Type.Array(Type.String()) }),
  ]] };
})`))
	got, err := h.Emit(t.Context(), jsontext.Value(`{"type":"context","messages":[]}`), false)
	const want = `{"messages":[["up","ctrl+p","ctrl+alt+x",["alpha"],` +
		`"complete is not there: models are called by the program, with keys that extensions do not see",` +
		`"createBashTool is not there: the built-in tools run in the program itself, not among extensions",` +
		`"10B","2.0KB",{"frontmatter":{"name":"a b","x":"y"},"body":"body\n"},"a\nb",` +
		`{"content":"b\nc","truncated":true,"truncatedBy":"bytes","totalLines":3,"totalBytes":5,"outputLines":2,"outputBytes":3,"maxLines":2000,"maxBytes":3},` +
		`[1,-1,2,-2],{"type":"object","properties":{"a":{"type":"string","enum":["x"]},"b":{"type":"array","items":{"type":"string"}}},"required":["b"]}]]}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; failures %v\nwant %s", got, err, p.failed(), want)
	}
}

// TestUnknownNames: an extension that imports or registers what this program does not know loads, and
// gets an error where it uses that.
func TestUnknownNames(t *testing.T) {
	p := &player{}
	h := start(t, optionsFor(t), p, module(t, "x.mjs", `import { notThere, alsoNot as other, Text } from "@earendil-works/pi-tui";
import chalk from "@oh-my-pi/pi-utils/chalk";
import { uuidv7, CONFIG_DIR_NAME } from "@earendil-works/pi-ai";
class Fancy extends notThere.Base {}
const why = (work) => { try { return work(); } catch (err) { return err.message; } };
export default (pi) => {
  pi.registerVirtualModel("m", {});
  pi.unregisterOracle();
  pi.on("context", () => ({ messages: [[
    why(() => notThere(1)), why(() => new other()), why(() => new Fancy()), why(() => `+"`${notThere.x}`"+`), why(() => pi.launchMissiles()),
    chalk.green.bold("x", 1), chalk.hex("#fff")("y"), uuidv7().length, CONFIG_DIR_NAME,
  ]] }));
}`))
	got, err := h.Emit(t.Context(), jsontext.Value(`{"type":"context","messages":[]}`), false)
	const want = `{"messages":[["notThere of @earendil-works/pi-tui is not available in this program","alsoNot of @earendil-works/pi-tui is not available in this program",` +
		`"notThere.Base of @earendil-works/pi-tui is not available in this program","notThere.x of @earendil-works/pi-tui is not available in this program",` +
		`"pi.launchMissiles is not a function","x 1","y",36,".pisces"]]}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; failures %v\nwant %s", got, err, p.failed(), want)
	}
}

// TestZod: parameters that are written with pi.zod become JSON Schema.
func TestZod(t *testing.T) {
	p := &player{}
	h := start(t, optionsFor(t), p, module(t, "x.mjs", `export default (pi) => {
  const z = pi.zod;
  pi.registerTool({ name: "t", description: "d", execute() {}, parameters: z.object({
    name: z.string().min(1).describe("Name"), level: z.enum(["a", "b"]).default("a"), count: z.number().int().min(1).max(9).optional(),
    tags: z.array(z.string()).nullable(), inner: z.object({ x: z.union([z.literal(1), z.boolean()]) }).strict(),
  }) });
}`))
	const want = `{"type":"object","properties":{"name":{"type":"string","minLength":1,"description":"Name"},"level":{"enum":["a","b"],"type":"string","default":"a"},` +
		`"count":{"type":"integer","minimum":1,"maximum":9},"tags":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},` +
		`"inner":{"type":"object","properties":{"x":{"anyOf":[{"const":1},{"type":"boolean"}]}},"required":["x"],"additionalProperties":false}},"required":["name","tags","inner"]}`
	r := h.Registered()
	if len(r.Tools) != 1 || !sameJSON(t, r.Tools[0].Parameters, jsontext.Value(want)) {
		t.Errorf("%+v, %v", r, p.failed())
	}
}

// TestPromptOptions: extensions add sections to the system prompt, and select tools, by systemPromptOptions.
func TestPromptOptions(t *testing.T) {
	p := &player{}
	var selected string
	p.do = func(_ context.Context, what string, params jsontext.Value) (any, error) {
		if what != "setActiveTools" {
			return nil, errors.New(what)
		}
		selected = string(params)
		return true, nil
	}
	h := start(t, optionsFor(t), p, module(t, "x.mjs", `export default (pi) => pi.on("before_agent_start", ({ systemPromptOptions: o }) => {
  o.sections.tools = o.selectedTools.join(" and ");
  o.promptGuidelines.push("Be brief.");
  o.selectedTools = ["read"];
})`))
	got, err := h.Emit(t.Context(), jsontext.Value(`{"type":"before_agent_start","prompt":"p","systemPrompt":"You."}`), false)
	if err != nil || string(got) != `{"messages":[],"systemPrompt":"You.\n\nread and bash\n\n- Be brief."}` || selected != `{"names":["read"]}` {
		t.Errorf("%s, %v, selected %s; failures %v", got, err, selected, p.failed())
	}
}

// TestDialogsTakeTheirTime: the user may think for longer than a handler may work. The process
// itself reports that its limit is over, by its own clock.
func TestDialogsTakeTheirTime(t *testing.T) {
	t.Parallel()
	p := &player{}
	p.do = func(context.Context, string, jsontext.Value) (any, error) {
		p.await(func() bool { return len(p.notes) > 0 })
		return "yes", nil
	}
	o := optionsFor(t)
	o.Limits.Handler = reached
	h := start(t, o, p, module(t, "x.mjs", fmt.Sprintf(`export default (pi) => pi.on("tool_call", async (e, ctx) => {
  setTimeout(() => pi.appendEntry("over the limit"), %d);
  return { block: true, reason: await ctx.ui.input("why") };
})`, (reached+100*time.Millisecond).Milliseconds())))
	got, err := h.Emit(t.Context(), jsontext.Value(`{"type":"tool_call","input":{}}`), false)
	if err != nil || string(got) != `{"block":true,"reason":"yes"}` {
		t.Errorf("%s, %v", got, err)
	}
}

func TestShutdown(t *testing.T) {
	p := &player{}
	o := optionsFor(t)
	h := start(t, o, p, module(t, "x.mjs", `export default (pi) => pi.on("session_shutdown", () => pi.appendEntry("over"))`))
	h.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Equal(p.notes, []string{`appendEntry {"customType":"over"}`}) || len(p.failures) > 0 {
		t.Errorf("notes %v, failures %v", p.notes, p.failures)
	}
}

// TestShutdownOfAHang ends a process that stands still for ever.
func TestShutdownOfAHang(t *testing.T) {
	p := &player{}
	o := optionsFor(t)
	o.Limits.Shutdown = 50 * time.Millisecond
	h := start(t, o, p, module(t, "x.mjs", `export default (pi) => pi.on("agent_end", () => { pi.appendEntry("now"); for (;;) {} })`))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := h.Emit(ctx, jsontext.Value(`{"type":"agent_end"}`), false)
		done <- err
	}()
	p.await(func() bool { return len(p.notes) > 0 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted event says %v", err)
	}
	h.Close()
}

func TestTypeScript(t *testing.T) {
	p := &player{}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"main.ts": `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { StringEnum } from "@mariozechner/pi-ai";
import { greeting } from "./words";
export default function (pi: ExtensionAPI): void {
  pi.registerCommand(greeting as string, { description: "Good" + StringEnum(["a"] as const).enum[0], handler: async (args: string) => {} });
}`,
		"words.ts": `export const greeting: string = "hello";`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(folder, "main.ts")
	h := start(t, optionsFor(t), p, path)
	if len(p.failed()) == 1 && strings.Contains(p.failed()[0].Problem, "TypeScript cannot be read by Node.js 20") {
		t.Skip("this Node.js cannot read TypeScript, and says so")
	}
	want := []RegisteredCommand{{"hello", "Gooda", path}}
	if got := h.Registered().Commands; !slices.Equal(got, want) {
		t.Errorf("commands %v, want %v; failures %v", got, want, p.failed())
	}
}

// TestEnums: what does more than say types needs more than Node.js has had all the time.
func TestEnums(t *testing.T) {
	p := &player{}
	h := start(t, optionsFor(t), p, module(t, "x.ts", `enum Mood { Good, Bad }
export default (pi: any) => pi.registerFlag(Mood[Mood.Good], {});`))
	if f := p.failed(); len(f) > 0 {
		if len(f) != 1 || !strings.Contains(f[0].Problem, "install esbuild or typescript") {
			t.Errorf("failures %v", f)
		}
		t.Skip("this runtime cannot read enums, and says so")
	}
	if flags := h.Registered().Flags; len(flags) != 1 || flags[0].Name != "Good" {
		t.Errorf("flags %v", flags)
	}
}

func TestRuntimes(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"node", "bun"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o700); err != nil { //nolint:gosec // it is to be run
			t.Fatal(err)
		}
	}
	environ := []string{"PATH=" + folder}
	for _, test := range []struct {
		asked   string
		environ []string
		modules []string
		want    string // "": an error
	}{
		{environ: environ, modules: []string{"a.js"}, want: folder + "/node"},
		{environ: environ, modules: []string{"a.js", "b.ts"}, want: folder + "/bun"},
		{asked: "node", environ: environ, modules: []string{"b.ts"}, want: folder + "/node"},
		{asked: "deno", environ: environ},
		{asked: folder + "/none", environ: environ},
		{environ: []string{"PATH=" + t.TempDir()}, modules: []string{"a.js"}},
	} {
		got, err := runtimeFor(test.asked, test.environ, test.modules)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("runtimeFor(%q, %v) = %q, %v; want %q", test.asked, test.modules, got, err, test.want)
		}
	}
}

func TestNoRuntime(t *testing.T) {
	o := optionsFor(t)
	o.Runtime, o.Environ = "", []string{"PATH=" + t.TempDir()}
	if _, err := Start(t.Context(), o, []string{kit(t)}, &player{}); !errors.Is(err, errNoRuntime) {
		t.Errorf("without a runtime: %v", err)
	}
	o.Runtime, _ = exec.LookPath("true")
	if _, err := Start(t.Context(), o, []string{kit(t)}, &player{}); !errors.Is(err, errGone) {
		t.Errorf("with a program that ends at once: %v", err)
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a.ts": "", "b.js": "", "types.d.ts": "", "readme.md": "", ".hidden.js": "",
		"indexed/index.js": "", "indexed/other.js": "",
		"plain/deep.js":       "",
		"packed/package.json": `{"name":"x","pi":{"extensions":["./src/one.ts","src/none.ts"]}}`, "packed/src/one.ts": "", "packed/index.js": "",
		"broken/package.json": `{`, "broken/index.ts": "",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		paths, want, missing []string
	}{
		{paths: []string{""}, want: []string{"a.ts", "b.js", "broken/index.ts", "indexed/index.js", "packed/src/one.ts"}},
		{paths: []string{"indexed"}, want: []string{"indexed/index.js"}},
		{paths: []string{"packed", "a.ts", "packed/src/one.ts"}, want: []string{"packed/src/one.ts", "a.ts"}},
		{paths: []string{"plain"}, want: []string{"plain/deep.js"}},
		{paths: []string{"nothing", "b.js"}, want: []string{"b.js"}, missing: []string{"nothing"}},
	} {
		in := func(names []string) (paths []string) {
			for _, name := range names {
				paths = append(paths, filepath.Join(root, name))
			}
			return paths
		}
		modules, missing := Find(in(test.paths))
		if !slices.Equal(modules, in(test.want)) || !slices.Equal(missing, in(test.missing)) {
			t.Errorf("Find(%v) = %v, %v; want %v, %v", test.paths, modules, missing, test.want, test.missing)
		}
	}
}
