package mcp

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The environment of the test binary as a tool server.
const (
	serverManner = "PARLEY_TEST_MANNER"
	serverLife   = "PARLEY_TEST_LIFE"   // a named pipe that it holds as long as it lives
	serverStarts = "PARLEY_TEST_STARTS" // a file that gets a line at each start
)

// play returns the whole of a tool server: "sdk" is a sound one, others are broken in some way.
func play(manner string) int {
	if path := os.Getenv(serverLife); path != "" {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return 90
		}
		defer f.Close()
	}
	first := false
	if path := os.Getenv(serverStarts); path != "" {
		_, err := os.Stat(path)
		first = err != nil
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return 91
		}
		fmt.Fprintln(f, os.Getpid())
		f.Close()
	}
	switch manner {
	case "sdk", "chatty", "objects before":
		if manner == "objects before" {
			fmt.Print(objects)
		}
		if manner == "chatty" {
			fmt.Println("[info] hello\n\n{\"level\":\"info\"}\nready")
		}
		if err := newServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil && !errors.Is(err, io.EOF) {
			return 92
		}
		return 0
	case "asking":
		_ = newAskingServer().Run(context.Background(), &sdk.StdioTransport{})
		return 0
	case "stubborn": // it ends at nothing but SIGKILL
		signal.Ignore(syscall.SIGTERM)
		_ = newServer().Run(context.Background(), &sdk.StdioTransport{})
		stay()
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot start: no", os.Getenv("TOOL_TOKEN"), "here")
		return 7
	case "exit, then silent":
		if first {
			return 7
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	case "silent":
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	case "deaf": // it never reads
		stay()
	case "flood": // stderr
		line := strings.Repeat("x", 1000) + "\n"
		for range 5000 {
			fmt.Fprint(os.Stderr, line)
		}
		_ = newServer().Run(context.Background(), &sdk.StdioTransport{})
		return 0
	}
	return raw(manner)
}

// objects are what console.log and JSON.stringify print of values.
const objects = "{ port: 1, debug: true }\n{\n  \"port\": 1,\n  \"jsonrpc\": \"2.0\"\n}\n[\n  {\n    a: 1\n  }\n]\n{\"level\":\n"

// stay waits until a signal ends the process.
func stay() {
	nothing, writer, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	defer writer.Close() // never written to
	_, _ = nothing.Read(make([]byte, 1))
}

// raw returns a server that speaks line by line, up to where its manner says otherwise.
func raw(manner string) int {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		line := lines.Text()
		id := field(line, `"id":`)
		switch {
		case strings.Contains(line, `"method":"initialize"`):
			switch manner {
			case "long line":
				chunk := strings.Repeat("a", 1<<20)
				for range maxLine>>20 + 1 {
					fmt.Print(chunk)
				}
			case "half a line":
				fmt.Print(`{"jsonrpc":"2.0","id":`)
			case "hang up":
				os.Stdout.Close()
			case "broken":
				fmt.Println(`{"jsonrpc":"2.0","id":[],"result":{}}`)
			case "modern":
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n", id)
			default:
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}}`+"\n", id)
			}
		case strings.Contains(line, `"method":"server/discover"`):
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}`+"\n", id)
		case strings.Contains(line, `"method":"tools/list"`):
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}},{"name":"t","inputSchema":{"type":"object"}},{"name":"research","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}],"nextCursor":%s}}`+"\n", id, cursorOf(manner))
		case strings.Contains(line, `"method":"tools/call"`):
			answer := `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"answer"}]}}`
			switch manner {
			case "twice":
				fmt.Println(answer + "\n" + answer)
			case "wrong id":
				fmt.Println(strings.Replace(answer, `"id":`+id, `"id":4711`, 1))
			case "garbage":
				fmt.Println("Traceback (most recent call last):\n\x00\xff")
				fmt.Println(answer)
			case "broken call":
				fmt.Println(`{"jsonrpc":"2.0","id":` + id + `,"result":`)
			case "kill":
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			case "deafen":
				stay()
			case "objects":
				fmt.Print(objects)
				fmt.Println(answer)
			case "batch":
				fmt.Println("[" + answer + "]")
			case "no result":
				fmt.Println(`{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"hologram"},{"type":"text","text":"rest"}]}}`)
			default:
				fmt.Println(answer)
			}
		}
	}
	return 0
}

