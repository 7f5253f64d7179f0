package native

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"parley.dev/parley/internal/engine"
)

// TestIdleClientGoroutines: a client that follows a session in which nothing happens has a goroutine that reads, one that
// writes, one that waits for the end, and one that waits for records. Nothing else waits: not for the client to hang up.
func TestIdleClientGoroutines(t *testing.T) {
	parts := openParts(t)
	workspace := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		in, input := io.Pipe()
		output, out := io.Pipe()
		served := make(chan int)
		// Goroutines have the labels of the one that starts them.
		pprof.Do(context.Background(), pprof.Labels("client", t.Name()), func(ctx context.Context) {
			go func() {
				served <- Serve(ctx, &Config{
					Host: engine.NewHost(parts), Role: Owner, In: in, Out: out, Log: slog.New(slog.DiscardHandler), Cwd: workspace,
					Profile: func(name string) (engine.Options, bool) { return Options(nil), name == DefaultProfile },
				})
			}()
		})
		lines := bufio.NewReader(output)
		for id, request := range []string{
			`"initialize","params":{"protocol":1,"client":{"name":"t"}}`, `"session/create","params":{"id":"s","workspace":` + strconv.Quote(workspace) + `}`,
			`"session/follow","params":{"session":"s","from":1,"transient":["text_delta"]}`,
		} {
			fmt.Fprintf(input, `{"jsonrpc":"2.0","id":%d,"method":%s}`+"\n", id, request)
			for answer := fmt.Sprintf(`"id":%d,"result":`, id); ; {
				line, err := lines.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(line, answer) {
					break
				}
				if strings.Contains(line, `"error":`) {
					t.Fatal(line)
				}
			}
		}
		go func() { _, _ = io.Copy(io.Discard, lines) }() // until out is closed
		synctest.Wait()
		if n, stacks := labelled(t, t.Name()); n != 4 {
			t.Errorf("%d goroutines:\n%s", n, stacks)
		}
		_ = input.Close()
		if code := <-served; code != 0 {
			t.Errorf("exit code %d", code)
		}
		_ = out.Close()
	})
}

// labelled returns how many goroutines have the label client with that value, and their stacks.
func labelled(t *testing.T, value string) (n int, stacks string) {
	t.Helper()
	var all strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&all, 1); err != nil {
		t.Fatal(err)
	}
	count := regexp.MustCompile(`(?m)^(\d+) @ `)
	for stack := range strings.SplitSeq(all.String(), "\n\n") {
		found := count.FindStringSubmatch(stack)
		if found == nil || !strings.Contains(stack, strconv.Quote(value)) {
			continue
		}
		one, err := strconv.Atoi(found[1])
		if err != nil {
			t.Fatal(err)
		}
		n += one
		stacks += stack + "\n\n"
	}
	return n, stacks
}
