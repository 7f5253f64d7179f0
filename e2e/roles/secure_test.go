package roles

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/natstest"
)

// secret is what no output must have.
const secret = "geheim"

// file writes a file of the user and returns its path.
func (s *site) file(name, text string, mode os.FileMode) string {
	s.Helper()
	path := filepath.Join(s.Home, name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		s.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask is
		s.Fatal(err)
	}
	return path
}

func (s *site) read(path string) string {
	s.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		s.Fatal(err)
	}
	return string(data)
}

// TestTLS connects with certificates that are right or wrong.
func TestTLS(t *testing.T) {
	t.Parallel()
	s, other := newSite(t), newAuthority(t)
	s.Env = append(s.Env, "PARLEY_LOG=debug")
	right, expired, stranger := s.users[stream.RoleHost], s.ca.issue("expired", -time.Minute), other.issue("parley-host", time.Hour)
	unnamed := s.ca.issue("unknown", time.Hour)
	garbage := s.file("garbage.pem", secret, 0o600)
	plain := natstest.Start(t).URL
	elsewhere := strings.Replace(plain, "127.0.0.1", "0.0.0.0", 1) // this machine, and no address that a name shows to be
	late := s.ca.issue("late", -time.Minute)
	lateServer := natstest.StartFile(t, func(port int) string {
		return fmt.Sprintf("listen: \"127.0.0.1:%d\"\ntls { cert_file: %q, key_file: %q }\n", port, late.cert, late.key)
	}).URL
	// In the arguments CA, CERT and KEY are right; the last of a flag counts.
	all := "--store STORE --store-ca CA --store-cert CERT --store-key KEY"
	replace := strings.NewReplacer("STORE", s.store, "CERT", right.cert, "KEY", right.key, "CA", s.ca.file)
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{all, 0, ""},
		{all + " --store " + strings.Replace(s.store, "tls:", "nats:", 1), 0, ""}, // the server wants TLS
		{all + " --store-ca " + other.file, 1, "unknown authority"},
		{all + " --store-ca " + other.file, 1, "; --store-ca names the file of the certificates that sign those of the servers"},
		{all + " --store-ca none.pem", 1, "none.pem: no such file"},
		{all + " --store-ca " + garbage, 1, "root certificate from"},
		{all + " --store-cert none.pem", 1, "none.pem: no such file"},
		{all + " --store-cert " + garbage, 1, "failed to find any PEM data in certificate input"},
		{all + " --store-cert " + unnamed.cert, 1, "private key does not match"},
		{all + " --store-key none.pem", 1, "none.pem: no such file"},
		{all + " --store-key " + garbage, 1, "failed to find any PEM data in key input"},
		{all + " --store-key " + s.file("open.pem", s.read(right.key), 0o644), 1, "other users can read or write"},
		{all + " --store-key " + s.file("group.pem", s.read(right.key), 0o640), 1, "run `chmod 600` on it"},
		{all + " --store-cert " + expired.cert + " --store-key " + expired.key, 1, "the servers may not accept the certificate in " + expired.cert},
		{all + " --store-cert " + stranger.cert + " --store-key " + stranger.key, 1, "the servers may not accept the certificate in " + stranger.cert},
		{all + " --store-cert " + unnamed.cert + " --store-key " + unnamed.key, 1, "the servers do not accept the user of " + unnamed.cert},
		{all + " --store " + strings.Replace(s.store, "127.0.0.1", "127.0.0.2", 1), 1, "127.0.0.2"}, // the certificate is for another address
		{"--store STORE --store-ca CA", 1, "the servers may require a certificate: --store-cert and --store-key name one"},
		{"--store STORE --store-ca CA --store-cert CERT", 2, "need each other"},
		{"--store STORE", 1, "--store-ca names the file"},
		{"--store " + lateServer + " --store-ca CA", 1, "certificate has expired"},
		{"--store " + plain + " --store-ca CA", 1, "the server offers no TLS"},
		{"--store " + strings.Replace(plain, "nats:", "tls:", 1), 1, "the server offers no TLS"},
		{"--store " + elsewhere, 1, "the server offers no TLS, which is required unless the server is on this machine; --store-insecure permits it"},
		{"--store " + elsewhere + " --store-insecure", 1, "parley store init"}, // it is connected
		{"--store " + strings.Replace(plain, "//", "//ann:"+secret+"@", 1), 2, "must not contain a user or a password"},
	} {
		stdout, stderr, code := s.run(append([]string{"sessions", "list"}, strings.Fields(replace.Replace(test.args))...)...)
		if code != test.code || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: code %d, want %d and %q\n%s", test.args, code, test.code, test.want, stderr)
		}
		if strings.Contains(stdout+stderr, secret) {
			t.Errorf("%s: the output repeats a secret\n%s%s", test.args, stdout, stderr)
		}
	}
}

