package roles

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/transcript"
)

var roles = []string{stream.RoleHost, stream.RoleSubmitter, stream.RoleViewer}

// What a role lacks, as the errors of commands name it.
const (
	asHost   = "no permission to subscribe to _INBOX.host.>; the role host has it"
	asViewer = "no permission to subscribe to _INBOX.viewer.>; the roles host and viewer have it"
)

// toSubmit returns the error of a viewer that publishes to a subject of submitters.
func toSubmit(subject string) string {
	return "no permission to publish to " + subject + "; the roles host and submitter have it"
}

// TestCommands runs each command as each role: it is allowed, or ends with code 1 and the right that is missing. In the
// arguments R is the name of the role.
func TestCommands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Plays(t, "text done\n")
	s.must(stream.RoleHost, "run", "hi")
	s.Write(t, "tasks.jsonl", `{"id":"a","prompt":"hi"}`+"\n"+`{"id":"long","prompt":"`+strings.Repeat("long ", 60_000)+`"}`+"\n")
	transcript.BuildConsole(t) // it renders pages
	s.Write(t, "one.jsonl", `{"id":"a","prompt":"hi"}`+"\n")
	for _, role := range roles { // each has batches of its own
		for _, id := range []string{"open", "old"} {
			s.must(stream.RoleHost, "batch", "submit", "one.jsonl", "--batch", id+"-"+role)
		}
		s.must(stream.RoleHost, "batch", "cancel", "old-"+role)
	}
	s.must(stream.RoleHost, "batch", "submit", "one.jsonl", "--batch", "done", "--queue", "q")
	s.must(stream.RoleHost, "worker", "--once", "--queue", "q")
	for _, test := range []struct {
		args string
		code int       // of a role that may run it
		want [3]string // the errors of roles
	}{
		{"sessions list", 0, [3]string{"", asViewer, ""}},
		{"sessions show latest", 0, [3]string{"", asViewer, ""}},
		{"sessions export latest", 0, [3]string{"", asViewer, ""}},
		{"sessions export latest --format html", 0, [3]string{"", asViewer, ""}},
		{"sessions copy --all --to file:copy-R", 0, [3]string{"", asHost, asHost}},
		{"sessions rm --older 90d", 0, [3]string{"", asHost, asHost}},
		{"hosts", 0, [3]string{"", asViewer, ""}},
		{"hosts --json", 0, [3]string{"", asViewer, ""}},
		{"store info", 0, [3]string{"", asViewer, ""}},
		{"store check --json", 0, [3]string{"", "the store has problems", ""}},
		{"store gc", 0, [3]string{"", asHost, asHost}},
		{"store reindex", 0, [3]string{"", asHost, asHost}},
		{"store init --shards 2", 0, [3]string{"", asHost, asHost}},
		{"batch submit tasks.jsonl --batch new-R", 0, [3]string{"", "", toSubmit("team.bt.new-viewer.m")}},
		{"batch submit one.jsonl --batch open-R", 0, [3]string{"", "", toSubmit("team.bt.open-viewer.m")}},
		{"batch list", 0, [3]string{"", "", ""}},
		{"batch status done", 0, [3]string{"", "", ""}},
		{"batch status done --watch --json", 0, [3]string{"", "", ""}},
		{"batch status open-R --tasks", 4, [3]string{"", "", ""}},
		{"batch results done --json", 0, [3]string{"", "", ""}},
		{"batch results done --follow", 0, [3]string{"", "", ""}},
		{"batch results done --out out-R", 0, [3]string{"", "", ""}},
		{"batch results done --out all-R --sessions", 0, [3]string{"", asViewer, ""}},
		{"batch retry old-R a", 0, [3]string{"", "", toSubmit("team.bt.old-viewer.s.a")}},
		{"batch cancel open-R", 0, [3]string{"", "", toSubmit("team.bt.open-viewer.c")}},
		{"batch rm open-R", 0, [3]string{"", asHost, asHost}},
		{"batch run one.jsonl --batch run-R", 0, [3]string{"", asHost, asHost}},
		{"worker --once --queue none --idle-exit 1ms", 0, [3]string{"", asHost, asHost}},
		{"run hi", 0, [3]string{"", asHost, asHost}},
		{"run hi --resume latest", 0, [3]string{"", asHost, asHost}},
		{"flint", 0, [3]string{"", asHost, asHost}},
		{"serve", -1, [3]string{"", asHost, asHost}}, // TestHost has one
		{"hosts drain h-00", -1, [3]string{"", asHost, asHost}},
	} {
		for i, role := range roles {
			if test.code < 0 && test.want[i] == "" {
				continue
			}
			args := strings.Fields(strings.ReplaceAll(test.args, "-R", "-"+role))
			stdout, stderr, code := s.as(role).run(args...)
			want := test.code
			if test.want[i] != "" {
				want = 1
			}
			if code != want || !strings.Contains(stderr, test.want[i]) {
				t.Errorf("%s: parley %s: code %d, want %d and %q\n%s%s", role, strings.Join(args, " "), code, want, test.want[i], stdout, stderr)
			}
			if strings.Contains(stderr, "deadline") {
				t.Errorf("%s: parley %s has waited in vain: %s", role, strings.Join(args, " "), stderr)
			}
		}
	}
}

// TestCheck reads what a check reports to each role.
func TestCheck(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for role, want := range map[string]string{
		stream.RoleHost:      `"append_p50_us": `,
		stream.RoleSubmitter: `"code": "permission"`,
		stream.RoleViewer:    `"unmeasured": "the user of this connection has no permission to publish to $KV.team_config.probe.`,
	} {
		stdout, stderr, _ := s.as(role).run("store", "check", "--json")
		if !strings.Contains(stdout, want) || strings.Contains(stdout, `"ok": true`) != (role != stream.RoleSubmitter) {
			t.Errorf("%s: want %s\n%s%s", role, want, stdout, stderr)
		}
	}
	for role, want := range map[string]string{
		stream.RoleHost:      "ok  store ",
		stream.RoleSubmitter: "store: permission",
		stream.RoleViewer:    "store: permission",
	} {
		if stdout, stderr, _ := s.as(role).run("doctor"); !strings.Contains(stdout, want) {
			t.Errorf("%s: doctor: want %s\n%s%s", role, want, stdout, stderr)
		}
	}
}
