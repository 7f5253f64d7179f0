//go:build linux

package soak

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A speaker is a dialect that has any number of sessions in one process.
type speaker struct {
	name, shell string
	args        []string
	hello       string
	create      func(n int) string // a session; its answer has the id n
	prompt      func(n int, session, text string) string
	// clear forgets a conversation; "": the model's summary has to do.
	clear func(n int, session string) string
	read  func(line []byte) news
}

// news is what a line tells.
type news struct {
	answer  int    // to the request of that id
	wrong   string // why it was refused
	created string // session
	ended   string // the session whose turn is over
	how     string // "": well; else the line that says why not
	summed  bool   // a conversation was
}

var speakers = []speaker{{
	name: "loaf", shell: "bash", args: []string{"loaf", "rpc"},
	create: func(n int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session.create","params":{}}`+"\n", n)
	},
	prompt: func(n int, session, text string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session.send","params":{"session_id":%q,"text":%q}}`+"\n", n, session, text)
	},
	clear: func(n int, session string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"command.execute","params":{"session_id":%q,"raw_command":"/clear"}}`+"\n", n, session)
	},
	read: readLoaf,
}, {
	name: "flint", shell: "shell", args: []string{"flint", "--approval-policy", "never", "--sandbox", "dangerFullAccess"},
	hello: `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"soak","version":"1"}}}` + "\n" + `{"method":"initialized"}` + "\n",
	create: func(n int) string {
		return fmt.Sprintf(`{"id":%d,"method":"thread/start","params":{}}`+"\n", n)
	},
	prompt: func(n int, session, text string) string {
		return fmt.Sprintf(`{"id":%d,"method":"turn/start","params":{"threadId":%q,"input":[{"type":"text","text":%q}]}}`+"\n", n, session, text)
	},
	read: readFlint,
}}

func readLoaf(line []byte) (n news) {
	var m struct {
		ID     int            `json:"id"`
		Method string         `json:"method"`
		Error  jsontext.Value `json:"error"`
		Result struct {
			SessionID string         `json:"session_id"`
			State     jsontext.Value `json:"state"`
		} `json:"result"`
		Params struct {
			SessionID string `json:"session_id"`
			Label     string `json:"status_label"`
			Pending   bool   `json:"pending"`
		} `json:"params"`
	}
	_ = json.Unmarshal(line, &m) // lines with other members of these names are not looked at
	n.answer, n.wrong = m.ID, string(m.Error)
	switch {
	case m.Result.State != nil:
		n.created = m.Result.SessionID
	case m.Method == "session.completed":
		n.ended = m.Params.SessionID
	case m.Method == "session.error":
		n.ended, n.how = m.Params.SessionID, string(line)
	}
	return n
}

func readFlint(line []byte) (n news) {
	var m struct {
		ID     int            `json:"id"`
		Method string         `json:"method"`
		Error  jsontext.Value `json:"error"`
		Result struct {
			Thread struct {
				ID string `json:"id"`
			} `json:"thread"`
		} `json:"result"`
		Params struct {
			ThreadID string `json:"threadId"`
			Item     struct {
				Type string `json:"type"`
			} `json:"item"`
			Turn struct {
				Status string `json:"status"`
			} `json:"turn"`
		} `json:"params"`
	}
	_ = json.Unmarshal(line, &m)
	n.answer, n.created = m.ID, m.Result.Thread.ID
	if m.Method == "" {
		n.wrong = string(m.Error)
	}
	n.summed = m.Method == "item/completed" && m.Params.Item.Type == "contextCompaction"
	if m.Method == "turn/completed" {
		if n.ended = m.Params.ThreadID; m.Params.Turn.Status != "completed" {
			n.how = string(line)
		}
	}
	return n
}
