package tui

import (
	"os"
	"path/filepath"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/terminal/terminaltest"
)

// pictureScript is the conversation of the pictures.
const pictureScript = `think The test fails at the sum. I look at the file first.
text I look at the file, and run the tests.
call read {"path":"cart.go"}
next
call plan {"items":[{"text":"Find the mistake","status":"completed"},{"text":"Fix Total","status":"in_progress"},{"text":"Run the tests","status":"pending"}]}
next
call edit {"path":"cart.go","old":"sum -= p","new":"sum += p"}
next
call shell {"command":"./test.sh"}
next
text "The test passes now: ` + "`Total`" + ` subtracted each price.\n\n` + "```go\\nfor _, p := range prices {\\n\\tsum += p // it was -=\\n}\\n```" + `\n\n- **cart.go** has one line changed\n- nothing else used it"
`

// TestPictures makes the pictures of docs/tui with -pictures, else those of the artifacts.
func TestPictures(t *testing.T) {
	for _, size := range []struct {
		name          string
		columns, rows uint16
		theme         string
		palette       terminaltest.Palette
	}{
		{"conversation", 100, 32, "dark", terminaltest.Dark},
		{"light", 80, 24, "light", terminaltest.Light},
		{"contrast", 80, 24, "contrast", terminaltest.Dark},
		{"narrow", 40, 12, "dark", terminaltest.Dark},
		{"wide", 120, 40, "dark", terminaltest.Dark},
	} {
		t.Run(size.name, func(t *testing.T) {
			folder := t.TempDir()
			if *pictures { // their paths are read
				folder = filepath.Join(os.TempDir(), "demo")
				if err := os.Mkdir(folder, 0o700); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { os.RemoveAll(folder) })
			}
			p := stage.NewPlaceIn(t, folder)
			p.Work = filepath.Join(p.Root, "shop")
			if err := os.Mkdir(p.Work, 0o700); err != nil {
				t.Fatal(err)
			}
			script := filepath.Join(p.Work, "test.sh")
			if err := os.WriteFile(script, []byte("#!/bin/sh\nprintf '\\033[32mok\\033[0m  shop  0.2s\\n'\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			p.Plays(t, pictureScript)
			p.Write(t, "cart.go", "package shop\n\nfunc Total(prices []int) (sum int) {\n\tfor _, p := range prices {\n\t\tsum -= p\n\t}\n\treturn sum\n}\n")
			config := filepath.Join(p.Home, "config.jsonc")
			if err := os.WriteFile(config, []byte(`{"tui":{"theme":"`+size.theme+`"}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			p.Env = append(p.Env, "PARLEY_CONFIG="+config)
			c := startSized(t, p, size.columns, size.rows, "--mode", "workspace-write")
			c.send("the test of Total fails: fix it")
			c.Wait("y Allow once")
			c.save(size.name+"-approval", size.palette)
			c.answer("y", "nothing else used it")
			c.status("idle")
			c.save(size.name, size.palette)
			c.Press("?")
			c.Wait("ctrl\\+")
			c.picture(size.name+"-keys", size.palette)
			c.Press("esc")
			c.WaitGone("Keys and commands")
			c.Press("/")
			c.Wait("/help")
			c.picture(size.name+"-commands", size.palette)
		})
	}
}

// documented are the pictures that docs/tui.md shows.
var documented = map[string]bool{"conversation": true, "conversation-approval": true, "light": true, "narrow": true}

// save writes a picture to the artifacts, and to docs/tui if that shows it.
func (c *console) save(name string, palette terminaltest.Palette) {
	c.t.Helper()
	c.picture(name, palette)
	if !*pictures || !documented[name] {
		return
	}
	path := filepath.Join("..", "..", "docs", "tui", name+".png")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	c.WritePNG(path, palette)
	if info, err := os.Stat(path); err != nil || info.Size() > 150_000 {
		c.t.Errorf("%s: %v, %v", path, info.Size(), err)
	}
}
