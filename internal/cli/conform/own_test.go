package conform_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/conform"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/transcript"
)

// TestOwnServers: the program's own server of each protocol passes every case, recommendations too, and lacks nothing.
func TestOwnServers(t *testing.T) {
	racetest.Skip(t, racetest.BuiltProgram)
	t.Parallel()
	binary := transcript.Build(t)
	for _, dialect := range conform.Dialects(conform.Server) {
		t.Run(dialect, func(t *testing.T) { passes(t, binary, dialect) })
	}
}

// TestOwnClients: the program as a client, driving its back end, passes every case for clients.
func TestOwnClients(t *testing.T) {
	racetest.Skip(t, racetest.BuiltProgram)
	t.Parallel()
	binary := transcript.Build(t)
	for dialect, backend := range map[string]string{"acp": "acp:test", "codex": "codex", "pisces": "pi"} {
		t.Run(dialect, func(t *testing.T) {
			home := filepath.Join("../../../examples/conform/parley", dialect)
			passes(t, binary, dialect, "--client", "--home", home, "--", binary, "run", "--backend", backend, "--permission-mode", "prompt", "{prompt}")
		})
	}
}

// TestExampleClient: examples/native.py passes every case for clients of the native protocol.
func TestExampleClient(t *testing.T) {
	racetest.Skip(t, racetest.BuiltProgram)
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	script, err := filepath.Abs("../../../examples/native.py")
	if err != nil {
		t.Fatal(err)
	}
	passes(t, transcript.Build(t), "native", "--client", "--env", "PARLEY={server}", "--", "python3", script, "{prompt}")
}

// passes checks that all cases are passed.
func passes(t *testing.T, binary, dialect string, args ...string) {
	t.Helper()
	args = append([]string{"conform", dialect, "--format", "json", "--jobs", "2", "--timeout", "3m", "--end-timeout", "1m"}, args...)
	out, err := exec.CommandContext(t.Context(), binary, args...).Output()
	var report conform.Report
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err == nil && len(report.Cases) > 0 && report.Counts[conform.Passed] == len(report.Cases) {
		return
	}
	var text strings.Builder
	if err := report.WriteDetails(&text, true); err != nil {
		t.Error(err)
	}
	t.Errorf("%v\n%s", err, &text)
}

// TestUsage: a bad command line has exit code 2, a reason, and plays nothing.
func TestUsage(t *testing.T) {
	racetest.Skip(t, racetest.BuiltProgram)
	t.Parallel()
	binary := transcript.Build(t)
	for args, want := range map[string]string{
		"":                                   "DIALECT is missing",
		"gopher":                             `no cases for a server of "gopher"`,
		"acp my-agent":                       "the command follows --",
		"acp --case nothing":                 `no case of the server of acp matches "nothing"`,
		"acp --format yaml":                  `--format "yaml" is none of text, json and junit`,
		"acp --client":                       "the command of the client is missing",
		"acp --jobs 0":                       "--jobs 0 is less than 1",
		"acp --env X":                        `the variable "X" is not NAME=VALUE`,
		"acp -- no-such-program-anywhere":    "no-such-program-anywhere is not a program",
		"acp --home /no/such/folder":         "--home",
		"scaiflux --client -- sh":            `no cases for a client of "scaiflux"`,
		"acp --timeout 0s --case initialize": "must be positive",
	} {
		out, err := exec.CommandContext(t.Context(), binary, append([]string{"conform"}, strings.Fields(args)...)...).CombinedOutput()
		exit, ok := err.(*exec.ExitError) //nolint:errorlint // exec returns it as it is
		if !ok || exit.ExitCode() != 2 || !strings.Contains(string(out), want) {
			t.Errorf("conform %s: %v\n%s", args, err, out)
		}
	}
}
