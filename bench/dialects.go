package main

import "parley.dev/parley/bench/report"

// A dialect is how a program is started, talked to and understood, as data. Lines that go out have
// places in them: $SESSION, $N (a number that is new), $DIR (the workspace).
type dialect struct {
	name  string
	args  []string
	hello []string // what is written as the program starts
	first marks    // the first answer; none: any line

	open    string // what opens another session; "": the program has one, and that is open
	opened  field  // the id in the answer to it
	main    string // the id of the session that is there from the start
	counted bool   // every number is a session, without opening

	prompt string
	delta  marks // a line with text of the model
	text   field // and where in it
	ended  marks // the end of a turn

	asks   marks  // asks whether a call may run; none: no user is asked
	asking field  // which question that is
	allow  string // $ASK is that

	most        int  // deltas at once, where more take too long; 0: any number
	repeats     bool // each update has the whole message
	shell, read tool
	resume      resume
	list        string // asks for the first page of sessions
	listed      marks
}

// marks are texts that a line has in it, all of them, if it is the line that is meant.
type marks []string

// A field is the text before a string in a line.
type field string

// A tool is how a model calls it; $DIR is a place in the input.
type tool struct{ name, input string }

// resume is how a program is told to go on with the session $SESSION: as it starts, or by a line.
type resume struct {
	args []string
	line string
	done marks // of the answer; none: the first answer
}

const (
	said    = "spoke"       // what the shell says
	content = "alpha bravo" // of the file that is read
	known   = "a.txt"
)

// floor is the program in the folder of that name.
var floor = dialect{
	name: report.Floor,
	main: "1", counted: true,
	prompt: `{"session":$SESSION,"text":"go on"}`,
	delta:  marks{`{"type":"delta"`}, text: `"text":"`,
	ended: marks{`{"type":"end"`},
	shell: tool{"bash", `{"command":"echo spoke"}`},
	read:  tool{"read", `{"path":"$DIR/a.txt"}`},
}

// ours is what our program speaks.
var ours = []dialect{
	{
		name: "scaiflux", args: []string{"scaiflux", "serve", "--max-iterations", "1000"},
		prompt: `{"type":"prompt","text":"go on"}`,
		delta:  marks{`"type":"text_delta"`}, text: `"delta":"`,
		ended: marks{`"type":"turn_complete"`},
		asks:  marks{`"type":"permission_request"`}, asking: `"request_id":"`, allow: `{"type":"permission_response","request_id":"$ASK","decision":"allow"}`,
		shell:  tool{"bash", `{"command":"echo spoke"}`},
		read:   tool{"read_file", `{"path":"a.txt"}`},
		resume: resume{args: []string{"--resume", "$SESSION"}},
	},
	{
		name: "flint", args: []string{"flint", "--approval-policy", "never", "--sandbox", "dangerFullAccess"},
		hello:  []string{`{"id":0,"method":"initialize","params":{"clientInfo":{"name":"bench","version":"1"}}}`, `{"method":"initialized"}`},
		open:   `{"id":$N,"method":"thread/start","params":{}}`,
		opened: `"result":{"thread":{"id":"`,
		prompt: `{"id":$N,"method":"turn/start","params":{"threadId":"$SESSION","input":[{"type":"text","text":"go on"}]}}`,
		delta:  marks{`"method":"item/agentMessage/delta"`}, text: `"delta":"`,
		ended:  marks{`"method":"turn/completed"`},
		shell:  tool{"shell", `{"command":"echo spoke"}`},
		read:   tool{"read", `{"path":"a.txt"}`},
		resume: resume{line: `{"id":77777,"method":"thread/resume","params":{"threadId":"$SESSION","excludeTurns":true}}`, done: marks{`"id":77777`, `"result"`}},
		list:   `{"id":$N,"method":"thread/list","params":{"limit":50}}`, listed: marks{`"result"`},
	},
	{
		name: "loaf", args: []string{"loaf", "rpc"},
		hello:  []string{`{"jsonrpc":"2.0","id":0,"method":"rpc.handshake","params":{"client_name":"bench","client_version":"1","protocol_version":"1.0.0"}}`},
		open:   `{"jsonrpc":"2.0","id":$N,"method":"session.create","params":{}}`,
		opened: `"result":{"session_id":"`,
		prompt: `{"jsonrpc":"2.0","id":$N,"method":"session.send","params":{"session_id":"$SESSION","text":"go on"}}`,
		delta:  marks{`"method":"session.stream.chunk"`}, text: `"answerText":"`,
		ended: marks{`"method":"session.status"`, `"pending":false`},
		shell: tool{"bash", `{"command":"echo spoke"}`},
		read:  tool{"read_file", `{"file_path":"$DIR/a.txt"}`},
		list:  `{"jsonrpc":"2.0","id":$N,"method":"history.list","params":{"limit":50}}`, listed: marks{`"result"`},
	},
	{
		name: "agentair", args: []string{"agentair", "--policy", "auto-approve"},
		main:   "1",
		open:   `{"CreateSession":{}}`,
		opened: `{"System":{"message":"Session `,
		prompt: `{"session_id":$SESSION,"content":"go on","turn_id":{"role":"User","sequence":$N}}`,
		delta:  marks{`{"TextChunk":`}, text: `"text":"`,
		ended: marks{`{"Complete":`},
		shell: tool{"bash", `{"command":"echo spoke"}`},
		read:  tool{"read_file", `{"file_path":"$DIR/a.txt"}`},
	},
	{
		name: "pisces", args: []string{"pisces", "--mode", "rpc"}, repeats: true,
		prompt: `{"id":"$N","type":"prompt","message":"go on"}`,
		delta:  marks{`"type":"text_delta"`}, text: `"delta":"`,
		ended:  marks{`{"type":"agent_end"`},
		shell:  tool{"bash", `{"command":"echo spoke"}`},
		read:   tool{"read", `{"path":"a.txt"}`},
		resume: resume{args: []string{"--session", "$SESSION"}},
	},
}
