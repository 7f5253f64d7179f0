package pisces

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
)

func TestDecode(t *testing.T) {
	picture := message.Image{Type: "image", Data: "cGl4ZWxz", MIMEType: "image/png"}
	for _, test := range []struct {
		line string
		want any
	}{
		{`{"id":"a","type":"prompt","message":"hi"}`, command{jsontext.Value(`"a"`), "prompt", Prompt{Message: "hi"}, false}},
		{`{"type":"prompt","message":""}`, command{nil, "prompt", Prompt{}, false}},
		{`{"id":7,"type":"prompt","message":"x","streamingBehavior":"steer","more":[1]}`, command{jsontext.Value("7"), "prompt", Prompt{Message: "x", StreamingBehavior: BehaviorSteer}, false}},
		{`{"id":null,"type":"abort"}`, command{jsontext.Value("null"), "abort", Abort{}, false}},
		{`{"id":{"a":[1, 2.50]},"type":"abort"}`, command{jsontext.Value(`{"a":[1, 2.50]}`), "abort", Abort{}, false}},
		{`{"type":"prompt","message":"a","message":"b","type":"steer"}`, command{nil, "steer", Steer{Message: "b"}, false}},
		{`{"type":"prompt","message":"m","images":[{"type":"image","data":"cGl4ZWxz","mimeType":"image/png"}]}`, command{nil, "prompt", Prompt{Message: "m", Images: []message.Image{picture}}, false}},
		{`{"type":"prompt","message":"m","images":null,"streamingBehavior":null}`, command{nil, "prompt", Prompt{Message: "m"}, false}},
		{`{"type":"new_session"}`, command{nil, "new_session", NewSession{}, false}},
		{`{"type":"new_session","parentSession":"x"}`, command{nil, "new_session", NewSession{"x"}, false}},
		{`{"type":"set_model","provider":"acme","modelId":"eel"}`, command{nil, "set_model", SetModel{"acme", "eel"}, false}},
		{`{"type":"set_thinking_level","level":"xhigh"}`, command{nil, "set_thinking_level", SetThinkingLevel{message.ThinkingXHigh}, false}},
		{`{"type":"set_follow_up_mode","mode":"all"}`, command{nil, "set_follow_up_mode", SetFollowUpMode{QueueAll}, false}},
		{`{"type":"set_interrupt_mode","mode":"wait"}`, command{nil, "set_interrupt_mode", SetInterruptMode{InterruptWait}, false}},
		{`{"type":"set_auto_retry","enabled":false}`, command{nil, "set_auto_retry", SetAutoRetry{}, false}},
		{`{"type":"bash","command":"ls"}`, command{nil, "bash", Bash{"ls"}, false}},
		{`{"type":"branch","entryId":"0000000a"}`, command{nil, "branch", Branch{"0000000a"}, false}},
		{`{"type":"fork","entryId":"0000000a"}`, command{nil, "fork", Fork{"0000000a"}, false}},
		{"{\"type\":\"bash\",\"command\":\"a\u2028b\"}\r", command{nil, "bash", Bash{"a\u2028b"}, false}},
		{`{"type":"extension_ui_response","id":"u","value":"eu"}`, ExtensionUIResponse{ID: jsontext.Value(`"u"`), Value: jsontext.Value(`"eu"`)}},
		{`{"type":"extension_ui_response","id":1,"confirmed":"maybe","cancelled":[]}`, ExtensionUIResponse{ID: jsontext.Value("1"), Confirmed: jsontext.Value(`"maybe"`), Cancelled: jsontext.Value("[]")}},
		{`{"type":"extension_ui_response"}`, ExtensionUIResponse{}},
		{`{"type":"set_host_tools","tools":[]}`, command{nil, "set_host_tools", SetHostTools{[]HostTool{}}, true}},
		{`{"type":"host_tool_result","id":"h","result":{"content":[{"type":"text","text":"x"}]},"isError":true}`, HostToolResult{"h", HostResult{[]jsontext.Value{jsontext.Value(`{"type":"text","text":"x"}`)}, nil}, true}},
		{`{"type":"host_tool_update","id":"h","partialResult":{"content":[]}}`, HostToolUpdate{"h", HostResult{[]jsontext.Value{}, nil}}},
	} {
		got, refused := decode([]byte(test.line))
		if refused != nil {
			t.Errorf("%s was refused: %s", test.line, refused.Error)
			continue
		}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(command{})); diff != "" {
			t.Errorf("%s:\n%s", test.line, diff)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	const parse = "Failed to parse command: "
	for _, test := range []struct{ line, command, problem string }{
		{`{"id":"u","type":"frobnicate"}`, "frobnicate", "Unknown command: frobnicate"},
		{`{"id":"u"}`, "", "Unknown command: undefined"},
		{`"prompt"`, "", "Unknown command: undefined"},
		{`42`, "", "Unknown command: undefined"},
		{`[{"type":"abort"}]`, "", "Unknown command: undefined"},
		{`true`, "", "Unknown command: undefined"},
		{`{"type":5}`, "", "Unknown command: 5"},
		{`{"type":null}`, "", "Unknown command: null"},
		{`{"type":""}`, "", "Unknown command: "},
		{`{"type":"Prompt","message":"x"}`, "Prompt", "Unknown command: Prompt"},
		{` null `, "parse", parse + "expected a JSON object"},
		{`{"id":"v","type":`, "parse", parse + "line is not a complete JSON object"},
		{`{"type":"abort"} x`, "parse", parse + "text follows the JSON value"},
		{"{\"type\":\"bash\",\"command\":\"\xff\"}", "parse", parse + "line is not valid UTF-8"},
		{`{"id":1,"type":"prompt"}`, "parse", parse + "prompt.message: required field is missing"},
		{`{"id":1,"type":"prompt","message":null}`, "parse", parse + "prompt.message: required field is missing"},
		{`{"id":1,"type":"prompt","message":7}`, "parse", parse + "prompt.message: expected a string"},
		{`{"type":"prompt","message":"x","streamingBehavior":"later"}`, "parse", parse + `prompt.streamingBehavior: expected "steer" or "followUp"`},
		{`{"type":"steer","message":"x","images":{}}`, "parse", parse + "steer.images: expected an array"},
		{`{"type":"steer","message":"x","images":[{"type":"image","mimeType":"image/png"}]}`, "parse", parse + "steer.images[0].data: required field is missing"},
		{`{"type":"steer","message":"x","images":[{"type":"text","data":"","mimeType":"image/png"}]}`, "parse", parse + `steer.images[0]: type: expected "image"`},
		{`{"type":"follow_up","message":"x","images":[{"type":"image","data":"cGl4ZWxz","mimeType":"image/png"},{"type":"image","data":"?","mimeType":"image/png"}]}`, "parse", parse + "follow_up.images[1]: data: expected a picture in base64"},
		{`{"type":"abort_and_prompt","message":"x","images":[{"type":"image","data":"cGl4ZWxz","mimeType":"image/tiff"}]}`, "parse", parse + "abort_and_prompt.images[0]: mimeType: expected image/png, image/jpeg, image/gif or image/webp"},
		{`{"type":"set_thinking_level","level":"most"}`, "parse", parse + `set_thinking_level.level: expected "off", "minimal", "low", "medium", "high" or "xhigh"`},
		{`{"type":"set_steering_mode","mode":"some"}`, "parse", parse + `set_steering_mode.mode: expected "all" or "one-at-a-time"`},
		{`{"type":"set_interrupt_mode","mode":"never"}`, "parse", parse + `set_interrupt_mode.mode: expected "immediate" or "wait"`},
		{`{"type":"set_auto_compaction","enabled":"yes"}`, "parse", parse + "set_auto_compaction.enabled: expected true or false"},
		{strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300), "parse", parse + "line nests deeper than 256 levels"},
	} {
		got, refused := decode([]byte(test.line))
		if refused == nil {
			t.Errorf("%s was read as %+v", test.line, got)
			continue
		}
		want := Response{Command: test.command, Error: test.problem}
		if diff := cmp.Diff(want, *refused); diff != "" {
			t.Errorf("%s:\n%s", test.line, diff)
		}
	}
}

