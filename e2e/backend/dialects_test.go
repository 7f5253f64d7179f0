package backend

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/dialect/dialogue"
)

// viewScript has a turn for each thing that clients see of an agent.
const viewScript = `say I run it.
call c1 execute {"command":"make test"}
ask c1
write c1 one
end c1 one, two
say Done.

call c2 execute {"command":"make clean"}
ask c2
end c2 rejected
say I see.

update {"sessionUpdate":"tool_call","toolCallId":"c3","title":"Edit a.txt","kind":"edit","status":"pending","rawInput":{"path":"$DIR/a.txt"},"content":[{"type":"diff","path":"$DIR/a.txt","oldText":"alpha","newText":"beta"}],"locations":[{"path":"$DIR/a.txt"}]}
ask c3
update {"sessionUpdate":"tool_call_update","toolCallId":"c3","status":"completed","content":[{"type":"diff","path":"$DIR/a.txt","oldText":"alpha","newText":"beta"}]}
say It is beta.

update {"sessionUpdate":"tool_call","toolCallId":"c4","title":"Read a.txt","kind":"read","status":"pending","rawInput":{"path":"$DIR/a.txt"}}
end c4 alpha
say It is alpha.

call c5 other {"depth":3}
ask c5
end c5 deep
say It is deep.

call c6 execute {"command":"make one"}
call c7 execute {"command":"make two"}
say Both.
ask c6
end c6 one
ask c7
end c7 two

update {"sessionUpdate":"plan","entries":[{"content":"look","status":"completed","priority":"high"},{"content":"write","status":"in_progress","priority":"low"}]}
say Planned.

question {"colour":{"type":"string","title":"Colour","enum":["red","blue"]}}

say Half
exit`

// interruptScript has a turn that a client interrupts while a call runs.
const interruptScript = `call c9 execute {"command":"make long"}
ask c9
write c9 begun
say Waiting
hang`

// viewTurns are the turns of viewScript.
var viewTurns = []string{"command", "denied", "edit", "read", "unknown", "parallel", "plan", "question", "death"}

// A viewer is a client that sees the turns.
type viewer struct {
	dialogue.Dialect
	deny      string // the answer to Asks that denies
	question  reaction
	interrupt string
	turn      dialogue.Field      // what interrupt names, in the line of a delta; "": nothing
	ends      dialogue.Marks      // of another line that ends a turn
	want      map[string][]string // by turn: texts of lines, in their order
}

// A reaction is what a client sends after a line.
type reaction struct {
	marks dialogue.Marks
	field dialogue.Field // of what the answer names
	line  string         // $ASK in it is that
}

// answer returns what is sent after a line; false: nothing.
func (r reaction) answer(line string) (string, bool) {
	if r.marks == nil || !r.marks.In([]byte(line)) {
		return "", false
	}
	id, _ := r.field.Of([]byte(line))
	return strings.ReplaceAll(r.line, "$ASK", string(id)), true
}

func named(name string) dialogue.Dialect {
	d, _ := dialogue.Named(name)
	return d
}

