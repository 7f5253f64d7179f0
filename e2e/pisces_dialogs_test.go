package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/client"
)

// asker is an extension whose command /ask METHOD NAME HOW opens a dialog and reports the answer
// to the client and in the file "got"; the result of its tool ask is the answer, too.
const asker = `
import fs from "node:fs";
export default function (pi) {
  const dialogs = {
    select: (ui, options) => ui.select("Which?", ["a", "b"], options),
    confirm: (ui, options) => ui.confirm("Sure?", "Really?", options),
    input: (ui, options) => ui.input("Name?", "yours", options),
    editor: (ui, options) => ui.editor("Text?", "old", options),
  };
  fs.writeFileSync("host", String(process.pid));
  pi.registerCommand("ask", {
    async handler(args, ctx) {
      const [method, name, how] = args.split(" ");
      stop = new AbortController();
      const got = name + " " + JSON.stringify(await dialogs[method](ctx.ui, { signal: stop.signal, timeout: how === "timeout" ? 30 : undefined }));
      fs.appendFileSync("got", got + "\n");
      ctx.ui.notify(got);
    },
  });
  let stop;
  pi.registerCommand("stop", { handler: async () => stop.abort() });
  pi.registerTool({
    name: "ask", description: "asks", parameters: { type: "object", properties: { method: { type: "string" } } },
    execute: async (id, { method }, signal, update, ctx) => {
      const got = JSON.stringify(await dialogs[method](ctx.ui, { signal }));
      fs.appendFileSync("got", "tool " + got + "\n");
      return { content: [{ type: "text", text: "got " + got }] };
    },
  });
}
`

// needNode skips where there is nothing that runs extensions, but not where everything is tested.
func needNode(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("node"); err == nil {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatal("there is no Node.js, and it is needed in CI")
	}
	t.Skip("there is no Node.js")
}

// extended starts a server with an extension of a text.
func extended(t *testing.T, p *place, name, text string, args ...string) *client.Pisces {
	t.Helper()
	needNode(t)
	p.Write(t, name, text)
	return p.pisces(t, append([]string{"-e", name}, args...)...)
}

// A uiLine is what tests read of a request of an extension.
type uiLine struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	Method   string `json:"method"`
	Message  string `json:"message"`
	TargetID string `json:"targetId"`
	Timeout  int    `json:"timeout"`
	raw      string
}

// ui returns the next request of an extension; what else comes before it is not looked at.
func ui(s *client.Pisces) uiLine {
	s.T.Helper()
	l := s.Until("extension_ui_request")
	request := uiLine{raw: l.Raw}
	if err := json.Unmarshal([]byte(l.Raw), &request); err != nil {
		s.T.Fatal(err)
	}
	return request
}

// A dialog is one that was opened, by name.
type dialog struct {
	*client.Pisces
	name, id string
}

var dialogNames atomic.Int32

// open has the extension open a dialog.
func open(s *client.Pisces, method, how string) dialog {
	s.T.Helper()
	d := dialog{s, fmt.Sprint("d", dialogNames.Add(1)), ""}
	s.Send(map[string]any{"type": "prompt", "message": "/ask " + method + " " + d.name + " " + how})
	request := ui(s)
	if request.Method != method || len(request.ID) != 16 || (request.Timeout != 0) != (how == "timeout" && method != "editor") {
		s.T.Fatalf("%s %s opened %s", method, how, request.raw)
	}
	d.id = request.ID
	return d
}

// answer sends an answer: the members besides type and id, as JSON.
func (d dialog) answer(members string) {
	d.T.Helper()
	respond(d.Pisces, fmt.Sprintf("%q", d.id), members)
}

// respond answers any id.
func respond(s *client.Pisces, id, members string) {
	s.T.Helper()
	if members != "" {
		members = "," + members
	}
	s.SendText(`{"type":"extension_ui_response","id":` + id + members + "}\n")
}

