package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/approval/grantfile"
	"parley.dev/parley/internal/host/audit"
)

// A lastingAnswer is how the clients of a protocol answer an approval with a grant that is stored.
type lastingAnswer struct {
	protocol string
	row      string // in the table of rights
	kind     *clientKind
	create   string // the request with the id 1 that makes a session
	session  string // the member of its answer with the id
	asked    string // a mark of the request for the approval
	offer    string // a mark of the request that offers the grant
	answer   string // with $ID, the id of the request
	notice   string // a mark of the line with the reason of the refusal
	ended    string // a mark of the end of the turn
}

func lastingAnswers() []lastingAnswer {
	codex := threadKind("codex", "app-server")
	codex.hello[0] = strings.Replace(codex.hello[0], `"params":{`, `"params":{"capabilities":{"experimentalApi":true},`, 1) // offers are experimental
	return []lastingAnswer{
		{
			protocol: "codex", kind: codex, row: "(answer) acceptWithExecpolicyAmendment",
			create:  `{"id":1,"method":"thread/start","params":{"cwd":"$DIR","approvalPolicy":"untrusted"}}`,
			session: `"thread":{"id":"`, asked: "item/commandExecution/requestApproval", offer: "acceptWithExecpolicyAmendment",
			answer: `{"id":$ID,"result":{"decision":{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["touch"]}}}}`,
			notice: `"method":"warning"`, ended: `"method":"turn/completed"`,
		},
		{
			protocol: "acp", kind: acpKind(1), row: "(answer) allow-always",
			create:  `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"$DIR","mcpServers":[]}}`,
			session: `"sessionId":"`, asked: "session/request_permission", offer: `"optionId":"allow-always"`,
			answer: `{"jsonrpc":"2.0","id":$ID,"result":{"outcome":{"outcome":"selected","optionId":"allow-always"}}}`,
			notice: `"status":"failed"`, ended: `"stopReason"`,
		},
	}
}

// TestLastingGrants: an answer that stores a grant for all sessions is offered only to a client whose token has the role owner. That
// of another is refused, with the reason, an entry in the audit log, and without the command; that of an owner is stored.
func TestLastingGrants(t *testing.T) {
	for _, a := range lastingAnswers() {
		for _, role := range []string{"driver", "owner"} {
			t.Run(a.protocol+" "+role, func(t *testing.T) {
				h := newTestHost(t, nil)
				a.kind.role = role
				c := h.dial(a.kind, "")
				c.send(c.fill(a.create, ""))
				_, rest, _ := strings.Cut(c.await(`"id":1,"result"`), a.session)
				session, _, _ := strings.Cut(rest, `"`)
				c.prompt(session, "shell touch made")
				request := c.await(a.asked)
				if offered := strings.Contains(request, a.offer); offered != (role == "owner") {
					t.Errorf("offered: %t", offered)
				}
				var id struct {
					ID any `json:"id"`
				}
				if err := json.Unmarshal([]byte(request), &id); err != nil {
					t.Fatal(err)
				}
				c.send(strings.ReplaceAll(a.answer, "$ID", string(mustJSON(id.ID))))
				reason := a.row + " needs the role owner"
				if role == "driver" {
					c.await(a.notice, reason)
				}
				c.await(a.ended)

				_, err := os.Stat(filepath.Join(h.work, "made"))
				if ran := err == nil; ran != (role == "owner") {
					t.Errorf("the command has run: %t", ran)
				}
				all, err := grantfile.New(grantfile.Options{Folder: h.app.Settings.Home}).All()
				if stored := len(all[h.work]) > 0; err != nil || stored != (role == "owner") {
					t.Errorf("grants: %v, %v", all, err)
				}
				log, err := os.ReadFile(audit.Path(h.app.Settings.Home))
				refused := hasAll(string(log), []string{`"refused"`, a.row, reason, session})
				if err != nil || refused != (role == "driver") {
					t.Errorf("audit log: %s, %v", log, err)
				}
			})
		}
	}
}
