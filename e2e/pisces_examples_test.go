package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
)

// releaser is an extension in TypeScript with a tool, a command and a confirm dialog.
const releaser = `import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";

interface Release { version: string }

export default function (pi: ExtensionAPI): void {
  const released: Release[] = [];
  pi.registerTool({
    name: "release",
    label: "Release",
    description: "Releases a version, if the person agrees.",
    parameters: Type.Object({ version: Type.String() }),
    async execute(id: string, params: Release, signal: AbortSignal | undefined, update: unknown, ctx: ExtensionContext) {
      const sure: boolean = await ctx.ui.confirm("Release", ` + "`Really release ${params.version}?`" + `, { signal });
      if (!sure) throw new Error("the person does not want that");
      released.push(params satisfies Release);
      return { content: [{ type: "text" as const, text: "released " + params.version }], details: params };
    },
  });
  pi.registerCommand("released", {
    description: "says what was released",
    handler: async (args: string, ctx: ExtensionContext) => ctx.ui.notify(released.map((r) => r.version).join(", ")),
  });
}
`

// TestPiscesTypeScriptExtension runs it with Bun, and with the Node.js at hand if that can, or says why not.
func TestPiscesTypeScriptExtension(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, path string) {
		t.Parallel()
		p := newPlace(t)
		p.Plays(t, "call release {\"version\":\"1.0\"}\nnext\nexpect released 1.0\ntext Done.\n")
		p.Env = append(p.Env, "PATH="+path)
		p.Write(t, "release.ts", releaser)
		s := p.pisces(t, "-e", "release.ts")
		var data struct {
			Commands []struct {
				Name string `json:"name"`
			} `json:"commands"`
		}
		s.Send(map[string]any{"type": "get_commands", "id": "c"})
		for l := s.Must(); l.ID != "c"; l = s.Must() {
			if l.Type == "extension_error" && strings.Contains(l.Raw, "TypeScript cannot be read by Node.js") {
				t.Skip("this Node.js cannot read TypeScript, which was reported to the client")
			}
			if l.Type == "extension_error" {
				t.Fatal(l.Raw)
			}
		}
		s.Request("get_commands", nil, &data)
		if len(data.Commands) != 1 || data.Commands[0].Name != "released" {
			t.Errorf("the commands are %v", data.Commands)
		}
		s.Send(map[string]any{"type": "prompt", "message": "go"})
		request := ui(s)
		if request.Method != "confirm" || request.Message != "Really release 1.0?" {
			t.Errorf("asked is %s", request.raw)
		}
		respond(s, fmt.Sprintf("%q", request.ID), `"confirmed":true`)
		if l := s.Until("tool_execution_end"); !strings.Contains(l.Raw, `"text":"released 1.0"`) || !strings.Contains(l.Raw, `"details":{"version":"1.0"}`) {
			t.Errorf("the call gave %s", l.Raw)
		}
		s.Until("agent_end")
		s.Send(map[string]any{"type": "prompt", "message": "/released"})
		if l := ui(s); l.Message != "1.0" {
			t.Errorf("released is %s", l.raw)
		}
		s.Leave()
	}
	t.Run("Node.js", func(t *testing.T) {
		needNode(t)
		run(t, os.Getenv("PATH"))
	})
	t.Run("Bun", func(t *testing.T) {
		run(t, filepath.Dir(bun(t, stage.NodePackages(t, "piscesclient")))+":"+os.Getenv("PATH"))
	})
}

// examples copies the examples of an original's package, and is the paths of the modules in a place.
func examples(t *testing.T, p *place, packages, name, into string) (paths []string) {
	t.Helper()
	from := filepath.Join(packages, "node_modules", name, "examples", "extensions")
	if err := os.CopyFS(filepath.Join(p.Work, into), os.DirFS(from)); err != nil {
		t.Skipf("the package has no examples: %v", err)
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() || strings.HasSuffix(e.Name(), ".ts") {
			paths = append(paths, filepath.Join(into, e.Name()))
		}
	}
	return paths
}

