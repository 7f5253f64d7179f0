package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"parley.dev/parley/internal/dialect/dialogue"
	"parley.dev/parley/internal/model/modeltest"
)

// A peer is another agent, measured where it is installed. It finds its settings in files.
type peer struct {
	dialect
	program string
	env     []string          // $HOME is a place in it
	files   map[string]string // below HOME; $URL is a place in them
}

var peers = []peer{
	{
		program: "pi",
		dialect: dialect{
			Dialect: dialogue.Dialect{
				Name: "pi", Args: []string{"--mode", "rpc", "--provider", "bench", "--model", modeltest.Model},
				Hello:  []string{`{"id":"hello","type":"get_state"}`},
				First:  dialogue.Marks{`"type":"response"`},
				Prompt: `{"id":"$N","type":"prompt","message":$TEXT}`,
				Delta:  dialogue.Marks{`"type":"text_delta"`}, Text: `"delta":"`,
				Ended: dialogue.Marks{`{"type":"agent_end"`},
			},
			shell: tool{"bash", `{"command":"echo spoke"}`},
			read:  tool{"read", `{"path":"a.txt"}`},
			most:  2000, // each update repeats the message, twice
		},
		env: []string{"PI_CODING_AGENT_DIR=$HOME/pi", "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1"},
		files: map[string]string{"pi/models.json": `{"providers":{"bench":{"baseUrl":"$URL","api":"openai-completions","apiKey":"none",
			"models":[{"id":"` + modeltest.Model + `","name":"Bench","reasoning":false,"input":["text"],
			"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":200000,"maxTokens":8192}]}}}`},
	},
	{
		program: "codex",
		dialect: dialect{
			Dialect: dialogue.Dialect{
				Name: "openai-codex", Args: []string{"app-server"},
				Hello:  []string{`{"id":0,"method":"initialize","params":{"clientInfo":{"name":"bench","title":"bench","version":"1"}}}`, `{"method":"initialized"}`},
				First:  dialogue.Marks{`"id":0`},
				Open:   `{"id":$N,"method":"thread/start","params":{"cwd":"$DIR","approvalPolicy":"never","sandbox":"danger-full-access"}}`,
				Opened: `"result":{"thread":{"id":"`,
				Prompt: `{"id":$N,"method":"turn/start","params":{"threadId":"$SESSION","input":[{"type":"text","text":$TEXT}]}}`,
				Delta:  dialogue.Marks{`"method":"item/agentMessage/delta"`}, Text: `"delta":"`,
				Ended: dialogue.Marks{`"method":"turn/completed"`},
			},
			shell: tool{"exec_command", `{"cmd":"echo spoke"}`},
		},
		env:   []string{"CODEX_HOME=$HOME/codex", "OPENAI_API_KEY=none"},
		files: map[string]string{"codex/config.toml": codexConfig},
	},
	{
		program: "codex-acp", // starts codex, which npm has installed with it; commands are confined in the mode that it begins with, and not measured
		dialect: dialect{
			Dialect: dialogue.Dialect{
				Name:   "codex-acp",
				Hello:  []string{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`},
				First:  dialogue.Marks{`"id":0`},
				Open:   `{"jsonrpc":"2.0","id":$N,"method":"session/new","params":{"cwd":"$DIR","mcpServers":[]}}`,
				Opened: `"result":{"sessionId":"`,
				Prompt: `{"jsonrpc":"2.0","id":$N,"method":"session/prompt","params":{"sessionId":"$SESSION","prompt":[{"type":"text","text":$TEXT}]}}`,
				Delta:  dialogue.Marks{`"sessionUpdate":"agent_message_chunk"`, `"messageId":`}, Text: `"text":"`, // a warning has no messageId
				Ended: dialogue.Marks{`"stopReason":`},
			},
		},
		env:   []string{"CODEX_HOME=$HOME/codex", "OPENAI_API_KEY=none", "CODEX_API_KEY=none", "NO_BROWSER=1"},
		files: map[string]string{"codex/config.toml": "approval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n" + codexConfig},
	},
}

// codexConfig is the configuration of codex.
const codexConfig = `model = "` + modeltest.Model + `"
model_provider = "bench"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.bench]
name = "bench"
base_url = "$URL"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
`

// find returns where a peer is installed: in PATH, or by npm in the folder.
func (p peer) find(folder string) (string, error) {
	if path, err := exec.LookPath(p.program); err == nil {
		return path, nil
	}
	path := filepath.Join(folder, "node_modules", ".bin", p.program)
	if _, err := os.Stat(path); folder == "" || err != nil {
		return "", fmt.Errorf("%s is not installed", p.program)
	}
	return path, nil
}
