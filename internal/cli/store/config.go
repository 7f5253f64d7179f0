package store

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/stream"
)

// serverFlags is the command line of store config.
type serverFlags struct {
	name, dir, tlsCert, tlsKey, tlsCA string
	routes                            []string
	shards                            int
}

func storeConfig() *cobra.Command {
	var f serverFlags
	cmd := &cobra.Command{
		Use: "config", Short: "Print a configuration of nats-server for the store", Args: cli.ExactArgs(),
		Long: `Print a configuration of nats-server with TLS, files that are synced before each answer, and three users:

  host       runs sessions and tasks, and may do everything in the namespace
  submitter  submits, cancels and retries batches, and reads their results; no session
  viewer     reads sessions, batches, hosts and the state of the store

A client is the user whose name is the subject of its certificate (--store-cert, --store-key). Submitters and
viewers have an account of their own, which imports what they may use. --shards must be that of store init.`,
		Example: `  parley store config --store tls://nats.example:4222/team --shards 4 --dir /var/lib/nats > nats.conf
  nats-server -c nats.conf
  parley store init --store tls://nats.example:4222/team --shards 4 \
    --store-ca ca.pem --store-cert parley-host.pem --store-key parley-host-key.pem`,
		PreRunE: func(*cobra.Command, []string) error {
			if f.shards < 1 || f.shards > 64 {
				return fmt.Errorf("--shards %d is not 1 to 64", f.shards)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, a, err := target(cmd)
			if errors.Is(err, errFiles) {
				a, err = stream.ParseAddress("nats://0.0.0.0:4222")
			}
			if err != nil {
				return cli.Failed(err)
			}
			return cli.Failed(writeConfig(cmd.OutOrStdout(), a, f))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "n1", "name of the server")
	flags.StringVar(&f.dir, "dir", "/var/lib/nats", "folder of the streams")
	flags.StringVar(&f.tlsCert, "tls-cert", "/etc/nats/server.pem", "file of the server's certificate")
	flags.StringVar(&f.tlsKey, "tls-key", "/etc/nats/server-key.pem", "file of its key")
	flags.StringVar(&f.tlsCA, "tls-ca", "/etc/nats/ca.pem", "file of the certificates that sign those of clients and servers")
	flags.StringArrayVar(&f.routes, "route", nil, "HOST:PORT of another server of the cluster (repeatable; none: one server)")
	flags.IntVar(&f.shards, "shards", 1, "shards of the namespace")
	return cmd
}

// writeConfig writes the configuration of a server.
func writeConfig(w io.Writer, a stream.Address, f serverFlags) error {
	listen := "0.0.0.0:4222"
	if u, err := url.Parse(a.Servers[0]); err == nil && u.Port() != "" {
		listen = "0.0.0.0:" + u.Port()
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# nats-server 2.12 or newer, for the namespace %s of Parley.
server_name: %q
listen: %q
max_payload: 2MB

tls {
  cert_file: %q
  key_file: %q
  ca_file: %q
  verify_and_map: true  # a client is the user whose name is the subject of its certificate
}

jetstream {
  store_dir: %q
  sync_interval: always  # otherwise a power failure loses what was acknowledged
}
`, a.Namespace, f.name, listen, f.tlsCert, f.tlsKey, f.tlsCA, f.dir)
	if len(f.routes) > 0 {
		fmt.Fprintf(&b, "\ncluster {\n  name: parley\n  listen: \"0.0.0.0:6222\"\n  tls {\n    cert_file: %q\n    key_file: %q\n    ca_file: %q\n  }\n  routes: [\n", f.tlsCert, f.tlsKey, f.tlsCA)
		for _, route := range f.routes {
			fmt.Fprintf(&b, "    %q\n", "tls://"+strings.TrimPrefix(route, "tls://"))
		}
		b.WriteString("  ]\n}\n")
	}
	writeAccounts(&b, stream.Roles(a.Namespace, f.shards))
	_, err := io.WriteString(w, b.String())
	return err
}

// writeAccounts writes the account of the streams, which has the hosts, and that of the other users. These reach the
// first by the subjects of their roles only: a user can make a server send an answer to any subject of the own account.
func writeAccounts(b *strings.Builder, roles []stream.Role) {
	host, others := roles[0], roles[1:]
	var services, feeds []string
	for _, r := range others {
		for _, subject := range r.Publish {
			if !slices.Contains(services, subject) {
				services = append(services, subject)
			}
		}
		for _, subject := range r.Subscribe {
			if !strings.HasPrefix(subject, "_INBOX.") && !slices.Contains(feeds, subject) {
				feeds = append(feeds, subject)
			}
		}
	}
	lines := func(format string, subjects []string) {
		for _, subject := range subjects {
			fmt.Fprintf(b, "      "+format+"\n", subject)
		}
	}
	b.WriteString("\naccounts {\n  PARLEY {\n    jetstream: enabled\n    users: [\n")
	writeUser(b, host)
	b.WriteString("    ]\n    exports: [\n")
	lines("{ service: %q, accounts: [PARLEY_USERS] }", services)
	lines("{ stream: %q, accounts: [PARLEY_USERS] }", feeds)
	b.WriteString("    ]\n  }\n  PARLEY_USERS {\n    users: [\n")
	for _, r := range others {
		writeUser(b, r)
	}
	b.WriteString("    ]\n    imports: [\n")
	lines("{ service: { account: PARLEY, subject: %q } }", services)
	lines("{ stream: { account: PARLEY, subject: %q } }", feeds)
	b.WriteString("    ]\n  }\n}\n")
}

// writeUser writes the user of a role. More users of a role are copies of it.
func writeUser(b *strings.Builder, r stream.Role) {
	fmt.Fprintf(b, "      # %s\n      { user: \"CN=parley-%s\", permissions: {\n          publish: [%s]\n          subscribe: [%s]\n      } }\n",
		r.About, r.Name, quoted(r.Publish), quoted(r.Subscribe))
}

func quoted(list []string) string {
	var all []string
	for _, s := range list {
		all = append(all, fmt.Sprintf("%q", s))
	}
	return strings.Join(all, ", ")
}