// TestPiscesExamplesOfTheFamily loads every example that the packages of the originals bring, all at once.
// Those that cannot be loaded want other packages, or the originals' own tools, and say so.
func TestPiscesExamplesOfTheFamily(t *testing.T) {
	t.Parallel()
	packages := stage.NodePackages(t, "piscesclient")
	p := newPlace(t)
	p.Model = "offline/demo"
	p.Env = append(p.Env, "PATH="+filepath.Dir(bun(t, packages))+":"+os.Getenv("PATH"))
	for name, unfit := range map[string]map[string]string{
		"@mariozechner/pi-coding-agent": {
			"bash-spawn-hook.ts": "createBashTool is not there", "built-in-tool-renderer.ts": "createReadTool is not there",
			"minimal-mode.ts": "createReadTool is not there", "ssh.ts": "createReadTool is not there",
			"custom-provider-anthropic": "@anthropic-ai/sdk", "sandbox": "@anthropic-ai/sandbox-runtime", "with-deps": "'ms'",
			"file-trigger.ts": "/tmp/agent-trigger.txt", // it watches a file there
		},
		"@oh-my-pi/pi-coding-agent": {"chalk-logger.ts": "'chalk'", "with-deps": "'ms'"},
	} {
		folder := strings.Split(name, "/")[0][1:]
		var args []string
		paths := examples(t, p, packages, name, folder)
		for _, path := range paths {
			args = append(args, "-e", path)
		}
		s := p.pisces(t, args...)
		s.Send(map[string]any{"type": "get_commands", "id": "c"})
		commands := ""
		for commands == "" {
			l := s.Must()
			if l.Type == "extension_error" {
				known := slices.ContainsFunc(paths, func(path string) bool {
					example := filepath.Base(path)
					return unfit[example] != "" && strings.Contains(l.Raw, folder+"/"+example) && strings.Contains(l.Raw, unfit[example])
				})
				if !known {
					t.Error(l.Raw)
				}
			}
			if l.ID == "c" {
				commands = l.Raw
			}
		}
		if n := strings.Count(commands, `"source":"extension"`); n == 0 {
			t.Errorf("%s: the commands are %s", name, commands)
		} else {
			t.Logf("%s: %d examples, %d commands", name, len(paths), n)
		}
		s.Leave()
	}
}

// TestPiscesExamplesAtWork uses some of pi's: a gate for dangerous commands, one for paths, todos that are
// kept in results, a tool, and a tour of the dialogs.
func TestPiscesExamplesAtWork(t *testing.T) {
	t.Parallel()
	packages := stage.NodePackages(t, "piscesclient")
	p := newPlace(t)
	p.Env = append(p.Env, "PATH="+filepath.Dir(bun(t, packages))+":"+os.Getenv("PATH"))
	examples(t, p, packages, "@mariozechner/pi-coding-agent", "pi")
	p.Write(t, "build", "kept")
	p.Plays(t, `call bash {"command":"rm -rf build"}
next
expect Blocked by user
call bash {"command":"rm -rf build"}
next
call write {"path":".env","content":"x"}
next
expect "\.env" is protected
call todo {"action":"add","text":"milk"}
call hello {"name":"Ana"}
next
expect Hello, Ana!
text Done.
`)
	with := func(names ...string) (args []string) {
		for _, name := range names {
			args = append(args, "-e", filepath.Join("pi", name+".ts"))
		}
		return args
	}
	s := p.pisces(t, with("permission-gate", "protected-paths", "todo", "hello")...)
	s.Send(map[string]any{"type": "prompt", "message": "go"})
	for _, answer := range []string{"No", "Yes"} {
		request := ui(s)
		if request.Method != "select" || !strings.Contains(request.raw, "rm -rf build") {
			t.Fatalf("asked is %s", request.raw)
		}
		if _, err := os.Stat(filepath.Join(p.Work, "build")); err != nil {
			t.Error("it ran before it was allowed")
		}
		respond(s, fmt.Sprintf("%q", request.ID), `"value":"`+answer+`"`)
	}
	if l := ui(s); l.Method != "notify" || l.Message != "Blocked write to protected path: .env" {
		t.Errorf("the client received %s", l.raw)
	}
	s.Until("agent_end")
	if texts := strings.Join(piscesTexts(s.Context()), "\n"); !strings.Contains(texts, "Added todo #1: milk") {
		t.Errorf("the messages are\n%s", texts)
	}
	s.Leave()
	if _, err := os.Stat(filepath.Join(p.Work, "build")); err == nil {
		t.Error("what was allowed did not run")
	}
	if _, err := os.Stat(filepath.Join(p.Work, ".env")); err == nil {
		t.Error("what is protected was written")
	}

	p.Env = p.Env[:1]
	p.Plays(t, "call todo {\"action\":\"list\"}\nnext\nexpect #1: milk\ntext Still there.\n")
	s = p.pisces(t, append(with("todo"), "--continue")...)
	s.Turn("What is to do?")
	if texts := piscesTexts(s.Context()); texts[len(texts)-1] != "assistant: Still there." {
		t.Errorf("the messages are %q", texts)
	}
	s.Leave()

	s = p.pisces(t, with("rpc-demo")...)
	if l := ui(s); l.Method != "setTitle" {
		t.Errorf("it begins with %s", l.raw)
	}
	s.Send(map[string]any{"type": "prompt", "message": "/rpc-input"})
	for l := ui(s); ; l = ui(s) {
		if l.Method == "input" {
			respond(s, fmt.Sprintf("%q", l.ID), `"value":"seven"`)
		} else if l.Method == "notify" {
			if l.Message != "You entered: seven" {
				t.Errorf("the client received %s", l.raw)
			}
			break
		}
	}
	before := s.State().SessionID
	s.Send(map[string]any{"type": "new_session", "id": "n"})
	respond(s, fmt.Sprintf("%q", ui(s).ID), `"confirmed":false`)
	if l := s.Until("response"); !strings.Contains(l.Raw, `"cancelled":true`) || s.State().SessionID != before {
		t.Errorf("the new session is answered by %s", l.Raw)
	}
	s.Leave()
}
