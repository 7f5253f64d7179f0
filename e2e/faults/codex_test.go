//go:build linux

package faults

import (
	"fmt"

	clients "parley.dev/parley/e2e/client"
)

var codexFace = face{
	name: "codex", args: []string{"codex", "app-server"}, again: []string{"codex", "app-server"},
	dial: func() client { return &codexClient{flintClient: flintClient{speaker: speakerOf("codex", flintPrompt)}} }, shell: "exec_command", member: "cmd",
	asks: true, retries: 5,
	exits: map[string][]int{"term": {0}, "int": {130}, "hup": {0}, "eof": {0}, "close": {0}, "twice": {143}, "gone": {1}, "unread": {1}, "unread TERM": {1}, "unread INT": {1}, "rival": {0}},
}

// A codexClient sends and reads lines as Flint has them, with other members. A compaction is a turn without a prompt.
type codexClient struct {
	flintClient
	compacts bool // the reader's: the turn that runs
}

// codexOpen are the members of a thread in which each command is asked about.
const codexOpen = `"approvalPolicy":"untrusted","sandbox":"danger-full-access"`

func (c *codexClient) open(r *run) bool {
	there := c.ask(r, "thread/start", "{"+codexOpen+"}")
	r.session = c.Session
	return there
}

func (c *codexClient) again(r *run) bool {
	return c.ask(r, "thread/resume", fmt.Sprintf(`{"threadId":%q,"excludeTurns":true,%s}`, r.session, codexOpen))
}

func (c *codexClient) compact() string {
	return fmt.Sprintf(`{"id":8,"method":"thread/compact/start","params":{"threadId":%q}}`+"\n", c.Session)
}

func (c *codexClient) read(line []byte) []sign {
	m, err := clients.ReadFlint(string(line))
	if err != nil {
		return nil
	}
	signs := c.flintClient.read(line)
	switch m.Method {
	case "turn/started":
		c.compacts = true
	case "item/started":
		c.compacts = c.compacts && itemOf(m).Type == "contextCompaction"
	case "turn/completed":
		if c.compacts {
			signs = append(signs, sign{kind: compacted})
		}
	}
	return signs
}
