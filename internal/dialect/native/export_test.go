package native

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// A caller sends requests one after another.
type caller struct {
	t      *testing.T
	client *dialecttest.Client
	last   int
}

// dial connects to a process of its own, in that role, and initializes the connection.
func dial(t *testing.T, p *dialecttest.Place, role Role) *caller {
	t.Helper()
	serve := func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
		return serveInProcess(ctx, append(args, "--role", string(role)), stdin, stdout, stderr, env)
	}
	c := &caller{t: t, client: p.Dial(t, serve, "rpc")}
	c.must("initialize", map[string]any{"protocol": 1, "client": map[string]any{"name": "t"}}, nil)
	return c
}

type reply struct {
	ID     int            `json:"id"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    int       `json:"code"`
		Message string    `json:"message"`
		Data    ErrorData `json:"data"`
	} `json:"error"`
}

// call sends a request and returns the answer; notifications before it are skipped.
func (c *caller) call(method string, params any) reply {
	c.t.Helper()
	c.last++
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.last, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	c.client.Send(string(text) + "\n")
	for {
		line, ok := c.client.Next()
		if !ok {
			c.t.Fatalf("no answer to %s", method)
		}
		var r reply
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			c.t.Fatalf("%v in %.200s", err, line)
		}
		if r.ID == c.last {
			return r
		}
	}
}

func (c *caller) must(method string, params, result any) {
	c.t.Helper()
	r := c.call(method, params)
	if r.Error != nil {
		c.t.Fatalf("%s: %+v", method, *r.Error)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(r.Result, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *caller) over() {
	c.t.Helper()
	c.client.HangUp()
	if code := c.client.Over(); code != 0 {
		c.t.Errorf("exit code %d", code)
	}
}

// awaitTurn prompts and waits for the end of the turn.
func (c *caller) awaitTurn(session, id, text string) {
	c.t.Helper()
	c.must("session/follow", map[string]any{"session": session, "from": 1}, nil)
	c.must("turn/prompt", map[string]any{"session": session, "id": id, "blocks": []any{map[string]any{"kind": "text", "text": text}}}, nil)
	for {
		line, ok := c.client.Next()
		if !ok {
			c.t.Fatal("the turn does not end")
		}
		if strings.Contains(line, `"kind":"turn_ended"`) {
			break
		}
	}
	c.must("session/unfollow", map[string]any{"session": session}, nil)
}

// blob reads a blob piece by piece.
func (c *caller) blob(session, address string) string {
	c.t.Helper()
	var text strings.Builder
	for {
		var piece SessionBlobResult
		c.must("session/blob", map[string]any{"session": session, "address": address, "offset": text.Len(), "limit": 300_000}, &piece)
		text.Write(piece.Data)
		if len(piece.Data) == 0 {
			return text.String()
		}
		if piece.Size < text.Len() {
			c.t.Fatalf("%d bytes of %d", text.Len(), piece.Size)
		}
	}
}

// TestLargeExport: a viewer reads an export of more than a piece by its address, and leaves nothing in the session.
// The last ones are there, on this connection only, and no file is left.
func TestLargeExport(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p := dialecttest.NewPlace(t, t.TempDir(), "text Seen.\n")
	owner := dial(t, p, Owner)
	owner.must("session/create", map[string]any{"workspace": p.Work, "id": "s-1"}, nil)
	text := strings.Repeat("Is this long?\n", 120_000)
	owner.awaitTurn("s-1", "p-1", text)
	owner.over()

	folder := filepath.Join(p.Home, ".parley", "sessions", "s-1")
	before := tree(t, folder)
	viewer := dial(t, p, Viewer)
	var first SessionExportResult
	for n := range maxExports + 1 {
		var result SessionExportResult
		viewer.must("session/export", map[string]any{"session": "s-1", "format": []string{"md", "json"}[min(n, 1)]}, &result)
		if result.Data != nil || result.Blob == "" || result.Size < int64(len(text)) {
			t.Fatalf("an export of %d bytes: %+v", result.Size, result)
		}
		if n == 0 {
			first = result
		}
	}
	if got := viewer.blob("s-1", first.Blob); int64(len(got)) != first.Size || !strings.Contains(got, strings.TrimSpace(text)) {
		t.Errorf("read %d bytes of %d", len(got), first.Size)
	}
	if after := tree(t, folder); after != before {
		t.Errorf("the viewer has changed the session:\n%s\nbefore:\n%s", after, before)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v %v", left, err)
	}
	another := dial(t, p, Viewer)
	if r := another.call("session/blob", map[string]any{"session": "s-1", "address": first.Blob}); r.Error == nil || r.Error.Data.Kind != "no_blob" {
		t.Errorf("another connection: %+v", r)
	}
	another.over()
	viewer.over()
}

// TestExportsAreBounded: with more exports than there may be, the oldest is not there any more.
func TestExportsAreBounded(t *testing.T) {
	var x exports
	defer x.close()
	for n := range maxExports + 2 {
		e, err := exportTo(func(w io.Writer) error {
			_, err := fmt.Fprint(w, "export ", n)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		x.add(e)
	}
	if len(x) != maxExports {
		t.Errorf("%d exports", len(x))
	}
	piece, err := x[0].piece(7, 10)
	if err != nil || string(piece.Data) != "2" || piece.Size != 8 {
		t.Errorf("the oldest is %q of %d, %v", piece.Data, piece.Size, err)
	}
	if piece, err := x[0].piece(100, 10); err != nil || len(piece.Data) != 0 {
		t.Errorf("after the end: %q, %v", piece.Data, err)
	}
}

// TestBlobLimits: data of the largest size is taken, one byte more is not; a viewer stores nothing.
func TestBlobLimits(t *testing.T) {
	decode := func(size int) *jsonrpc.Error {
		_, err := (&SessionPutBlobParams{Data: base64.StdEncoding.EncodeToString(make([]byte, size))}).decoded()
		if err == nil {
			return nil
		}
		return wireError(err)
	}
	if err := decode(ImageLimit + 1); err == nil || err.Code != CodeTooLarge || string(err.Data) != `{"kind":"too_large","member":"data"}` {
		t.Errorf("too large: %+v", err)
	}
	if err := decode(ImageLimit); err != nil {
		t.Errorf("the largest: %+v", *err)
	}
	p := dialecttest.NewPlace(t, t.TempDir(), "text Seen.\n")
	owner := dial(t, p, Owner)
	owner.must("session/create", map[string]any{"workspace": p.Work, "id": "s-1"}, nil)
	owner.must("session/save", map[string]any{"session": "s-1"}, nil)
	owner.over()
	viewer := dial(t, p, Viewer)
	if r := viewer.call("session/put_blob", map[string]any{"session": "s-1", "data": "AA=="}); r.Error == nil || r.Error.Code != CodeForbidden {
		t.Errorf("a viewer: %+v", r.Error)
	}
	viewer.over()
}

// tree lists the files below a folder with their sizes.
func tree(t *testing.T, folder string) string {
	t.Helper()
	var list strings.Builder
	err := filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() && info.Name() != "lock" {
			fmt.Fprintln(&list, path, info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list.String()
}
