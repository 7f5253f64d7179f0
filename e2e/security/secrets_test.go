package security

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// canaries are secrets by the name of the variable that holds them: of every provider, and of
// others whose names mark them as secrets.
func canaries() map[string]string {
	secrets := map[string]string{}
	for _, name := range []string{
		"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "DEEPSEEK_API_KEY", "MISTRAL_API_KEY", "GROQ_API_KEY", "XAI_API_KEY", "MOONSHOT_API_KEY", "CEREBRAS_API_KEY", "ZAI_API_KEY",
		"ANTHROPIC_AUTH_TOKEN", "SCAIGRID_KEY", "WORK_LLM", "SEARCH_ACCESS", // the last two only the configuration makes secrets
		"GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DATABASE_PASSWORD", "NPM_CONFIG__AUTH_TOKEN", "MY_PRIVATE_KEY", "SSH_KEY_PASSPHRASE",
	} {
		secrets[name] = "canary-" + strings.ToLower(strings.ReplaceAll(name, "_", "-")) + "-0123456789"
	}
	return secrets
}

// mentions returns the canaries in a text, by the names of their variables.
func mentions(text string) (names []string) {
	for name, secret := range canaries() {
		if strings.Contains(text, secret) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// toolServer is a tool server in shell that writes its environment to a file.
const toolServer = `#!/bin/sh
env >"$HOME/environ-of-server"
while read -r line; do
  id=$(expr "$line" : '.*"id":\([0-9]*\)')
  case $line in
  *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}}' ;;
  *'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}}' ;;
  *'"method":"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"done"}]}}' ;;
  *'"id":'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no such method"}}' ;;
  esac
done
`

// look is a command that shows all that a command which nothing confines can find of keys in
// its surroundings: its environment, and what Linux shows of the program's own.
const look = `env; for f in /proc/$PPID/environ /proc/self/environ; do test -r $f && tr '\0' '\n' <$f; done; true`

// secretive returns a place with canaries in the environment, a tool server, hooks, and the debug log.
func secretive(t *testing.T, url string) *place {
	t.Helper()
	p := newPlace(t)
	for name, secret := range canaries() {
		p.Env = append(p.Env, name+"="+secret)
	}
	p.Env = append(p.Env, "HARMLESS=https://user:"+canaries()["OPENAI_API_KEY"]+"@example.com/", "PARLEY_LOG=debug", "SEEN=yes")
	for _, name := range []string{"ANTHROPIC", "OPENAI", "GEMINI", "OPENROUTER", "DEEPSEEK", "MISTRAL", "GROQ", "XAI", "MOONSHOT", "CEREBRAS", "ZAI"} {
		base := url + "/v1"
		if name == "ANTHROPIC" {
			base = url
		}
		p.Env = append(p.Env, name+"_BASE_URL="+base)
	}
	server := p.write("home/server.sh", toolServer, 0o700)
	hook := p.write("home/hook.sh", "#!/bin/sh\ncat >/dev/null\nenv >>\"$HOME/environ-of-hook\"\n", 0o700)
	hooks := map[string]any{}
	for _, moment := range []string{"prompt", "before_tool", "after_tool", "turn_end"} {
		hooks[moment] = []map[string]any{{"command": hook}}
	}
	config, err := json.Marshal(map[string]any{
		"providers":   map[string]any{"work": map[string]any{"api": "chat", "base_url": url + "/v1", "api_key_env": "WORK_LLM", "model": "m"}},
		"mcp_servers": map[string]any{"tickets": map[string]any{"command": server}},
		"search":      map[string]any{"api": "brave", "api_key_env": "SEARCH_ACCESS"},
		"hooks":       hooks,
	})
	if err != nil {
		t.Fatal(err)
	}
	p.write("home/.config/parley/config.jsonc", string(config), 0o600)
	return p
}

// checkSecrets looks for canaries in all that a program left behind.
func checkSecrets(t *testing.T, p *place, said ...ending) {
	t.Helper()
	for i, e := range said {
		for what, text := range map[string]string{"stdout": e.stdout, "stderr": e.stderr} {
			if names := mentions(text); names != nil {
				t.Errorf("%s of run %d contains %q: %s", what, i, names, around(text))
			}
		}
	}
	stage.EachFile(t, func(path string, data []byte) {
		if names := mentions(string(data)); names != nil {
			t.Errorf("%s holds %q: %s", path, names, around(string(data)))
		}
	}, p.Root)
}

// around returns the first line with a canary in it.
func around(text string) string {
	for line := range strings.Lines(text) {
		if mentions(line) != nil {
			return fmt.Sprintf("%.500q", line)
		}
	}
	return ""
}

// TestSecretsStayOut: a turn whose tools, hooks and tool server look for keys leaves none in the
// journal, the log, the output, or the environment of any child.
func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"anthropic/" + modeltest.Model, "openai/" + modeltest.Model, "work/m"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			command, err := json.Marshal(map[string]string{"command": look})
			if err != nil {
				t.Fatal(err)
			}
			server := modeltest.NewServer(t,
				modeltest.Stream(
					modeltest.Call("a", "shell", string(command)), modeltest.Call("b", "read", `{"path":"/proc/self/environ"}`),
					modeltest.Call("c", "grep", `{"path":"/proc/self","pattern":"canary"}`), modeltest.Call("d", "mcp__tickets__look", `{}`)),
				modeltest.Stream(modeltest.Text("Done.")))
			p := secretive(t, server.URL)
			said := p.run("run", "--json", "--model", model, "--sandbox", "full-access", "Look.")
			if said.code != 0 || strings.Count(said.stdout, `"kind":"tool_ended"`) != 4 || !strings.Contains(said.stdout, "SEEN=yes") {
				t.Fatalf("%+v", said)
			}
			if !strings.Contains(said.stdout, "belongs to a running process") {
				t.Errorf("the environment is read as a file: %s", said.stdout)
			}
			for _, name := range []string{"environ-of-server", "environ-of-hook"} {
				found := false
				stage.EachFile(t, func(path string, data []byte) {
					found = found || filepath.Base(path) == name && strings.Contains(string(data), "SEEN=yes")
				}, p.Home)
				if !found {
					t.Errorf("there is no %s: nothing was looked at", name)
				}
			}
			checkSecrets(t, p, said, p.run("config", "show"), p.run("doctor"), p.run("mcp", "list"), p.run("sessions", "list"))
			for i, r := range server.Requests() {
				if names := mentions(r.Raw); names != nil {
					t.Errorf("the model received %q in request %d", names, i)
				}
			}
		})
	}
}

