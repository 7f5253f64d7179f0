package main

import (
	"slices"

	"parley.dev/parley/bench/report"
	"parley.dev/parley/internal/dialect/dialogue"
)

// A dialect is how a program is started, talked to and understood, as data.
type dialect struct {
	dialogue.Dialect
	args []string // after those of Dialect

	most        int  // deltas at once, where more take too long; 0: any number
	repeats     bool // each update has the whole message
	hosts       bool // it serves clients that connect to it
	servers     bool // it is the store on NATS servers
	shell, read tool
	resume      resume
	list        string // asks for the first page of sessions
	listed      dialogue.Marks
}

// A tool is how a model calls it; $DIR is a place in the input.
type tool struct{ name, input string }

// resume is how a program continues the session $SESSION: by arguments at its start, or by a line.
type resume struct {
	args []string
	line string
	done dialogue.Marks // of the answer; none: the first answer
}

const (
	said    = "spoke"       // what the shell says
	content = "alpha bravo" // of the file that is read
	known   = "a.txt"
)

// floor is the program in the folder of that name.
var floor = dialect{
	Dialect: dialogue.Dialect{
		Name: report.Floor,
		Main: "1", Counted: true,
		Prompt: `{"session":$SESSION,"text":$TEXT}`,
		Delta:  dialogue.Marks{`{"type":"delta"`}, Text: `"text":"`,
		Ended: dialogue.Marks{`{"type":"end"`},
	},
	shell: tool{"bash", `{"command":"echo spoke"}`},
	read:  tool{"read", `{"path":"$DIR/a.txt"}`},
}

// ours is what our program speaks.
var ours = []dialect{
	{
		Dialect: named("scaiflux"), args: []string{"--max-iterations", "1000"},
		shell:  tool{"bash", `{"command":"echo spoke"}`},
		read:   tool{"read_file", `{"path":"a.txt"}`},
		resume: resume{args: []string{"--resume", "$SESSION"}},
	},
	{
		Dialect: named("flint"),
		shell:   tool{"shell", `{"command":"echo spoke"}`},
		read:    tool{"read", `{"path":"a.txt"}`},
		resume: resume{
			line: `{"id":77777,"method":"thread/resume","params":{"threadId":"$SESSION","excludeTurns":true}}`, done: dialogue.Marks{`"id":77777`, `"result"`},
		},
		list: `{"id":$N,"method":"thread/list","params":{"limit":50}}`, listed: dialogue.Marks{`"result"`},
	},
	{
		Dialect: named("codex"),
		shell:   tool{"exec_command", `{"cmd":"echo spoke"}`},
		read:    tool{"read_file", `{"path":"a.txt"}`},
		resume: resume{
			line: `{"id":77777,"method":"thread/resume","params":{"threadId":"$SESSION","excludeTurns":true}}`, done: dialogue.Marks{`"id":77777`, `"result"`},
		},
		list: `{"id":$N,"method":"thread/list","params":{"limit":50}}`, listed: dialogue.Marks{`"result"`},
	},
	{
		Dialect: named("loaf"),
		shell:   tool{"bash", `{"command":"echo spoke"}`},
		read:    tool{"read_file", `{"file_path":"$DIR/a.txt"}`},
		list:    `{"jsonrpc":"2.0","id":$N,"method":"history.list","params":{"limit":50}}`, listed: dialogue.Marks{`"result"`},
	},
	{
		Dialect: named("agentair"),
		shell:   tool{"bash", `{"command":"echo spoke"}`},
		read:    tool{"read_file", `{"path":"$DIR/a.txt"}`},
	},
	{
		Dialect: named("pisces"), repeats: true,
		shell:  tool{"bash", `{"command":"echo spoke"}`},
		read:   tool{"read", `{"path":"a.txt"}`},
		resume: resume{args: []string{"--session", "$SESSION"}},
	},
	{
		Dialect: named("acp"),
		shell:   tool{"shell", `{"command":"echo spoke"}`},
		read:    tool{"read", `{"path":"a.txt"}`},
		resume: resume{
			line: `{"jsonrpc":"2.0","id":77777,"method":"session/resume","params":{"sessionId":"$SESSION","cwd":"$DIR"}}`, done: dialogue.Marks{`"id":77777`, `"result"`},
		},
		list: `{"jsonrpc":"2.0","id":$N,"method":"session/list","params":{}}`, listed: dialogue.Marks{`"result":{"sessions"`},
	},
	{
		Dialect: named("native"),
		shell:   tool{"shell", `{"command":"echo spoke"}`},
		read:    tool{"read", `{"path":"a.txt"}`},
		resume: resume{
			line: `{"jsonrpc":"2.0","id":77777,"method":"session/open","params":{"session":"$SESSION"}}`, done: dialogue.Marks{`"id":77777`, `"result"`},
		},
		list: `{"jsonrpc":"2.0","id":$N,"method":"sessions/list","params":{"limit":50}}`, listed: dialogue.Marks{`"result":{"sessions"`},
	},
}

// host is our program as a process of many clients. It does not read its input.
var host = dialect{
	Dialect: dialogue.Dialect{Name: "host", Args: []string{"serve", "--json"}, First: dialogue.Marks{`"ready":true`}},
	hosts:   true,
}

// named returns a dialect of our program, started so that no call waits for an answer where it can be.
func named(name string) dialogue.Dialect {
	d, _ := dialogue.Named(name)
	d.Args = slices.Concat(d.Args, d.Free)
	return d
}
