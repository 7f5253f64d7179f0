package e2e

import (
	"bufio"
	"context"
	"fmt"
	"image"
	"image/png"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/export/html/htmltest"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/transcript"
)

// TestPageInBrowser exports a session that is full of attacks and opens the page in a real
// browser: nothing runs, nothing is loaded. The pictures that it takes are for users: they
// stay in PARLEY_ARTIFACTS, where that is set.
func TestPageInBrowser(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	artifacts := os.Getenv("PARLEY_ARTIFACTS")
	if artifacts == "" {
		artifacts = t.TempDir()
	} else if err := os.MkdirAll(artifacts, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(artifacts, "session.html")
	records, title := htmltest.Nasty(), "An &lt;attack&gt; in a frame"
	records = append(records, event.Record{Seq: uint64(len(records) + 1), Event: event.SessionChanged{Settings: event.Settings{Name: "An <attack> in a frame"}}})
	exportPage(t, records, path)

	b.lure(t)
	dom := b.open(t, path, "--dump-dom")
	for _, harm := range htmltest.Harm([]byte(dom)) {
		t.Error(harm)
	}
	if strings.Contains(dom, "<title>"+htmltest.Marker+"</title>") {
		t.Error("a script of the session ran")
	} else if !strings.Contains(dom, "<h1 dir=\"auto\">"+title+"</h1>") || !strings.Contains(dom, "</footer>") {
		t.Errorf("the browser shows another page: %.300s", dom)
	}
	for name, size := range map[string]image.Point{"desktop": {X: 1280, Y: 900}, "phone": {X: 390, Y: 844}, "desktop-long": {X: 1280, Y: 3600}} {
		b.picture(t, path, filepath.Join(artifacts, "page-"+name+".png"), size)
	}
	for _, host := range b.asked() {
		t.Errorf("the page made the browser ask %s", host)
	}
}

// exportPage keeps a session in a journal and has the program write its page.
func exportPage(t *testing.T, records []event.Record, path string) {
	t.Helper()
	transcript.BuildConsole(t)
	p := newPlace(t)
	store, err := file.Open(p.State(), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	id := records[0].Event.(event.SessionCreated).ID
	log, err := store.Create(t.Context(), id, records[:1])
	if err != nil {
		t.Fatal(err)
	}
	address, err := log.PutBlob(htmltest.Picture())
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		if e, ok := rec.Event.(event.UserMessage); ok {
			for _, block := range e.Blocks {
				if block.Image != nil && block.Image.Blob != "" {
					block.Image.Blob = address
				}
			}
		}
	}
	if err := log.Append(1, records[1:]); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if out, err := p.Command(t, "sessions", "export", string(id), "--format", "html", "-o", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// A browser is a Chromium whose every request goes to a proxy of the test, which notes it.
type browser struct {
	program string
	proxy   string
	mu      sync.Mutex
	hosts   []string
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs a browser")
	}
	b := &browser{}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			b.program = path
			break
		}
	}
	if b.program == "" {
		t.Skip("there is no chromium, chromium-browser or google-chrome: the page is not looked at in a browser")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b.proxy = "http://" + listener.Addr().String()
	var serving sync.WaitGroup
	serving.Go(func() { b.serve(listener, &serving) })
	t.Cleanup(func() {
		listener.Close()
		serving.Wait()
	})
	return b
}

// makers is the hosts that a browser contacts by itself, whatever page it shows.
var makers = regexp.MustCompile(`\.(google|googleapis|gstatic|gvt1)\.com$`)

// serve refuses every request, and keeps the hosts of those that are not the browser's own.
func (b *browser) serve(listener net.Listener, serving *sync.WaitGroup) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		serving.Go(func() {
			defer conn.Close()
			request, err := http.ReadRequest(bufio.NewReader(conn))
			if err != nil {
				return
			}
			if host, _, _ := strings.Cut(request.Host, ":"); !makers.MatchString(host) {
				b.mu.Lock()
				b.hosts = append(b.hosts, host)
				b.mu.Unlock()
			}
			_, _ = conn.Write([]byte("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
		})
	}
}

// asked returns the hosts that were asked since the last time.
func (b *browser) asked() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	hosts := b.hosts
	b.hosts = nil
	return hosts
}

// open shows a file until it is loaded, and returns what the browser prints.
func (b *browser) open(t *testing.T, path string, flags ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stage.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.program, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--disable-features=OptimizationHints,MediaRouter,Translate", "--disable-domain-reliability", "--no-pings", "--disable-default-apps", "--disable-extensions",
		"--proxy-server=" + b.proxy, "--proxy-bypass-list=<-loopback>", "--user-data-dir=" + t.TempDir(),
	}, append(flags, "file://"+path)...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var notes strings.Builder
	cmd.Stderr = &notes
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the browser ended with %v: %s", err, notes.String())
	}
	return string(out)
}

// lure opens a page that does all that a session's may not, so that the test is known to see it.
func (b *browser) lure(t *testing.T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lure.html")
	page := "<!doctype html><title>a</title>" + htmltest.Hostile[0] + htmltest.Hostile[1]
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	if dom := b.open(t, path, "--dump-dom"); !strings.Contains(dom, "<title>"+htmltest.Marker+"</title>") {
		t.Fatalf("the browser runs no scripts, so that they do not run proves nothing: %s", dom)
	}
	if hosts := b.asked(); !strings.Contains(strings.Join(hosts, " "), htmltest.Remote) {
		t.Fatalf("the browser's requests are not seen, only %q", hosts)
	}
}

// picture keeps what the browser shows in a window of that size, and looks whether it is anything.
func (b *browser) picture(t *testing.T, path, to string, size image.Point) {
	t.Helper()
	b.open(t, path, fmt.Sprintf("--window-size=%d,%d", size.X, size.Y), "--screenshot="+to)
	in, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	img, err := png.Decode(in)
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds().Size() != size {
		t.Errorf("%s is of %v", to, img.Bounds().Size())
	}
	colours := map[[3]uint32]bool{}
	for y := 0; y < size.Y; y += 3 {
		for x := 0; x < size.X; x += 3 {
			r, g, b, _ := img.At(x, y).RGBA()
			colours[[3]uint32{r, g, b}] = true
		}
	}
	if len(colours) < 50 {
		t.Errorf("%s has %d colours: the page is empty", to, len(colours))
	}
}