// TestUserComesBack: servers that are started again do not know a user for some time, as while its permissions are edited.
// A connection of that user goes on when they do.
func TestUserComesBack(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	address, err := stream.ParseAddress(s.store)
	if err != nil {
		t.Fatal(err)
	}
	user := s.users[stream.RoleHost]
	c, err := stream.Dial(address, stream.ConnectOptions{CAFile: s.ca.file, CertFile: user.cert, KeyFile: user.key})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	refused := make(chan struct{})
	s.connect(stream.RoleHost, nats.MaxReconnects(-1), nats.ReconnectWait(time.Second), nats.ClosedHandler(func(*nats.Conn) { close(refused) }))
	restart := func(old, new string) {
		s.nats.Kill()
		s.nats.Reconfigure(t, func(text string) string { return strings.Replace(text, old, new, 1) })
		s.nats.Restart(t)
	}
	restart(`"CN=parley-host"`, `"CN=parley-other"`)
	select {
	case <-refused: // twice, with long pauses: so was the other connection
	case <-time.After(stage.Patience):
		t.Fatal("the user is not refused")
	}
	restart(`"CN=parley-other"`, `"CN=parley-host"`)
	ctx, cancel := context.WithTimeout(t.Context(), stage.Patience)
	defer cancel()
	for {
		_, err := c.Format(ctx, namespace)
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("the connection does not go on: %v", err)
		}
	}
}

// TestCredentials signs in with JWTs of an operator: the permissions of the roles are in them.
func TestCredentials(t *testing.T) {
	t.Parallel()
	s := &site{T: t, Place: stage.NewHostPlace(t)}
	s.Env = append(s.Env, "PARLEY_LOG=debug")
	folder := t.TempDir()
	var users []natstest.User
	for _, r := range stream.Roles(namespace, 1) {
		users = append(users, natstest.User{Name: r.Name, Publish: r.Publish, Subscribe: r.Subscribe})
	}
	everything := []string{">"}
	users = append(users, natstest.User{Name: "expired", Publish: everything, Subscribe: everything, Expired: true})
	accounts := natstest.Accounts(t, folder, users...)
	s.store = natstest.StartFile(t, func(port int) string {
		return fmt.Sprintf("listen: \"127.0.0.1:%d\"\njetstream { store_dir: %q }\n%s", port, t.TempDir(), accounts)
	}).URL + "/" + namespace
	creds := func(name string) string { return filepath.Join(folder, name+".creds") }
	host := s.read(creds(stream.RoleHost))
	seed := host[strings.Index(host, "\nSU")+1:]
	seed, _, _ = strings.Cut(seed, "\n")
	if len(seed) < 50 {
		t.Fatalf("the seed is %q", seed)
	}
	foreign := t.TempDir()
	natstest.Accounts(t, foreign, natstest.User{Name: "stranger", Publish: everything, Subscribe: everything})
	torn := s.file("torn.creds", strings.Replace(host, seed, seed[:20], 1), 0o600)
	for _, test := range []struct {
		command, creds string
		code           int
		want           string
	}{
		{"store init", creds("host"), 0, ""},
		{"run hi", creds("host"), 0, ""},
		{"sessions list", creds("host"), 0, ""},
		{"sessions show latest", creds("viewer"), 0, ""},
		{"store check", creds("viewer"), 0, ""},
		{"run hi", creds("viewer"), 1, asHost},
		{"batch list", creds("submitter"), 0, ""},
		{"sessions list", creds("submitter"), 1, asViewer},
		{"sessions list", creds("expired"), 1, "the servers do not accept the user of " + creds("expired") + ", which has expired at 20"},
		{"sessions list", filepath.Join(foreign, "stranger.creds"), 1, "the servers do not accept the user of "},
		{"sessions list", "", 1, "the servers do not accept the user of a connection without --store-creds"},
		{"sessions list", "none.creds", 1, "none.creds: no such file"},
		{"sessions list", s.file("open.creds", host, 0o644), 1, "other users can read or write"},
		{"sessions list", s.file("garbage.creds", secret, 0o600), 1, "no nkey seed found"},
		{"sessions list", torn, 1, torn},
		{"sessions list", folder, 1, folder},
	} {
		args := append(strings.Fields(test.command), "--store", s.store)
		if test.creds != "" {
			args = append(args, "--store-creds", test.creds)
		}
		stdout, stderr, code := s.run(args...)
		if code != test.code || !strings.Contains(stderr, test.want) {
			t.Errorf("%s with %s: code %d, want %d and %q\n%s", test.command, test.creds, code, test.code, test.want, stderr)
		}
		if out := stdout + stderr; strings.Contains(out, seed[:16]) || strings.Contains(out, secret) {
			t.Errorf("%s with %s: the output repeats a secret\n%s", test.command, test.creds, out)
		}
	}
}
