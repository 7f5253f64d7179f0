package hosts

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/stream/natstest"
)

// metrics returns the metrics of a host that has --listen, by name and labels.
func (h *host) metrics() map[string]float64 {
	h.fleet.t.Helper()
	code, text := h.get("/metrics")
	if code != http.StatusOK {
		h.fleet.t.Fatalf("the metrics of %s: %d %s", h.name, code, text)
	}
	found := map[string]float64{}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			found[name] = n
		}
	}
	return found
}

// get requests a page of a host with its token.
func (h *host) get(path string) (code int, text string) {
	h.fleet.t.Helper()
	token, err := os.ReadFile(h.ready.TokenFile)
	if err != nil {
		h.fleet.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(h.fleet.t.Context(), http.MethodGet, h.ready.URLs[0]+path, http.NoBody)
	if err != nil {
		h.fleet.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		h.fleet.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		h.fleet.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// awaitMetric requests metrics until one has a value.
func (h *host) awaitMetric(name string, holds func(value float64) bool) {
	h.fleet.t.Helper()
	var value float64
	var there bool
	for end := time.Now().Add(stage.Patience); time.Now().Before(end); {
		if value, there = h.metrics()[name]; there && holds(value) {
			return
		}
	}
	h.fleet.t.Fatalf("%s of %s is %v (present: %v)", name, h.name, value, there)
}

func zero(v float64) bool     { return v == 0 }
func one(v float64) bool      { return v == 1 }
func positive(v float64) bool { return v > 0 }

// appends returns the name of the number of appends of an outcome.
func appends(outcome string) string {
	return `parley_store_append_seconds_count{outcome="` + outcome + `"}`
}

// claims returns the name of the number of claims for a reason.
func claims(reason string) string { return `parley_lease_claims_total{reason="` + reason + `"}` }

// TestMetrics: the metrics of a store are there at two hosts, and follow what happens: sessions that move and are relayed, answers
// that are lost, a store that is away, a host that is paused, and one that is killed.
func TestMetrics(t *testing.T) {
	t.Parallel()
	f := newFleet(t, strings.Repeat("text Done.\nnext\n", 20)+"text Done.\n")
	server := strings.TrimSuffix(f.url, "/fleet")
	link := natstest.NewLink(t, server)
	onLink := []string{"--listen", "127.0.0.1:0", "--store", link.URL() + "/fleet"}
	a, b := f.start("a", "--listen", "127.0.0.1:0"), f.start("b", onLink...)
	for _, h := range []*host{a, b} {
		all := h.metrics()
		for _, name := range []string{
			appends("ack"), appends("retry"), appends("resolved"), appends("lost"), "parley_store_frames_total", "parley_store_connected", "parley_store_bytes",
			claims("gone"), "parley_lease_lost_total", "parley_host_renew_seconds_count", "parley_tunnels", "parley_index_lag", "parley_clock_skew_seconds",
		} {
			if _, there := all[name]; !there {
				t.Errorf("%s has no %s", h.name, name)
			}
		}
	}
	before := a.metrics()["parley_store_bytes"]
	client := b.client("client")
	client.create("s", f.place.Work, "danger-full-access")
	client.follow("s", 1)
	client.prompt("s", "p-1", "Go.")
	client.until("turn_ended", 1)
	b.awaitMetric(appends("ack"), positive)
	b.awaitMetric("parley_store_frames_total", positive)
	b.awaitMetric("parley_host_renew_seconds_count", positive)
	b.awaitMetric("parley_store_connected", one)
	a.awaitMetric("parley_store_bytes", func(now float64) bool { return now > before })
	a.awaitMetric("parley_index_lag", positive)
	other := a.client("other")
	other.must("sessions/list", map[string]any{}, nil)
	a.awaitMetric("parley_index_lag", zero)

	other.open("s") // b has a client that has it open
	a.awaitMetric("parley_tunnels", one)
	b.awaitMetric("parley_tunnels", one)
	other.must("session/close", map[string]any{"session": "s"}, nil)
	a.awaitMetric("parley_tunnels", zero)
	client.must("session/close", map[string]any{"session": "s"}, nil)
	other.open("s")
	a.awaitMetric(claims("released"), one)
	other.must("session/close", map[string]any{"session": "s"}, nil)

	second := b.client("second")
	loseAnswers(t, second, server, link)
	b.awaitMetric(appends("retry"), positive)
	b.awaitMetric(appends("resolved"), positive)

	link.Refuse()
	b.awaitMetric("parley_store_connected", zero)
	for code := 0; code != http.StatusServiceUnavailable; {
		code, _ = b.get("/readyz")
	}
	link.Resume()
	b.awaitMetric("parley_store_connected", one)
	for code := 0; code != http.StatusOK; {
		code, _ = b.get("/readyz")
	}

	b.process.Signal(syscall.SIGSTOP)
	for other.call("session/open", map[string]any{"session": "s"}).Error != nil { // b has a key for some time
	}
	a.awaitMetric(claims("gone"), one)
	b.process.Signal(syscall.SIGCONT)
	second.send("turn/prompt", promptParams("s", "p-late", "Go."))
	b.awaitMetric("parley_lease_lost_total", one)

	client = b.client("creator")
	client.create("s2", f.place.Work, "danger-full-access")
	client.must("session/save", map[string]any{"session": "s2"}, nil)
	b.process.Kill()
	b = f.start("b", onLink...)
	b.client("again").open("s2")
	b.awaitMetric(claims("restarted"), one)
}

// loseAnswers prompts a session of the host at the other end of a link, and cuts that twice: before a record has reached the server,
// and before its acknowledgement has come back.
func loseAnswers(t *testing.T, client *client, server string, link *natstest.Link) {
	t.Helper()
	client.open("s")
	client.follow("s", 1)
	client.prompt("s", "p-owner", "Go.") // from now on the host runs the session
	client.until("turn_ended", 2)
	seen := link.StallAt(natstest.Up, "Parley-Kind: append")
	id := client.send("turn/prompt", promptParams("s", "p-retry", "Go."))
	<-seen
	link.Break()
	link.Resume()
	client.answer(id)
	client.until("turn_ended", 3)

	stored := make(chan struct{}, 100)
	conn := natstest.Connect(t, server).Conn()
	sub, err := conn.Subscribe("fleet.j.>", func(*nats.Msg) { stored <- struct{}{} })
	if err == nil {
		err = conn.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	link.Stall(natstest.Down)
	id = client.send("turn/prompt", promptParams("s", "p-resolved", "Go."))
	<-stored
	if err := sub.Unsubscribe(); err != nil {
		t.Fatal(err)
	}
	link.Break()
	link.Resume()
	client.answer(id)
	client.until("turn_ended", 4)
}
