package acp

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
)

// TestUpdates: what the updates of a turn come to.
func TestUpdates(t *testing.T) {
	call := func(id string, more func(*backend.Call)) backend.Call {
		c := backend.Call{ID: id, Name: "T", Input: jsontext.Value("{}"), CallRequest: backend.CallRequest{Level: approval.Execute, Summary: "T"}}
		more(&c)
		return c
	}
	text := func(s string) *string { return &s }
	for name, c := range map[string]struct {
		updates []string
		want    []backend.Update
	}{
		"content": {[]string{
			`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"resource_link","name":"a.go","uri":"file:///a.go"}}`,
			`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"file:///b","text":"embedded"}}}`,
			`{"sessionUpdate":"agent_thought_chunk","content":{"type":"audio","data":"AA"}}`,
			`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"an echo"}}`,
			`{"sessionUpdate":"of_another_version","content":7}`,
		}, []backend.Update{backend.Text{Message: "m", Text: "[a.go](file:///a.go)"}, backend.Text{Text: "embedded"}, backend.Thought{Text: "[audio]"}}},
		"plan": {
			[]string{`{"sessionUpdate":"plan","entries":[{"content":"a","status":"completed","priority":"low"},{"content":"b","status":"later"}]}`},
			[]backend.Update{backend.Plan{Items: []event.PlanItem{{Text: "a", Status: event.Completed}, {Text: "b", Status: event.Pending}}}},
		},
		"cost": {[]string{
			`{"sessionUpdate":"usage_update","used":5,"size":100,"cost":{"amount":1.5,"currency":"USD"}}`,
			`{"sessionUpdate":"usage_update","used":6,"size":100,"cost":{"amount":1.75,"currency":"USD"}}`,
			`{"sessionUpdate":"usage_update","used":7,"size":100,"cost":{"amount":9,"currency":"EUR"}}`,
			`{"sessionUpdate":"usage_update","used":8,"size":100,"cost":null}`,
		}, []backend.Update{
			backend.Usage{Context: 5, Window: 100, Cost: 1.5}, backend.Usage{Context: 6, Window: 100, Cost: 0.25}, backend.Usage{Context: 7, Window: 100}, backend.Usage{Context: 8, Window: 100},
		}},
		"notices": {[]string{
			`{"sessionUpdate":"notice","severity":"warning","title":"Slow","description":"It retries."}`, `{"sessionUpdate":"notice","severity":"odd","title":"Hm"}`,
		}, []backend.Update{backend.Note{Level: event.Warning, Code: noticeAgent, Text: "Slow\nIt retries."}, backend.Note{Level: event.Info, Code: noticeAgent, Text: "Hm"}}},
		"compaction": {[]string{
			`{"sessionUpdate":"compaction_update","compactionId":"k","status":"in_progress"}`,
			`{"sessionUpdate":"compaction_summary_chunk","compactionId":"k","content":{"type":"text","text":"A "}}`,
			`{"sessionUpdate":"compaction_summary_chunk","compactionId":"k","content":{"type":"text","text":"story"}}`,
			`{"sessionUpdate":"compaction_update","compactionId":"k","status":"completed"}`,
			`{"sessionUpdate":"compaction_update","compactionId":"l","status":"failed","error":"too long"}`,
		}, []backend.Update{backend.Compacting{}, backend.Compacted{Summary: "A story"}, backend.Compacted{Failed: true}}},
		"terminal": {[]string{
			`{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":"execute","status":"pending","rawInput":{},"content":[{"type":"terminal","terminalId":"c"}],"_meta":{"terminal_info":{"terminal_id":"c","cwd":"/sub"},"claudeCode":{"toolName":"Bash"}}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","rawInput":{"command":["bash","-lc","make a"]}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress","_meta":{"terminal_output":{"terminal_id":"c","data":"one\n"}}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output_delta":{"terminal_id":"c","data":"two\n"}}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","rawOutput":{"exit_code":9},"_meta":{"terminal_exit":{"terminal_id":"c","exit_code":3,"signal":null}}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}`,
		}, []backend.Update{
			call("c", func(c *backend.Call) {
				c.Name, c.Tool, c.Command, c.Input = "Bash", "shell", "make a", jsontext.Value(`{"command":"make a"}`)
			}),
			backend.Output{Call: "c", Text: "one\n"},
			backend.Output{Call: "c", Text: "two\n"},
			backend.CallEnd{Call: "c", Outcome: event.Failed, Text: "one\ntwo\n", Shell: &event.ShellRun{Command: "make a", Dir: "/sub", ExitCode: 3}},
		}},
		"growth": {[]string{
			`{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":"other","status":"in_progress","rawInput":{"a":1},"content":[{"type":"content","content":{"type":"text","text":"one"}}]}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"one, two"}}]}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"replaced"}}]}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","rawOutput":{"output":"raw"}}`,
		}, []backend.Update{
			call("c", func(c *backend.Call) { c.Input = jsontext.Value(`{"a":1}`) }),
			backend.Output{Call: "c", Text: "one"},
			backend.Output{Call: "c", Text: ", two"},
			backend.CallEnd{Call: "c", Outcome: event.Succeeded, Text: "replaced"},
		}},
		"raw output": {[]string{
			`{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":"execute","status":"completed","rawInput":{"command":"ls","cwd":"/sub"},"rawOutput":{"output":"gone","metadata":{"exit":2}}}`,
			`{"sessionUpdate":"tool_call","toolCallId":"d","title":"T","kind":"execute","status":"completed","rawOutput":{"text":"stopped","exitCode":null}}`,
		}, []backend.Update{
			call("c", func(c *backend.Call) {
				c.Tool, c.Command, c.Dir, c.Input = "shell", "ls", "/sub", jsontext.Value(`{"command":"ls","dir":"/sub"}`)
			}),
			backend.CallEnd{Call: "c", Outcome: event.Succeeded, Text: "gone", Shell: &event.ShellRun{Command: "ls", Dir: "/sub", ExitCode: 2}},
			call("d", func(c *backend.Call) { c.Tool, c.Command, c.Input = "shell", "T", jsontext.Value(`{"command":"T"}`) }),
			backend.CallEnd{Call: "d", Outcome: event.Succeeded, Text: "stopped", Shell: &event.ShellRun{Command: "T", Dir: "/work", ExitCode: -1}},
		}},
		"diff": {[]string{
			`{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":"edit","status":"completed","locations":[{"path":"/a"}],"content":[{"type":"diff","path":"/a","oldText":null,"newText":"x"},{"type":"diff","path":"/b","oldText":"x","newText":"y"}]}`,
			`{"sessionUpdate":"tool_call","toolCallId":"d","title":"T","kind":"edit","status":"failed","content":[{"type":"diff","path":"/a","newText":"x"}]}`,
		}, []backend.Update{
			call("c", func(c *backend.Call) { c.Level, c.Paths = approval.Write, []string{"/a"} }),
			backend.CallEnd{Call: "c", Outcome: event.Succeeded, Edits: []backend.Edit{{Path: "/a", After: "x"}, {Path: "/b", Before: text("x"), After: "y"}}},
			call("d", func(c *backend.Call) {
				c.Level, c.Tool, c.Input = approval.Write, "write", jsontext.Value(`{"content":"x","path":"/a"}`)
			}),
			backend.CallEnd{Call: "d", Outcome: event.Failed, NotRun: true},
		}},
		"not run": {[]string{
			`{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":"execute","status":"pending","rawInput":{"command":"ls"}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"c","data":"no such option"}}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","_meta":{"terminal_exit":{"terminal_id":"c","exit_code":null}}}`,
			`{"sessionUpdate":"tool_call","toolCallId":"d","title":"T","kind":"think","status":"in_progress"}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"d","status":"failed"}`,
		}, []backend.Update{
			call("c", func(c *backend.Call) { c.Tool, c.Command, c.Input = "shell", "ls", jsontext.Value(`{"command":"ls"}`) }),
			backend.CallEnd{Call: "c", Outcome: event.Failed, Text: "no such option", Shell: &event.ShellRun{Command: "ls", Dir: "/work", ExitCode: -1}, NotRun: true},
			call("d", func(c *backend.Call) { c.Level = approval.Read }),
			backend.CallEnd{Call: "d", Outcome: event.Failed},
		}},
		"two calls": {[]string{
			`{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":"think","status":"pending"}`,
			`{"sessionUpdate":"tool_call","toolCallId":"d","title":"T","kind":"fetch","status":"pending","rawInput":{"url":"http://x"}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"d","status":"failed"}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}`,
		}, []backend.Update{
			call("d", func(c *backend.Call) {
				c.Level, c.URL, c.Tool, c.Input = approval.Read, "http://x", "fetch", jsontext.Value(`{"url":"http://x"}`)
			}),
			backend.CallEnd{Call: "d", Outcome: event.Failed, NotRun: true},
			call("c", func(c *backend.Call) { c.Level = approval.Read }),
			backend.CallEnd{Call: "c", Outcome: event.Succeeded},
		}},
		"strays": {[]string{
			`{"sessionUpdate":"tool_call_update","toolCallId":"x","status":"completed","content":[{"type":"content","content":{"type":"text","text":"out"}}]}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"y","status":"in_progress","_meta":{"terminal_output":{"data":"out"}}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"z","status":"in_progress"}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"","status":"completed"}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"u","title":"T","kind":"think","status":"completed"}`,
			`{"sessionUpdate":"tool_call","toolCallId":"u","title":"T","kind":"think","status":"completed"}`,
		}, []backend.Update{
			backend.CallEnd{Call: "x", Outcome: event.Succeeded, Text: "out"},
			backend.Output{Call: "y", Text: "out"},
			call("u", func(c *backend.Call) { c.Level = approval.Read }),
			backend.CallEnd{Call: "u", Outcome: event.Succeeded},
			call("u", func(c *backend.Call) { c.Level = approval.Read }),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, Options{}, plainStart+updates(c.updates...))
			got := w.turn(w.open(backend.Opening{}), nil)
			equal(t, got, append(c.want, backend.Update(backend.End{Reason: event.TurnCompleted})))
		})
	}
}

