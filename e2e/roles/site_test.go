// Package roles tests the users of a shared store as users have them: the commands of the built program against real
// NATS servers, which have the configuration that parley store config prints, and other ways to sign in.
package roles

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/natstest"
	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { transcript.Main(m) }

const namespace = "team"

// A site is a server with the configuration of parley store config, and the users of it.
type site struct {
	*testing.T
	*stage.Place
	ca    *authority
	nats  *natstest.Server
	store string // the address
	users map[string]pair
}

// newSite starts a server and makes the namespace.
func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{T: t, Place: stage.NewHostPlace(t), ca: newAuthority(t), users: map[string]pair{}}
	server := s.ca.issue("server", time.Hour)
	for _, role := range []string{stream.RoleHost, stream.RoleSubmitter, stream.RoleViewer} {
		s.users[role] = s.ca.issue("parley-"+role, time.Hour)
	}
	s.nats = natstest.StartFile(t, func(port int) string {
		s.store = fmt.Sprintf("tls://127.0.0.1:%d/%s", port, namespace)
		stdout, stderr, code := s.run("store", "config", "--store", s.store, "--shards", "2", "--dir", t.TempDir(),
			"--tls-cert", server.cert, "--tls-key", server.key, "--tls-ca", s.ca.file)
		if code != 0 {
			t.Fatalf("store config: code %d\n%s", code, stderr)
		}
		return stdout
	})
	s.must(stream.RoleHost, "store", "init", "--shards", "2")
	return s
}

// run runs the program and returns its output and exit code.
func (s *site) run(args ...string) (stdout, stderr string, code int) {
	s.Helper()
	cmd := s.Command(s.T, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), errs.String(), exit.ExitCode()
	}
	if err != nil {
		s.Fatal(err)
	}
	return out.String(), errs.String(), 0
}

// as returns the site of the user of a role.
func (s *site) as(role string) *site {
	place, user := *s.Place, s.users[role]
	place.Env = append(place.Env[:len(place.Env):len(place.Env)],
		"PARLEY_STORE="+s.store, "PARLEY_STORE_CA="+s.ca.file, "PARLEY_STORE_CERT="+user.cert, "PARLEY_STORE_KEY="+user.key)
	other := *s
	other.Place = &place
	return &other
}

// must runs the program as the user of a role, which succeeds, and returns its output.
func (s *site) must(role string, args ...string) string {
	s.Helper()
	stdout, stderr, code := s.as(role).run(args...)
	if code != 0 {
		s.Fatalf("%s: parley %q: code %d\n%s%s", role, args, code, stdout, stderr)
	}
	return stdout
}

// connect connects as the user of a role without Parley's client. What the server refuses is sent to the channel.
func (s *site) connect(role string, options ...nats.Option) (*nats.Conn, <-chan error) {
	s.Helper()
	user, problems := s.users[role], make(chan error, 100)
	options = append([]nats.Option{
		nats.RootCAs(s.ca.file), nats.ClientCert(user.cert, user.key), nats.CustomInboxPrefix("_INBOX." + role),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { problems <- err }),
	}, options...)
	conn, err := nats.Connect(strings.TrimSuffix(s.store, "/"+namespace), options...)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(conn.Close)
	return conn, problems
}
