package codex

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestReadTurnsOfOtherProcess: thread/read and thread/turns/list of a loaded thread have the turns that another process has made
// since.
func TestReadTurnsOfOtherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("text first\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + dir, "PARLEY_HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "PARLEY_OFFLINE_SCRIPT=" + script, "PARLEY_MODEL=offline/script"}
	a, b := dialProcess(t, env), dialProcess(t, env)
	thread := a.call("thread/start", fmt.Sprintf(`{"cwd":%q}`, dir))["thread"].(map[string]any)["id"].(string)
	turn := func(c *lineClient) {
		c.call("turn/start", fmt.Sprintf(`{"threadId":%q,"input":[{"type":"text","text":"go","text_elements":[]}]}`, thread))
		c.until(func(m map[string]any) bool { return m["method"] == "turn/completed" })
	}
	turn(a)
	b.call("thread/resume", fmt.Sprintf(`{"threadId":%q}`, thread))
	turn(b)
	read := a.call("thread/read", fmt.Sprintf(`{"threadId":%q,"includeTurns":true}`, thread))
	if n := len(read["thread"].(map[string]any)["turns"].([]any)); n != 2 {
		t.Errorf("thread/read has %d turns, want 2", n)
	}
	if n := len(a.call("thread/turns/list", fmt.Sprintf(`{"threadId":%q}`, thread))["data"].([]any)); n != 2 {
		t.Errorf("thread/turns/list has %d turns, want 2", n)
	}
}

// A lineClient is a client of a process.
type lineClient struct {
	t     *testing.T
	in    io.Writer
	lines *bufio.Scanner
	last  int
}

// dialProcess starts a process, which ends with the test, and initializes its connection.
func dialProcess(t *testing.T, env []string) *lineClient {
	t.Helper()
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		serveInProcess(context.Background(), nil, in, out, io.Discard, env)
		_ = out.Close()
	}()
	t.Cleanup(func() {
		_ = stdin.Close()
		_, _ = io.Copy(io.Discard, stdout)
		<-done
	})
	c := &lineClient{t: t, in: stdin, lines: bufio.NewScanner(stdout)}
	c.lines.Buffer(nil, 16<<20)
	c.call("initialize", `{"clientInfo":{"name":"test","version":"1"},"capabilities":{"experimentalApi":true}}`)
	_, _ = io.WriteString(stdin, `{"method":"initialized"}`+"\n")
	return c
}

// until returns the first message that fits.
func (c *lineClient) until(fits func(map[string]any) bool) map[string]any {
	c.t.Helper()
	for c.lines.Scan() {
		var m map[string]any
		if err := json.Unmarshal(c.lines.Bytes(), &m); err != nil {
			c.t.Fatal(err)
		}
		if fits(m) {
			return m
		}
	}
	c.t.Fatal("the output has ended")
	return nil
}

// call returns the result of a request.
func (c *lineClient) call(method, params string) map[string]any {
	c.t.Helper()
	c.last++
	if _, err := fmt.Fprintf(c.in, "{\"id\":%d,\"method\":%q,\"params\":%s}\n", c.last, method, strings.TrimSpace(params)); err != nil {
		c.t.Fatal(err)
	}
	answer := c.until(func(m map[string]any) bool { return m["method"] == nil && m["id"] == float64(c.last) })
	result, ok := answer["result"].(map[string]any)
	if !ok {
		c.t.Fatalf("%s: %v", method, answer)
	}
	return result
}
