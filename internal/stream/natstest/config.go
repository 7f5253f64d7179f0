package natstest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A Config describes servers to start. Servers is required.
type Config struct {
	Servers int // more than one: a cluster
	// Data returns the folder for the streams of a server; nil: temporary folders of the test.
	Data func(server int) string
	// Route returns the address at which one server reaches another one, whose own address is given, such as that
	// of a Link between them; nil: the servers connect directly. Two servers that connect to each other at once
	// may never agree which connection to close: one of the two addresses should be ClosedAddress.
	Route func(from, to int, address string) string
	// SyncAlways makes the servers write each message to the disk before they acknowledge it.
	SyncAlways bool
}

// Start starts the servers. They have elected a leader when it returns.
func (c Config) Start(t testing.TB) []*Server {
	t.Helper()
	path := program(t)
	clients, routes := ports(t, c.Servers), ports(t, c.Servers)
	var all []*Server
	for i := range c.Servers {
		s := &Server{URL: "nats://" + local(clients[i]), Name: fmt.Sprint("n", i), program: path}
		dir := t.TempDir()
		if s.Data = filepath.Join(dir, "data"); c.Data != nil {
			s.Data = c.Data(i)
		}
		s.config = filepath.Join(dir, "server.conf")
		if err := os.WriteFile(s.config, []byte(c.text(s, i, clients[i], routes)), 0o600); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
		s.launch(t)
		t.Cleanup(s.stop)
	}
	for _, s := range all {
		s.log.await(t, s, "Server is ready")
	}
	if len(all) > 1 {
		awaitLeader(t, all)
	}
	return all
}

// text returns the configuration file of a server. Servers do not send the addresses of others to clients and
// servers: a connection past a link could not be cut.
func (c Config) text(s *Server, i, port int, routes []int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "listen: %q\nserver_name: %s\n", local(port), s.Name)
	sync := ""
	if c.SyncAlways {
		sync = ", sync_interval: always"
	}
	fmt.Fprintf(&b, "jetstream { store_dir: %q, max_memory_store: 256M, max_file_store: 4G%s }\n", s.Data, sync)
	if len(routes) == 1 {
		return b.String()
	}
	fmt.Fprintf(&b, "cluster {\n  name: test, listen: %q, no_advertise: true\n", local(routes[i]))
	if c.Route != nil {
		fmt.Fprintf(&b, "  advertise: %q, pool_size: -1\n", ClosedAddress)
	}
	b.WriteString("  routes: [")
	for to, route := range routes {
		address := local(route)
		if c.Route != nil && to != i {
			address = c.Route(i, to, address)
		}
		fmt.Fprintf(&b, " \"nats://%s\",", address)
	}
	b.WriteString(" ]\n}\n")
	return b.String()
}

// ClosedAddress is an address at which nothing listens.
const ClosedAddress = "127.0.0.1:1"

func local(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// awaitLeader waits until one of the servers is the leader of the cluster's JetStream.
func awaitLeader(t testing.TB, all []*Server) {
	t.Helper()
	all[0].log.await(t, all[0], "JetStream cluster new metadata leader", "Self is new JetStream cluster metadata leader")
}

// ports returns free ports. They are none of those that the system gives to connections: until the server listens, which it does after a
// restart again, any process could be given one of them.
func ports(t testing.TB, n int) []int {
	t.Helper()
	const first, last = 10_000, 32_000
	var all []int
	for tries := 0; len(all) < n; tries++ {
		l, err := net.Listen("tcp", fmt.Sprintf(":%d", first+rand.IntN(last-first)))
		if err != nil && tries < 1000 {
			continue // it is in use
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }() // together, or one port could be given twice
		all = append(all, l.Addr().(*net.TCPAddr).Port)
	}
	return all
}
