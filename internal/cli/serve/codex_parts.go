package serve

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/codex"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/mcp"
)

// codexParts returns what clients of the protocol see of the program around sessions.
func codexParts(a *app.App) codex.Parts {
	return codex.Parts{
		Keys: openaiKey{a}, Skills: &a.Skills, Places: a.SkillPlaces, Servers: a.Servers, Pool: serverPool{a}, WebSearch: a.Searcher != nil, UserFile: config.Path(os.Getenv), States: a.Settings.StateFolders(),
	}
}

// openaiKey is the key of the provider openai, which accounts of the protocol are of.
type openaiKey struct{ a *app.App }

const openai = "openai"

func (k openaiKey) Stored() bool {
	_, err := k.a.Accounts.Key(openai)
	return err == nil
}

func (k openaiKey) Set(key string) error {
	if err := k.a.Accounts.SetKey(openai, key); err != nil {
		return err
	}
	stored, err := k.a.Accounts.Key(openai)
	if err == nil {
		k.a.Models.SetKey(openai, stored)
	}
	return err
}

func (k openaiKey) Delete() error {
	k.a.Models.SetKey(openai, "")
	return k.a.Accounts.DeleteKey(openai)
}

// serverPool starts the tool servers of the program for the protocol.
type serverPool struct{ a *app.App }

func (p serverPool) Tools(ctx context.Context, s engine.Server, dir string) (r codex.ServerReport, err error) {
	report, err := p.a.MCP.Test(ctx, s, dir)
	if signIn, ok := errors.AsType[*mcp.SignInError](err); ok {
		return r, fmt.Errorf("%w: %w", codex.ErrSignIn, signIn)
	}
	r.Name, r.Version = report.Name, report.Version
	for _, t := range report.Tools {
		_, name := t.Origin()
		r.Tools = append(r.Tools, engine.ToolInfo{Name: name, Description: t.Description(), Schema: t.Schema()})
	}
	return r, err
}

func (p serverPool) Call(ctx context.Context, s engine.Server, dir, tool string, input jsontext.Value) (codex.ServerReply, error) {
	result, err := p.a.MCP.Call(ctx, s, dir, tool, input)
	return codex.ServerReply{Content: result.Reply, Text: result.Text, IsError: result.IsError}, err
}