// TestErrorsContainNoSecrets: a provider that throws the key back, in its refusals and in the middle of
// a stream, does not get it into the log, the journal or the output.
func TestErrorsContainNoSecrets(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"anthropic/m", "openai/m", "gemini/m", "openrouter/m", "deepseek/m", "mistral/m", "groq/m", "xai/m", "moonshot/m", "cerebras/m", "zai/m", "work/m"} {
		for _, status := range []int{http.StatusUnauthorized, http.StatusBadRequest, http.StatusOK} {
			t.Run(fmt.Sprint(model, " ", status), func(t *testing.T) {
				t.Parallel()
				asked := make(chan string, 64)
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					key := bearer.ReplaceAllString(r.Header.Get("Authorization"), "") + r.Header.Get("X-Api-Key")
					if strings.HasSuffix(r.URL.Path, "/models") && r.Method == http.MethodGet {
						http.Error(w, "no list for "+key, http.StatusForbidden)
						return
					}
					select {
					case asked <- key:
					default: // it tries again and again
					}
					echo := `{"type":"error","error":{"type":"invalid_request_error","code":"bad_key","message":"Incorrect API key provided: ` + key + `. Bearer ` + key + `"}}`
					if status == http.StatusOK {
						w.Header().Set("Content-Type", "text/event-stream")
						fmt.Fprintf(w, "event: error\ndata: %s\n\n", echo)
						return
					}
					w.Header().Set("Content-Type", "application/json")
					w.Header().Set("X-Echo", key)
					w.WriteHeader(status)
					fmt.Fprint(w, echo)
				}))
				defer server.Close()
				p := secretive(t, server.URL)
				said := p.run("run", "--json", "--model", model, "Hello.")
				if said.code != 1 {
					t.Errorf("exit code %d: %s", said.code, said.stderr)
				}
				if key := <-asked; mentions(key) == nil {
					t.Errorf("the provider received %q, so that no secret could be sent", key)
				}
				checkSecrets(t, p, said)
			})
		}
	}
}

var bearer = regexp.MustCompile(`^Bearer `)
