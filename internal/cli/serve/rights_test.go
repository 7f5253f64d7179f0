package serve

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley.dev/parley/internal/dialect/codex"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/host"
	"parley.dev/parley/internal/host/token"
)

// commandLines are what reads the command lines of the dialects, as a host does.
func commandLines() map[string]func(caller, []string) (service, error) {
	return map[string]func(caller, []string) (service, error){
		"native": parseWith(nativeCommand), "flint": parseWith(flintCommand), "codex": parseCodex(codex.NewProcess()), "loaf": parseWith(loafCommand),
		"agentair": parseWith(agentairCommand), "acp": parseWith(acpCommand), "scaiflux": parseScaiflux,
		"pisces": func(from caller, args []string) (service, error) {
			o, err := parsePisces(from, args)
			if err != nil {
				return service{}, err
			}
			return o.service(from), o.notServed()
		},
	}
}

// dialectFlags returns the flags that clients of a host can give, by dialect.
func dialectFlags(t *testing.T) map[string]*pflag.FlagSet {
	t.Helper()
	from := caller{getenv: func(string) string { return "" }}
	nothing := func(service) error { return nil }
	flags := map[string]*pflag.FlagSet{}
	for name, cmd := range map[string]*cobra.Command{
		"native": nativeCommand(from, nothing), "flint": flintCommand(from, nothing), "codex": codexAppServer(codex.NewProcess(), from, nothing),
		"loaf": loafCommand(from, nothing), "agentair": agentairCommand(from, nothing), "acp": acpCommand(from, nothing), "scaiflux": scaifluxServe(from, nothing),
	} {
		flags[name] = cmd.Flags()
	}
	o, err := parsePisces(from, nil)
	if err != nil {
		t.Fatal(err)
	}
	flags["pisces"] = o.set
	return flags
}

// TestFlagRights: each flag of each dialect that a client of a host can give has a row, and each row a flag.
func TestFlagRights(t *testing.T) {
	flags := dialectFlags(t)
	for dialect, rows := range flagRights.Get() {
		var names []string
		flags[dialect].VisitAll(func(f *pflag.Flag) {
			names = append(names, f.Name)
			if _, ok := rows[f.Name]; !ok && !slices.Contains(sharedFlags, f.Name) && !strings.HasPrefix(f.Name, "store-") {
				t.Errorf("%s: --%s has no row", dialect, f.Name)
			}
		})
		for name := range rows {
			if !slices.Contains(names, name) {
				t.Errorf("%s: there is no --%s", dialect, name)
			}
		}
	}
	if len(flags) != len(flagRights.Get()) || len(flags) != len(speakers(nil, hosting{})) {
		t.Errorf("%d dialects, %d with rows", len(flags), len(flagRights.Get()))
	}
}

// TestPermitted: which arguments act as the user.
func TestPermitted(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	for _, c := range []struct {
		dialect, args string
		user          bool
	}{
		{"native", "", false},
		{"flint", "", false},
		{"codex", "app-server", false},
		{"loaf", "rpc", false},
		{"agentair", "", false},
		{"acp", "", false},
		{"scaiflux", "serve", false},
		{"pisces", "--mode rpc", false},
		{"flint", "--workspace " + in, false},
		{"flint", "--workspace " + out, true},
		{"flint", "--sandbox workspaceWrite --approval-policy never", false},
		{"flint", "--sandbox external-sandbox", true},
		{"codex", "app-server -c model=x", false},
		{"codex", "app-server -c sandbox_workspace_write.writable_roots=[]", true},
		{"codex", "app-server -c model=x -c mcp_servers.e.command=sh", true},
		{"loaf", "rpc --sandbox read-only", false},
		{"loaf", "rpc --sandbox full-access", true},
		{"agentair", "--policy deny-all", false},
		{"agentair", "--policy auto-approve", true},
		{"agentair", "--policy auto-approve --sandbox workspace-write", false},
		{"agentair", "--policy auto-approve --sandbox full-access", true},
		{"acp", "--mode auto", false},
		{"acp", "--mode full-access", true},
		{"scaiflux", "serve --permission-mode workspace-write", false},
		{"scaiflux", "serve --permission-mode danger-full-access", true},
		{"scaiflux", "serve --resume latest", false},
		{"scaiflux", "serve --resume /x/y.json", true},
		{"pisces", "--mode rpc --sandbox full-access", true},
		{"pisces", "--mode rpc --session abc", false},
		{"pisces", "--mode rpc --session /x/y.jsonl", true},
		{"pisces", "--mode rpc --fork y.jsonl", true},
		{"pisces", "--mode rpc --session-dir " + in, true},
		{"pisces", "--mode rpc --system-prompt words", false},
		{"pisces", "--mode rpc --system-prompt " + out, true},
		{"pisces", "--mode rpc --append-system-prompt " + out, true},
		{"pisces", "--mode rpc --system-prompt " + in, false},
	} {
		for role, isUser := range map[string]bool{"driver": false, "owner": true} {
			access, info := engine.Access{}, &token.Info{Role: role}
			if !isUser {
				access.Within, info.Workspace = in, in
			}
			from := callerOf(host.Conn{Token: info})
			s, err := commandLines()[c.dialect](from, strings.Fields(c.args))
			if err != nil {
				t.Fatalf("%s %s: %v", c.dialect, c.args, err)
			}
			err = s.permitted(rights.New(role, engine.NewHost(engine.Config{}).For(access), nil), from)
			if (err != nil) != (c.user && !isUser) {
				t.Errorf("%s %s as %s: %v", c.dialect, c.args, role, err)
			}
		}
	}
}