// cursorOf returns the next page that a server names: "endless" never stops.
func cursorOf(manner string) string {
	if manner == "endless" {
		return `"again"`
	}
	return `""`
}

func field(line, name string) string {
	_, rest, _ := strings.Cut(line, name)
	return rest[:max(0, strings.IndexAny(rest+",", ",}"))]
}

type echoInput struct {
	Text string `json:"text"`
}

type addInput struct {
	A, B int
}

type sum struct {
	Sum int `json:"sum"`
}

// pixel is a PNG of one point.
var pixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xa7\x9a\xa0\xa0\x00\x00\x00\x00IEND\xaeB`\x82")

// newServer returns a sound server with a tool for each thing that can happen.
func newServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test server", Version: "1.2.3"}, &sdk.ServerOptions{
		PageSize: 2, Instructions: "Call echo first.\nThe token is " + cmp.Or(os.Getenv("TOOL_TOKEN"), "none") + ".",
	})
	texts := func(text ...string) *sdk.CallToolResult {
		r := &sdk.CallToolResult{}
		for _, t := range text {
			r.Content = append(r.Content, &sdk.TextContent{Text: t})
		}
		return r
	}
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "Says it back", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *sdk.CallToolRequest, in echoInput) (*sdk.CallToolResult, any, error) {
			return texts(in.Text), nil, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "add"}, func(_ context.Context, _ *sdk.CallToolRequest, in addInput) (*sdk.CallToolResult, sum, error) {
		return nil, sum{in.A + in.B}, nil
	})
	plainTool := func(name string, run func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, run)
	}
	plainTool("structured", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{StructuredContent: map[string]any{"b": 1, "a": "x"}}, nil
	})
	plainTool("image", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "look"},
			&sdk.ImageContent{Data: pixel, MIMEType: "image/png"},
			&sdk.ImageContent{Data: []byte("<svg/>"), MIMEType: "image/svg+xml"},
			&sdk.AudioContent{Data: []byte("beep"), MIMEType: "audio/wav"},
			&sdk.ResourceLink{URI: "file:///a", Name: "a", MIMEType: "text/plain"},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///b", Text: "within"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///c", MIMEType: "application/zip", Blob: []byte("PK")}},
		}}, nil
	})
	plainTool("fail", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		r := texts("it is broken", "for good")
		r.IsError = true
		return r, nil
	})
	plainTool("refuse", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return nil, &jsonrpc.Error{Code: -32042, Message: "no such thing as " + os.Getenv("TOOL_TOKEN"), Data: []byte(`{"url":"https://x/y"}`)}
	})
	plainTool("large", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return texts(strings.Repeat("ä", 5<<20)), nil
	})
	plainTool("beat", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for i := range 15 {
			<-tick.C
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i)})
		}
		return texts("done"), nil
	})
	cancelled := make(chan struct{}, 100)
	plainTool("hang", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if token := r.Params.GetProgressToken(); token != nil {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: 1, Total: 2, Message: "half\nway"})
		}
		<-ctx.Done()
		cancelled <- struct{}{}
		return nil, ctx.Err()
	})
	plainTool("cancelled", func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		select {
		case <-cancelled:
			return texts("one call was cancelled"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	plainTool("crash", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "fatal: out of", os.Getenv("TOOL_TOKEN"))
		os.Exit(3)
		return nil, nil
	})
	plainTool("env", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		dir, err := os.Getwd()
		return texts(os.Getenv("TOOL_TOKEN"), os.Getenv("BASE"), dir), err
	})
	plainTool("roots", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		roots, err := r.Session.ListRoots(ctx, nil) //nolint:staticcheck // most servers speak the version that has it
		if err != nil {
			return nil, err
		}
		var uris []string
		for _, root := range roots.Roots {
			uris = append(uris, root.URI)
		}
		return texts(uris...), nil
	})
	plainTool("sample", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{}) //nolint:staticcheck // most servers speak the version that has it
		return texts(fmt.Sprint(err != nil)), nil
	})
	plainTool("grow", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		plainTool("grown", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return texts("new"), nil })
		return texts("ok"), nil
	})
	s.AddTool(&sdk.Tool{Name: "odd schema", Description: "Odd.", InputSchema: map[string]any{
		"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string", "pattern": "^(?!x)"}},
	}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return texts("odd"), nil })
	return s
}