// TestCostOfResumed: what a resumed session has cost before is not the cost of a turn, whether it is reported before the turn or in it.
func TestCostOfResumed(t *testing.T) {
	usage := func(amount string) string {
		return `{"sessionUpdate":"usage_update","used":5,"size":100,"cost":{"amount":` + amount + `,"currency":"USD"}}`
	}
	load := func(replay string) string {
		return hello(`,"agentCapabilities":{"loadSession":true}`) + "> session/load\n" + replay + "< {\"id\":$id,\"result\":{}}\n"
	}
	for name, c := range map[string]struct {
		frames string
		costs  []float64
	}{
		"before": {load(notify(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a replay"}}`)+notify(usage("3"))) + updates(usage("3.5"), usage("3.75")), []float64{0.5, 0.25}},
		"within": {load("") + updates(usage("3.5"), usage("3.75")), []float64{0, 0.25}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, Options{}, c.frames)
			var want []backend.Update
			for _, cost := range c.costs {
				want = append(want, backend.Usage{Context: 5, Window: 100, Cost: cost})
			}
			equal(t, w.turn(w.open(backend.Opening{Session: "s-1"}), nil), append(want, backend.End{Reason: event.TurnCompleted}))
		})
	}
}

// TestPermission: a request may be the first report of its call; it is withdrawn by an interrupt and by the agent, and answered once.
func TestPermission(t *testing.T) {
	ask := func(id, options string) string {
		return `< {"id":"` + id + `","method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"` + id + `","title":"T","kind":"edit","status":"pending","rawInput":{"file_path":"/a","old_string":"x","new_string":""}},"options":[` + options + "]}}\n"
	}
	always := `{"optionId":"a","kind":"allow_always"},{"optionId":"n","kind":"reject_always"}`
	frames := plainStart + "> session/prompt\n" +
		ask("p", `{"optionId":"a","kind":"allow_always"},{"optionId":"y","kind":"allow_once"}`) + "=\n" + // allowed
		ask("q", always) + "=\n" + // allowed, but for ever only
		ask("r", always) + "=\n" + // denied
		ask("s", always) + "< {\"method\":\"$/cancel_request\",\"params\":{\"requestId\":\"s\"}}\n=\n" + // withdrawn
		`< {"id":"t","method":"session/request_permission","params":{"sessionId":"other","toolCall":{"toolCallId":"t"},"options":[]}}` + "\n=\n" +
		`< {"id":"u","method":"fs/read_text_file","params":{}}` + "\n=\n" +
		"< {\"id\":3,\"result\":{\"stopReason\":\"refusal\"}}\n"
	w := newWire(t, Options{}, frames)
	a := w.open(backend.Opening{})
	verdicts := map[string]backend.Verdict{"p": {Allow: true}, "q": {Allow: true}, "r": {}}
	got := w.turn(a, func(u backend.Update) {
		if asked, ok := u.(backend.Ask); ok {
			if v, known := verdicts[asked.Call]; known {
				asked.Answer(v)
				asked.Answer(backend.Verdict{Allow: true})
			}
		}
	})
	if first, ok := got[0].(backend.Call); !ok || first.Tool != "edit" || string(first.Input) != `{"new":"","old":"x","path":"/a"}` {
		t.Errorf("the first update is %+v", got[0])
	}
	if end := got[len(got)-1]; end != backend.Update(backend.End{Reason: event.TurnRefused}) {
		t.Errorf("the turn ends as %+v", end)
	}
	w.wantReceived(a, `"id":"p","result":{"outcome":{"outcome":"selected","optionId":"y"}}`, `"id":"q","result":{"outcome":{"outcome":"cancelled"}}`,
		`"id":"r","result":{"outcome":{"outcome":"selected","optionId":"n"}}`, `"id":"s","result":{"outcome":{"outcome":"cancelled"}}`,
		`"id":"t","result":{"outcome":{"outcome":"cancelled"}}`, `"id":"u","error":{"code":-32601`)
}

// TestChangedWhileItRuns: a call that runs something else than was reported ends, and what it runs is another call, about which nothing
// was asked. More files of a search are no change.
func TestChangedWhileItRuns(t *testing.T) {
	update := func(kind, members string) string {
		return notify(`{"sessionUpdate":"` + kind + `","toolCallId":` + members + `}`)
	}
	w := newWire(t, Options{}, plainStart+"> session/prompt\n"+
		update("tool_call", `"c","title":"List","kind":"execute","status":"pending","rawInput":{"command":"ls"}`)+
		`< {"id":"p","method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"c"},"options":[{"optionId":"y","kind":"allow_once"}]}}`+"\n=\n"+
		update("tool_call_update", `"c","status":"in_progress","rawInput":{"command":"touch swapped"}`)+
		update("tool_call_update", `"c","status":"completed"`)+
		update("tool_call", `"r","title":"Find","kind":"search","status":"in_progress","rawInput":{"path":"/w","pattern":"x"}`)+
		update("tool_call_update", `"r","status":"completed","locations":[{"path":"/w/a"},{"path":"/w/b"}]`)+
		update("tool_call", `"s","title":"Read","kind":"read","status":"in_progress","rawInput":{"path":"/w/a"}`)+
		update("tool_call_update", `"s","status":"completed","rawInput":{"command":"touch other"}`)+
		"< {\"id\":3,\"result\":{\"stopReason\":\"end_turn\"}}\n")
	a := w.open(backend.Opening{})
	var got []string
	w.turn(a, func(u backend.Update) {
		switch u := u.(type) {
		case backend.Call:
			got = append(got, u.ID+": "+u.Level.String()+" "+u.Command)
		case backend.Ask:
			got = append(got, "ask "+u.Call)
			u.Answer(backend.Verdict{Allow: true})
		case backend.CallEnd:
			got = append(got, string(u.Outcome)+" "+u.Call)
		}
	})
	equal(t, got, []string{
		"c: execute ls", "ask c", "failed c", "c (changed 1): execute touch swapped", "succeeded c (changed 1)",
		"r: read ", "succeeded r", "s: read ", "failed s", "s (changed 2): execute touch other", "succeeded s (changed 2)",
	})
}

// TestLateInput: a request for permission is decided by the input of its call, however late that comes; one for another command than the
// call that was yielded is denied.
func TestLateInput(t *testing.T) {
	ask := func(id, call, command string) string {
		return `< {"id":"` + id + `","method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"` + call + `","rawInput":{"command":"` + command + `"}},` +
			`"options":[{"optionId":"y","kind":"allow_once"},{"optionId":"n","kind":"reject_once"}]}}` + "\n=\n"
	}
	w := newWire(t, Options{}, plainStart+"> session/prompt\n"+
		notify(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"Terminal","kind":"execute","status":"pending","rawInput":{"cwd":"/w"}}`)+
		notify(`{"sessionUpdate":"tool_call","toolCallId":"d","title":"Terminal","kind":"execute","status":"pending","rawInput":{"command":"ls"}}`)+
		notify(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Wait."}}`)+
		ask("p", "c", "make")+ask("q", "d", "rm -r /")+ask("r", "d", "ls")+"< {\"id\":3,\"result\":{\"stopReason\":\"end_turn\"}}\n")
	a := w.open(backend.Opening{})
	var got []string
	w.turn(a, func(u backend.Update) {
		switch u := u.(type) {
		case backend.Call:
			got = append(got, u.ID+" "+u.Command)
		case backend.Note:
			got = append(got, u.Code)
		case backend.Ask:
			got = append(got, "ask "+u.Call)
			u.Answer(backend.Verdict{Allow: true})
		case backend.Text:
			got = append(got, u.Text)
		}
	})
	equal(t, got, []string{"d ls", "Wait.", "c make", "ask c", noticeChanged, "ask d"})
	w.wantReceived(a, `"id":"p","result":{"outcome":{"outcome":"selected","optionId":"y"}}`, `"id":"q","result":{"outcome":{"outcome":"selected","optionId":"n"}}`,
		`"id":"r","result":{"outcome":{"outcome":"selected","optionId":"y"}}`)
}