var viewers = []viewer{
	{
		Dialect: dialogue.Dialect{
			Name: "native", Args: []string{"rpc"},
			Hello:  []string{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocol":1,"client":{"name":"t"}}}`},
			Open:   `{"jsonrpc":"2.0","id":$N,"method":"session/create","params":{"id":"s-1","workspace":"$DIR","settings":{"mode":"prompt"}}}` + "\n" + `{"jsonrpc":"2.0","id":99,"method":"session/follow","params":{"session":"s-1","from":1,"transient":["text_delta","tool_output"]}}`,
			Opened: `"result":{"session":"`,
			Prompt: `{"jsonrpc":"2.0","id":$N,"method":"turn/prompt","params":{"session":"s-1","id":"p-$N","blocks":[{"kind":"text","text":$TEXT}]}}`,
			Delta:  dialogue.Marks{`"kind":"text_delta"`},
			Ended:  dialogue.Marks{`"kind":"turn_ended"`},
			Asks:   dialogue.Marks{`"kind":"approval_asked"`}, Asking: `"data":{"id":"`,
			Allow: `{"jsonrpc":"2.0","id":97,"method":"approval/answer","params":{"session":"s-1","approval":"$ASK","allow":true}}`,
		},
		deny:      `{"jsonrpc":"2.0","id":96,"method":"approval/answer","params":{"session":"s-1","approval":"$ASK","allow":false}}`,
		question:  reaction{dialogue.Marks{`"kind":"question_asked"`}, `"data":{"id":"`, `{"jsonrpc":"2.0","id":95,"method":"question/answer","params":{"session":"s-1","question":"$ASK","answers":[["blue"]]}}`},
		interrupt: `{"jsonrpc":"2.0","id":94,"method":"turn/interrupt","params":{"session":"s-1"}}`,
		want: map[string][]string{
			"command":   {`"kind":"backend_opened"`, `"kind":"tool_intended","data":{"call":"c1","message":"m-1","name":"shell","tool":"shell","input":{"command":"make test"}}`, `"kind":"approval_asked"`, `"kind":"tool_output","data":{"call":"c1","text":"one"}`, `"outcome":"succeeded","output":"one, two"`, `"reason":"completed"`},
			"denied":    {`"allowed":false`, `"outcome":"denied"`, `"reason":"completed"`},
			"edit":      {`"kind":"approval_asked"`, `"outcome":"succeeded"`, `"mutations":[{"tool":"edit","path":"a.txt"}]`},
			"read":      {`"name":"read","tool":"read"`, `"kind":"tool_started"`, `"outcome":"succeeded","output":"alpha"`},
			"unknown":   {`"name":"c5","input":{"depth":3}`, `"level":"execute","summary":"c5"`, `"output":"deep"`},
			"parallel":  {`"call":"c6"`, `"call":"c7"`, `"kind":"approval_asked"`, `"output":"one"`, `"kind":"approval_asked"`, `"output":"two"`},
			"plan":      {`"kind":"plan_updated","data":{"items":[{"text":"look","status":"completed"},{"text":"write","status":"in_progress"}]}`},
			"question":  {`"call":"","questions":[{"text":"The agent asks.","header":"Colour"`, `"answers":[["blue"]]`, `The answer is accept {\"colour\":\"blue\"}.`},
			"death":     {`"text":"Half"`, `"code":"gone"`},
			"interrupt": {`"call":"c9","text":"begun"`, `"outcome":"interrupted"`, `"reason":"interrupted"`},
		},
	},
	{
		Dialect: named("scaiflux"), deny: `{"type":"permission_response","request_id":"$ASK","decision":"deny"}`, interrupt: `{"type":"interrupt"}`,
		want: map[string][]string{
			"command":   {`"type":"tool_start"`, `"type":"permission_request","request_id":"r-1","tool":"bash"`, `"output":"one, two","is_error":false`, `"stop_reason":"end_turn"`},
			"denied":    {`"name":"bash","input":{"command":"make clean"}`, `"output":"denied by remote controller","is_error":true,"duration_s":0`, `"stop_reason":"end_turn"`},
			"edit":      {`"name":"edit_file","input":{"new_string":"beta","old_string":"alpha","path":"$DIR/a.txt"}`, `"required_mode":"workspace-write"`, `"reason":"existing file, +1 -1 lines"`, `"is_error":false`, `"mutations":[["edit_file","a.txt"]]`},
			"read":      {`"name":"read_file","input":{"path":"$DIR/a.txt"}`, `"output":"alpha","is_error":false`},
			"unknown":   {`"name":"c5","input":{"depth":3}`, `"tool":"c5"`, `"output":"deep"`},
			"parallel":  {`"tool_id":"c6","name":"bash"`, `"tool_id":"c7","name":"bash"`, `"request_id":"r-5"`, `"tool_id":"c6","output":"one"`, `"request_id":"r-6"`, `"tool_id":"c7","output":"two"`},
			"plan":      {`"delta":"Planned."`},
			"question":  {`The answer is cancel`},
			"death":     {`"delta":"Half"`, `"type":"error","code":"internal"`, `"stop_reason":"error"`},
			"interrupt": {`"tool_id":"c9","name":"bash"`, `"is_error":true`, `"stop_reason":"interrupted"`},
		},
	},
	{
		Dialect: named("flint"), deny: `{"id":$ASK,"result":{"decision":"decline"}}`, turn: `"turnId":"`,
		interrupt: `{"id":90,"method":"turn/interrupt","params":{"threadId":"$SESSION","turnId":"$ASK"}}`,
		want: map[string][]string{
			"command":   {`"type":"commandExecution","id":"c1","command":"make test","cwd":"$DIR","status":"inProgress"`, `"method":"item/commandExecution/requestApproval"`, `"method":"item/commandExecution/outputDelta"`, `"status":"completed","exitCode":0,"aggregatedOutput":"one, two"`, `"method":"turn/completed"`},
			"denied":    {`"type":"commandExecution","id":"c2","command":"make clean","cwd":"$DIR","status":"declined"`, `"status":"completed"`},
			"edit":      {`"type":"fileChange","id":"c3","changes":[{"path":"$DIR/a.txt","kind":"modify","diff":"--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-alpha\n+beta\n"}],"status":"inProgress"`, `"method":"item/fileChange/requestApproval"`, `existing file, +1 -1 lines`, `"status":"completed"`},
			"read":      {`"type":"dynamicToolCall","id":"c4","tool":"read"`, `"success":true`},
			"unknown":   {`"type":"dynamicToolCall","id":"c5","tool":"c5","arguments":{"depth":3}`, `requestApproval`, `"success":true`},
			"parallel":  {`"itemId":"c6"`, `"aggregatedOutput":"one"`, `"itemId":"c7"`, `"aggregatedOutput":"two"`},
			"plan":      {`"type":"plan"`, `"method":"turn/plan/updated"`, `"step":"write","status":"inProgress"`},
			"question":  {`The answer is cancel`},
			"death":     {`"delta":"Half"`, `"method":"error"`, `"status":"failed"`},
			"interrupt": {`"type":"commandExecution","id":"c9"`, `"method":"turn/completed"`, `"status":"interrupted"`},
		},
	},
	{
		Dialect: named("agentair"), deny: `{"PermissionResponse":{"tool_use_id":"$ASK","response":{"granted":false,"message":"not now"}}}`,
		question:  reaction{dialogue.Marks{`{"UserInteractionRequired":`}, `"tool_use_id":"`, `{"UserInteractionResponse":{"tool_use_id":"$ASK","response":{"answers":[{"question":"q1","answer":["blue"]}]}}}`},
		interrupt: `{"Interrupt":{"session_id":1}}`,
		want: map[string][]string{
			"command":   {`{"ToolExecuting":{"tool_use_id":"c1","tool_name":"bash","input":{"command":"make test"}`, `{"PermissionRequired":{"tool_use_id":"c1"`, `{"ToolCompleted":{"tool_use_id":"c1","result":"one, two"`, `"stop_reason":"EndTurn"`},
			"denied":    {`"result":"Permission denied by user: not now"`, `"stop_reason":"EndTurn"`},
			"edit":      {`"tool_name":"edit_file","input":{"file_path":"$DIR/a.txt","new_string":"beta","old_string":"alpha"}`, `"target_type":"Path","target":"$DIR/a.txt","level":"Write"`, `{"ToolCompleted":`},
			"read":      {`"tool_name":"read_file","input":{"file_path":"$DIR/a.txt"}`, `"result":"alpha"`},
			"unknown":   {`"tool_name":"c5","input":{"depth":3}`, `"target":"tool:c5"`, `"result":"deep"`},
			"parallel":  {`{"ToolExecuting":{"tool_use_id":"c6"`, `{"ToolExecuting":{"tool_use_id":"c7"`, `{"PermissionRequired":{"tool_use_id":"c6"`, `"result":"one"`, `{"PermissionRequired":{"tool_use_id":"c7"`, `"result":"two"`},
			"plan":      {`Planned.`},
			"question":  {`{"UserInteractionRequired":{"tool_use_id":"q-7","request":{"questions":[{"id":"q1","text":"The agent asks.","question_type":"SingleChoice","options":["red","blue"]`, `The answer is accept {\"colour\":\"blue\"}.`},
			"death":     {`Half`, `{"Error":`, `{"Complete":`},
			"interrupt": {`{"ToolCompleted":{"tool_use_id":"c9"`, `"message":"Request cancelled"`, `{"Complete":`},
		},
	},
	{
		Dialect: named("loaf"), interrupt: `{"jsonrpc":"2.0","id":90,"method":"session.interrupt","params":{"session_id":"$SESSION"}}`,
		want: map[string][]string{
			"command":   {`"method":"session.tool.call.started"`, `"method":"session.tool.call.completed"`, `"method":"session.completed"`},
			"denied":    {`"method":"session.completed"`},
			"edit":      {`"method":"session.tool.call.started"`, `"ok":true`},
			"read":      {`"ok":true`},
			"unknown":   {`"tool_name":"c5"`, `"ok":true`},
			"parallel":  {`"call_id":"c6"`, `"call_id":"c7"`, `"method":"session.completed"`},
			"plan":      {`Planned.`},
			"question":  {`The answer is cancel`},
			"death":     {`Half`, `"method":"session.error"`},
			"interrupt": {`"call_id":"c9"`, `"ok":false`, `"method":"session.interrupted"`},
		},
	},
	{
		Dialect: named("pisces"), interrupt: `{"id":"x","type":"abort"}`,
		question: reaction{dialogue.Marks{`"extension_ui_request"`, `"select"`}, `"id":"`, `{"type":"extension_ui_response","id":"$ASK","value":"blue"}`},
		want: map[string][]string{
			"command":   {`"type":"tool_execution_start","toolCallId":"c1","toolName":"bash","args":{"command":"make test"}`, `"type":"tool_execution_update"`, `"type":"tool_execution_end","toolCallId":"c1"`, `"status":"completed"`},
			"denied":    {`"type":"tool_execution_end"`},
			"edit":      {`"toolName":"edit","args":{"new_text":"beta","old_text":"alpha","path":"$DIR/a.txt"}`, `"diff":"--- a/a.txt`},
			"read":      {`"toolName":"read","args":{"path":"$DIR/a.txt"}`, `"text":"alpha"`},
			"unknown":   {`"toolName":"c5","args":{"depth":3}`, `"text":"deep"`},
			"parallel":  {`"type":"tool_execution_end","toolCallId":"c6"`, `"type":"tool_execution_end","toolCallId":"c7"`},
			"plan":      {`Planned.`},
			"question":  {`The answer is`},
			"death":     {`Half`, `"stopReason":"error"`},
			"interrupt": {`"type":"tool_execution_end","toolCallId":"c9"`, `"stopReason":"aborted"`},
		},
	},
	{
		Dialect: func() dialogue.Dialect {
			d := named("acp")
			d.Hello = []string{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{}}}}}`}
			return d
		}(),
		deny:      `{"jsonrpc":"2.0","id":$ASK,"result":{"outcome":{"outcome":"selected","optionId":"reject-once"}}}`,
		question:  reaction{dialogue.Marks{`"method":"elicitation/create"`}, `"id":`, `{"jsonrpc":"2.0","id":$ASK,"result":{"action":"accept","content":{"q1":"blue"}}}`},
		interrupt: `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"$SESSION"}}`, ends: dialogue.Marks{`"error":{"code":`},
		want: map[string][]string{
			"command":   {`"sessionUpdate":"tool_call","toolCallId":"c1","title":"make test","name":"shell","kind":"execute","status":"pending","rawInput":{"command":"make test"}`, `"method":"session/request_permission"`, `"status":"in_progress"`, `"text":"one"`, `"rawOutput":{"text":"one, two","exitCode":0}`, `"stopReason":"end_turn"`},
			"denied":    {`"toolCallId":"c2","status":"failed"`, `the user denied this call`, `"stopReason":"end_turn"`},
			"edit":      {`"name":"edit","kind":"edit","status":"pending","locations":[{"path":"$DIR/a.txt"}]`, `{"type":"diff","path":"$DIR/a.txt","oldText":"alpha\n","newText":"beta\n"}`, `"status":"completed","content":[{"type":"diff","path":"$DIR/a.txt"`},
			"read":      {`"name":"read","kind":"read"`, `"text":"alpha"`},
			"unknown":   {`"title":"c5","name":"c5","kind":"other"`, `"method":"session/request_permission"`, `"text":"deep"`},
			"parallel":  {`"toolCallId":"c6"`, `"toolCallId":"c7"`, `"method":"session/request_permission"`, `"rawOutput":{"text":"one","exitCode":0}`, `"method":"session/request_permission"`, `"rawOutput":{"text":"two","exitCode":0}`},
			"plan":      {`"sessionUpdate":"plan","entries":[{"content":"look","priority":"medium","status":"completed"}`},
			"question":  {`"method":"elicitation/create"`, `The answer is accept {\"colour\":\"blue\"}.`},
			"death":     {`Half`, `"error":{"code":`},
			"interrupt": {`"toolCallId":"c9","status":"failed"`, `"stopReason":"cancelled"`},
		},
	},
}

// TestDialects: what clients of each dialect see of the turns of an agent: commands that are approved and denied, an edit, calls of tools
// that are read-only, not known and side by side, a plan, a question, an interrupt, and its death.
func TestDialects(t *testing.T) {
	t.Parallel()
	for _, v := range viewers {
		t.Run(v.Name, func(t *testing.T) {
			v.check(t, viewScript, viewTurns...)
			v.check(t, interruptScript, "interrupt")
		})
	}
}

// check plays the turns of a script.
func (v *viewer) check(t *testing.T, script string, turns ...string) {
	t.Helper()
	b := newBench(t, script, nil)
	b.Write(t, "a.txt", "alpha\n")
	c := newRawClient(t, stage.Launch(t, b.Command(t, v.Args...)))
	client := dialogue.Client{Dialect: v.Dialect, Dir: b.Work, Session: v.Main}
	for _, line := range v.Hello {
		c.send(line)
	}
	if v.Main == "" && v.Open != "" {
		c.send(client.Fill(v.Open, ""))
		client.Enter([]byte(c.until(string(v.Opened))))
	}
	for _, turn := range turns {
		lines := strings.Join(v.see(c, &client, turn), "\n")
		rest := lines
		for _, text := range v.want[turn] {
			var found bool
			if _, rest, found = strings.Cut(rest, strings.ReplaceAll(text, "$DIR", b.Work)); !found {
				t.Errorf("%s: %s is not there, or not in its place, in\n%s", turn, text, lines)
				break
			}
		}
	}
}

// see prompts, answers what is requested, and returns the lines up to the end of the turn.
func (v *viewer) see(c *rawClient, client *dialogue.Client, turn string) (lines []string) {
	c.t.Helper()
	decide := reaction{v.Asks, v.Asking, v.Allow}
	if turn == "denied" {
		decide.line = v.deny
	}
	reactions := []reaction{decide, v.question, {slices.Concat(v.Delta, dialogue.Marks{"Waiting"}), v.turn, v.interrupt}}
	c.send(client.Fill(v.Prompt, turn))
	if err := c.process.Stdout.SetReadDeadline(time.Now().Add(stage.Patience)); err != nil {
		c.t.Fatal(err)
	}
	for c.lines.Scan() {
		line := c.lines.Text()
		lines = append(lines, line)
		if v.Ended.In([]byte(line)) || v.ends != nil && v.ends.In([]byte(line)) {
			return lines
		}
		for _, r := range reactions {
			if answer, ok := r.answer(line); ok {
				c.send(client.Fill(answer, ""))
			}
		}
	}
	c.t.Fatalf("%s: the turn does not end, after\n%s\nstandard error: %s", turn, strings.Join(lines, "\n"), c.process.Stderr)
	return nil
}