// gave wants the answer of the dialog to be reported, and no other request before it.
func (d dialog) gave(want string) {
	d.T.Helper()
	if got := ui(d.Pisces); got.Method != "notify" || got.Message != d.name+" "+want {
		d.T.Errorf("it gave %s, want %s", got.raw, want)
	}
}

// right is an answer of the kind that a dialog wants, and what its extension gets; wrong is one
// of the other kind.
var right = map[string][2]string{
	"select": {`"value":"b"`, `"b"`}, "confirm": {`"confirmed":true`, "true"}, "input": {`"value":"Ana"`, `"Ana"`}, "editor": {`"value":"new\ntext"`, `"new\ntext"`},
}

func wrongFor(method string) string {
	if method == "confirm" {
		return `"value":"yes"`
	}
	return `"confirmed":true`
}

func unansweredOf(method string) string {
	if method == "confirm" {
		return "false"
	}
	return "undefined"
}

var dialogMethods = []string{"select", "confirm", "input", "editor"}

// TestPiscesDialogs: each kind of dialog, however it ends while the process goes on. Nothing is
// sent for an end but the withdrawal of an editor, and what comes after the end changes nothing.
func TestPiscesDialogs(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.Model = "offline/demo"
	s := extended(t, p, "asker.mjs", asker)
	for _, method := range dialogMethods {
		answer, value := right[method][0], right[method][1]
		unanswered := unansweredOf(method)
		for name, end := range map[string]func() string{
			"answered": func() string { d := open(s, method, ""); d.answer(answer); d.gave(value); return "" },
			"answered with more": func() string {
				d := open(s, method, "")
				d.answer(answer + `,"more":{"a":[1]}`)
				d.gave(value)
				return ""
			},
			"answered in another kind": func() string { d := open(s, method, ""); d.answer(wrongFor(method)); d.gave(unanswered); return "" },
			"answered with null": func() string {
				d := open(s, method, "")
				d.answer(`"value":null,"confirmed":null`)
				d.gave(unanswered)
				return ""
			},
			"answered with nothing": func() string { d := open(s, method, ""); d.answer(""); d.gave(unanswered); return "" },
			"cancelled":             func() string { d := open(s, method, ""); d.answer(`"cancelled":true`); d.gave(unanswered); return "" },
			"cancelled by the client's clock": func() string {
				d := open(s, method, "")
				d.answer(`"cancelled":true,"timedOut":true`)
				d.gave(unanswered)
				return ""
			},
			"cancelled and answered": func() string {
				d := open(s, method, "")
				d.answer(answer + `,"cancelled":true`)
				d.gave(unanswered)
				return ""
			},
			"timed out, and late": func() string {
				d := open(s, method, "timeout")
				if method == "editor" { // it has none
					d.answer(answer)
					d.gave(value)
					return ""
				}
				d.gave(unanswered)
				d.answer(answer)
				return ""
			},
			"unknown ids": func() string {
				d := open(s, method, "")
				for _, id := range []string{`"ghost"`, `7`, `null`, `{"id":"` + d.id + `"}`, `"` + strings.ToUpper(d.id) + `x"`} {
					respond(s, id, answer)
				}
				s.SendText(`{"type":"extension_ui_response",` + answer + "}\n")
				d.answer(answer)
				d.gave(value)
				return ""
			},
			"answered twice": func() string {
				d := open(s, method, "")
				d.answer(answer)
				d.answer(`"cancelled":true`)
				d.gave(value)
				d.answer(answer)
				return ""
			},
			"taken back": func() string {
				d := open(s, method, "")
				s.Send(map[string]any{"type": "prompt", "message": "/stop"})
				if method == "editor" {
					if l := ui(s); l.Method != "cancel" || l.TargetID != d.id {
						t.Errorf("the editor is withdrawn by %s", l.raw)
					}
				}
				d.gave(unanswered)
				d.answer(answer)
				return ""
			},
			"aborted": func() string {
				d := open(s, method, "")
				s.Send(map[string]any{"type": "abort", "id": "x"})
				d.gave(unanswered)
				return "abort"
			},
			"the session is another": func() string {
				d := open(s, method, "")
				s.Send(map[string]any{"type": "new_session", "id": "x"})
				d.gave(unanswered)
				return "new_session"
			},
			"two at once": func() string {
				first, second := open(s, method, ""), open(s, method, "")
				second.answer(answer)
				second.gave(value)
				first.answer(`"cancelled":true`)
				first.gave(unanswered)
				return ""
			},
		} {
			if waits := end(); t.Failed() {
				t.Fatalf("%s, %s", method, name)
			} else if waits == "new_session" {
				s.Request("get_state", nil, nil) // after it
			}
		}
	}
	if s.State().IsStreaming {
		t.Error("a dialog counts as a run")
	}
	s.Leave()
}