// TestEveryCommand: each constant has a reader, whose params are no pointer.
func TestEveryCommand(t *testing.T) {
	for name := range commands.Get() {
		fields := `"message":"m","provider":"p","modelId":"i","level":"off","enabled":true,"command":"c","sessionPath":"s","entryId":"e","name":"n","events":null,"sessionDir":"d","tools":[],"phases":[]`
		mode := "all"
		if name == CommandSetInterruptMode {
			mode = "wait"
		}
		if name == CommandSetSubagentSubscription {
			fields = `"level":"progress"`
		}
		message, refused := decode([]byte(`{"id":"x","type":"` + name + `","mode":"` + mode + `",` + fields + `}`))
		if refused != nil {
			t.Errorf("%s: %s", name, refused.Error)
			continue
		}
		if c := message.(command); c.name != name || reflect.TypeOf(c.params).Kind() != reflect.Struct {
			t.Errorf("%s was read as %+v", name, c)
		}
	}
}

func TestEncode(t *testing.T) {
	for _, test := range []struct {
		event Event
		want  string
	}{
		{Ready{}, `{"type":"ready"}`},
		{AgentStart{}, `{"type":"agent_start"}`},
		{Response{ID: jsontext.Value("7"), Command: "bash", Success: true, Data: LastAssistantText{}}, `{"type":"response","id":7,"command":"bash","success":true,"data":{"text":null}}`},
		{Response{ID: jsontext.Value(`{"a":1,"a":2}`), Command: "abort", Success: true}, `{"type":"response","id":{"a":1,"a":2},"command":"abort","success":true}`},
		{Response{Command: CommandCycleModel, Success: true, Data: jsontext.Value(rawjson.Null)}, `{"type":"response","command":"cycle_model","success":true,"data":null}`},
		{Response{Error: "Unknown command: undefined"}, `{"type":"response","success":false,"error":"Unknown command: undefined"}`},
		{TurnStart{}, `{"type":"turn_start","turnIndex":0,"timestamp":0}`},
		{
			MessageEnd{message.User{Role: message.RoleUser, Content: []message.Content{message.NewText("hi")}, Attribution: "user", Timestamp: 5}},
			`{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"hi"}],"attribution":"user","timestamp":5}}`,
		},
		{MessageStart{message.Raw{Value: jsontext.Value(`{"role":"hookMessage","x":1}`), Role: "hookMessage"}}, `{"type":"message_start","message":{"role":"hookMessage","x":1}}`},
		{
			MessageUpdate{BlockDelta{TextDelta, 0, "", message.Assistant{Role: message.RoleAssistant, Content: []message.Content{}}}, message.Raw{Value: jsontext.Value("{}"), Role: ""}},
			`{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"","partial":{"role":"assistant","content":[],"api":"","provider":"","model":"",` +
				`"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"","timestamp":0}},"message":{}}`,
		},
		{UISelect{ID: "15d65d72d0a3008e", Title: "Region", Options: []string{"eu"}}, `{"type":"extension_ui_request","method":"select","id":"15d65d72d0a3008e","title":"Region","options":["eu"]}`},
		{UISetStatus{ID: "1", StatusKey: "k"}, `{"type":"extension_ui_request","method":"setStatus","id":"1","statusKey":"k"}`},
		{TodoAutoClear{}, `{"type":"todo_auto_clear"}`},
	} {
		if got := string(encode(test.event)); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

// FuzzDecode: every line gives a command with the id that stands in it, an answer, or a
// refusal that can be written.
func FuzzDecode(f *testing.F) {
	for _, line := range []string{
		`{"id":"a","type":"prompt","message":"hi","images":[{"type":"image","data":"cGl4ZWxz","mimeType":"image/png"}]}`,
		`{"id":1.50,"type":"abort"}`, `null`, `[]`, `{"type":{"a":1}}`, `{"type":"extension_ui_response","id":"x","confirmed":true}`, "{\"id\":\"\u2028\",\"type\":\"x\"}",
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		kept := slices.Clone(line)
		message, refused := decode(line)
		for i := range line {
			line[i] = 'x' // nothing may refer to the line
		}
		if (message == nil) == (refused == nil) {
			t.Fatalf("%q gave %v and %v", kept, message, refused)
		}
		if refused != nil {
			if out := encode(*refused); refused.Success || refused.Error == "" || !jsontext.Value(out).IsValid() || bytes.ContainsAny(out, "\n") {
				t.Fatalf("%q is answered with %s", kept, out)
			}
			return
		}
		c, isCommand := message.(command)
		if !isCommand {
			return
		}
		if commands.Get()[c.name] == nil {
			t.Fatalf("%q was read as %+v", kept, c)
		}
		if c.id != nil {
			out := encode(Response{ID: c.id, Command: c.name, Success: true})
			if !bytes.Contains(out, c.id) || !bytes.Contains(kept, c.id) {
				t.Fatalf("the id %s of %q came back in %s", c.id, kept, out)
			}
		}
	})
}
