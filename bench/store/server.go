package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"parley.dev/parley/internal/stream"
)

const (
	// programEnv is the environment variable with the path of a server to use instead of building one.
	programEnv    = "PARLEY_NATS_SERVER"
	serverPackage = "github.com/nats-io/nats-server/v2"
	// module is the folder of the module that requires the server, below that of the project, in which a run starts.
	module = "e2e/cluster"
	// readyLimit is how long servers may take to be ready, readyPoll how often they are tried.
	readyLimit = 30 * time.Second
	readyPoll  = 50 * time.Millisecond
)

// ErrNoServer is the error of a machine on which there is no server, and none can be built.
var ErrNoServer = errors.New("there is no NATS server")

// Servers are NATS servers, which write each message to the disk before they acknowledge it.
type Servers struct {
	URL      string // of all, with commas between them
	Replicas int

	processes []*exec.Cmd
	ended     []chan struct{}
	spaces    int // that were made
}

// Start builds the server and starts one, or a cluster of n, whose data is below dir. ErrNoServer.
func Start(ctx context.Context, dir string, n int) (_ *Servers, err error) {
	program, err := build(ctx, dir)
	if err != nil {
		return nil, err
	}
	clients, err := ports(2 * n)
	if err != nil {
		return nil, err
	}
	s := &Servers{Replicas: n}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	var routes, urls []string
	for _, port := range clients[n:] {
		routes = append(routes, fmt.Sprintf("%q", "nats://"+local(port)))
	}
	for i, port := range clients[:n] {
		urls = append(urls, local(port))
		text := fmt.Sprintf("listen: %q\nserver_name: n%d\njetstream { store_dir: %q, max_file_store: 16G, sync_interval: always }\n",
			local(port), i, filepath.Join(dir, fmt.Sprint("nats", i)))
		if n > 1 {
			text += fmt.Sprintf("cluster { name: bench, listen: %q, routes: [%s] }\n", local(clients[n+i]), strings.Join(routes, ", "))
		}
		if err := s.launch(program, filepath.Join(dir, fmt.Sprintf("nats%d.conf", i)), text); err != nil {
			return nil, err
		}
	}
	s.URL = "nats://" + strings.Join(urls, ",")
	return s, s.await(ctx)
}

func (s *Servers) launch(program, path, text string) error {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return err
	}
	cmd := exec.Command(program, "-c", path, "-l", path+".log")
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the NATS server: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it is killed
	}()
	s.processes, s.ended = append(s.processes, cmd), append(s.ended, ended)
	return nil
}

// await waits until a stream can be made.
func (s *Servers) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	for {
		_, err := s.Namespace(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-time.After(readyPoll):
		case <-ctx.Done():
			return fmt.Errorf("the NATS servers are not ready: %w", err)
		}
	}
}

// Namespace makes a namespace and returns its address.
func (s *Servers) Namespace(ctx context.Context) (stream.Address, error) {
	s.spaces++
	a, err := stream.ParseAddress(fmt.Sprintf("%s/bench%d", s.URL, s.spaces))
	if err == nil {
		err = stream.Init(ctx, a, stream.InitOptions{Replicas: s.Replicas})
	}
	return a, err
}

// Location returns a namespace as commands take it.
func (s *Servers) Location(a stream.Address) string { return s.URL + "/" + a.Namespace }

// connect connects without Parley's own client.
func (s *Servers) connect() (jetstream.JetStream, func(), error) {
	conn, err := nats.Connect("nats://" + strings.ReplaceAll(strings.TrimPrefix(s.URL, "nats://"), ",", ",nats://"))
	if err != nil {
		return nil, nil, err
	}
	js, err := jetstream.New(conn)
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	return js, conn.Close, nil
}

// Close kills the servers.
func (s *Servers) Close() {
	for i, cmd := range s.processes {
		_ = cmd.Process.Kill() // or it has ended
		<-s.ended[i]
	}
}

// build returns the path of the server's program.
func build(ctx context.Context, dir string) (string, error) {
	if path := os.Getenv(programEnv); path != "" {
		return path, nil
	}
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("%w: the folder of the module is not known: %w", ErrNoServer, err)
	}
	path := filepath.Join(dir, "nats-server")
	folder := filepath.Join(strings.TrimSpace(string(root)), filepath.FromSlash(module))
	out, err := exec.CommandContext(ctx, "go", "-C", folder, "run", "-ldflags", "-s -w", "-exec", "cp", serverPackage, path).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s cannot be built (%w); %s can name one: %.300s", ErrNoServer, serverPackage, err, programEnv, out)
	}
	return path, nil
}

func local(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// ports returns free ports.
func ports(n int) (all []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() //nolint:errcheck // together, or one port would be returned twice
		all = append(all, l.Addr().(*net.TCPAddr).Port)
	}
	return all, nil
}