// TestPiscesDialogsAtTheEnd: whatever ends the process while dialogs are open, in commands and in a
// call, gives each of them its default, and ends soon.
func TestPiscesDialogsAtTheEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]struct {
		ask  func(*client.Pisces)
		code int
	}{
		"EOF":  {func(s *client.Pisces) { s.Stdin.Close() }, 0},
		"TERM": {func(s *client.Pisces) { s.Signal(syscall.SIGTERM) }, 143},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.Plays(t, "call ask {\"method\":\"input\"}\nnext\ntext Done.\n")
			s := extended(t, p, "asker.mjs", asker)
			want := []string{"tool undefined"}
			for _, method := range dialogMethods {
				d := open(s, method, "")
				want = append(want, d.name+" "+unansweredOf(method))
			}
			s.Send(map[string]any{"type": "prompt", "message": "go"})
			if l := ui(s); l.Method != "input" {
				t.Fatalf("the call opened %s", l.raw)
			}
			begin := time.Now()
			end.ask(s)
			_, code := s.Rest()
			t.Logf("it took %s", time.Since(begin).Round(time.Millisecond))
			if code != end.code {
				t.Errorf("exit code %d", code)
			}
			text, err := os.ReadFile(filepath.Join(p.Work, "got"))
			got := strings.Split(strings.TrimSpace(string(text)), "\n")
			slices.Sort(got)
			slices.Sort(want)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("the dialogs gave %q, want %q; %v", got, want, err)
			}
		})
	}
}

// TestPiscesDialogInACall: a tool waits for its dialog while everything else is served, and an
// abort ends both.
func TestPiscesDialogInACall(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.Plays(t, "call ask {\"method\":\"select\"}\nnext\nexpect got \"b\"\ntext Done.\nnext\ncall ask {\"method\":\"confirm\"}\n")
	s := extended(t, p, "asker.mjs", asker)
	s.Send(map[string]any{"type": "prompt", "message": "go"})
	request := ui(s)
	if !s.State().IsStreaming {
		t.Error("the state does not report the run")
	}
	other := open(s, "confirm", "")
	other.answer(`"confirmed":true`)
	other.gave("true")
	respond(s, fmt.Sprintf("%q", request.ID), `"value":"b"`)
	if l := s.Until("tool_execution_end"); !strings.Contains(l.Raw, `got \"b\"`) || !strings.Contains(l.Raw, `"isError":false`) {
		t.Errorf("the call gave %s", l.Raw)
	}
	s.Until("agent_end")
	s.Send(map[string]any{"type": "prompt", "message": "again"})
	ui(s)
	s.Request("abort", nil, nil)
	if s.State().IsStreaming {
		t.Error("the run goes on after an abort")
	}
	s.Leave()
	if text, _ := os.ReadFile(filepath.Join(p.Work, "got")); !strings.Contains(string(text), "tool false") {
		t.Errorf("got is %s", text)
	}
}