// TestFlagsOfHost: a client without a relay is refused what a host has of its own.
func TestFlagsOfHost(t *testing.T) {
	from := caller{getenv: func(string) string { return "" }}
	for dialect, args := range map[string]string{
		"native": "", "flint": "", "codex": "app-server", "loaf": "rpc", "agentair": "", "acp": "", "scaiflux": "serve", "pisces": "--mode rpc",
	} {
		for given, want := range map[string]error{"": nil, "--backend acp:a": errHostBackend, "--backend=": errHostBackend, "--store nats://a/b": errHostStore} {
			s, err := commandLines()[dialect](from, strings.Fields(args+" "+given))
			if err != nil {
				t.Fatalf("%s %s: %v", dialect, given, err)
			}
			if err := s.checkHosted(); !errors.Is(err, want) {
				t.Errorf("%s %s: %v", dialect, given, err)
			}
		}
	}
}

// TestFolderOfClient: a client works in the folder of its token if it names none, and not in one outside.
func TestFolderOfClient(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	for named, want := range map[string]string{"": in, in: in, out: ""} {
		conn := host.Conn{Preamble: host.Preamble{Cwd: named}, Token: &token.Info{Role: "driver", Scope: token.Scope{Workspace: in}}}
		from := callerOf(conn)
		s, err := parseNative(from, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = s.permitted(rights.New("driver", engine.NewHost(engine.Config{}).For(engine.Access{Within: in}), nil), from)
		if (err == nil) != (want != "") || want != "" && from.dir != want {
			t.Errorf("%q: in %q, %v", named, from.dir, err)
		}
		if outside := "the folder " + out + " is outside of the folder of the token (" + in + "): start the command there"; err != nil && !strings.HasPrefix(err.Error(), outside) {
			t.Errorf("%q: %v", named, err)
		}
	}
}

// TestPathFlags: each flag of each dialect whose description names a file or a folder is refused for a client that is limited to another
// folder: by its row, or since a host does not serve it. Flags that are not known, as those of pi for its other modes, name nothing that
// is read.
func TestPathFlags(t *testing.T) {
	h := newTestHost(t, nil)
	in, out := t.TempDir(), t.TempDir()
	file := filepath.Join(out, "file.jsonl")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	limited := &token.Info{ID: "t", Role: "driver", Name: "t"}
	limited.Workspace = in
	served := speakers(h.app, h.shared)
	serve := func(dialect string, args ...string) error {
		prefix := map[string][]string{"codex": {codexServes}, "scaiflux": {"serve"}, "loaf": {"rpc"}, "pisces": {"--mode", "rpc"}}[dialect]
		_, err := served[dialect](t.Context(), host.Conn{
			Preamble: host.Preamble{Parley: 1, Dialect: dialect, Args: append(prefix, args...), Cwd: in},
			Token:    limited,
		})
		return err
	}
	paths := regexp.MustCompile(`(?i)\b(file|folder|path)\b`)
	for dialect, set := range dialectFlags(t) {
		if err := serve(dialect); err != nil {
			t.Errorf("%s without a flag: %v", dialect, err)
		}
		set.VisitAll(func(f *pflag.Flag) {
			if !paths.MatchString(f.Usage) || f.Value.Type() == "bool" || f.Name == "host" { // of the relay
				return
			}
			if err := serve(dialect, "--"+f.Name, file); err == nil {
				t.Errorf("%s: --%s is served with %s", dialect, f.Name, file)
			}
		})
	}
	for _, name := range []string{"skill", "prompt-template", "theme"} {
		if err := serve("pisces", "--"+name, file); err != nil {
			t.Errorf("pisces --%s: %v", name, err)
		}
	}
}
