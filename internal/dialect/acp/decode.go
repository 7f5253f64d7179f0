package acp

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	shorten "parley.dev/parley/internal/text"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// frames is how this protocol does JSON-RPC, in and out.
var frames = jsonrpc.Options{Version: true, NullID: true, NullErrorID: true, Object: wire.ObjectOptions{Open: true, NullIsAbsent: true}}

// lineLimit is the length of an inbound line, in bytes.
const lineLimit = 64 << 20

// version returns the version of the protocol that a client asks for.
func (p *InitializeParams) version() int {
	n, _ := strconv.ParseUint(string(p.ProtocolVersion), 10, 16)
	return int(n)
}

func checkInitialize(p *InitializeParams) error {
	if _, err := strconv.ParseUint(string(p.ProtocolVersion), 10, 16); err != nil {
		return &wire.FieldError{Field: "protocolVersion", Expected: "an integer from 0 to 65535"}
	}
	return nil
}

func checkCancelRequest(p *CancelRequestParams) error {
	p.RequestID = bytes.Clone(p.RequestID)
	return nil
}

func checkNewSession(p *NewSessionParams) error {
	return checkPlace(p.Cwd, p.AdditionalDirectories, p.MCPServers)
}

func checkLoadSession(p *LoadSessionParams) error {
	return checkPlace(p.Cwd, p.AdditionalDirectories, p.MCPServers)
}

func checkResumeSession(p *ResumeSessionParams) error {
	return checkPlace(p.Cwd, p.AdditionalDirectories, p.MCPServers)
}

func checkForkSession(p *ForkSessionParams) error {
	return checkPlace(p.Cwd, p.AdditionalDirectories, p.MCPServers)
}

func checkSetTitle(p *SetTitleParams) error {
	if p.Title = shorten.Clip(oneLine(p.Title), titleLimit, "…"); p.Title == "" {
		return problem("title", "must have more than white space")
	}
	return nil
}

// checkPlace checks what a session works with.
func checkPlace(cwd string, more []string, servers []MCPServer) error {
	if err := checkAbsolute("cwd", cwd); err != nil {
		return err
	}
	for i, dir := range more {
		if err := checkAbsolute(fmt.Sprintf("additionalDirectories[%d]", i), dir); err != nil {
			return err
		}
	}
	names := map[string]bool{}
	for i, s := range servers {
		member := fmt.Sprintf("mcpServers[%d]", i)
		if err := s.check(); err != nil {
			return &wire.FieldError{Field: wire.FieldPath(member, err.Field), Problem: err.Problem, Missing: err.Missing, Expected: err.Expected}
		}
		if names[s.Name] {
			return problem(member+".name", "is the name of two servers")
		}
		names[s.Name] = true
	}
	return nil
}

func checkListSessions(p *ListSessionsParams) error {
	if p.Cwd == "" {
		return nil
	}
	return checkAbsolute("cwd", p.Cwd)
}

func checkAbsolute(member, path string) error {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return &wire.FieldError{Field: member, Expected: "an absolute path"}
	}
	return nil
}

func checkSetConfigOption(p *SetConfigOptionParams) error {
	p.Value = bytes.Clone(p.Value)
	return nil
}

func checkPrompt(p *PromptParams) error { return checkBlocks(p.Prompt) }

func checkSteer(p *SteerParams) error { return checkBlocks(p.Prompt) }

// checkBlocks checks that a prompt has something for the model.
func checkBlocks(blocks []ContentBlock) error {
	blank := true
	for i, b := range blocks {
		if err := b.check(fmt.Sprintf("prompt[%d]", i)); err != nil {
			return err
		}
		blank = blank && b.Type == "text" && strings.TrimSpace(*b.Text) == ""
	}
	switch {
	case len(blocks) == 0:
		return problem("prompt", "must not be empty")
	case blank:
		return problem("prompt", "must have more than white space")
	}
	return nil
}

// check checks the members that the type of a block needs.
func (b ContentBlock) check(member string) error {
	missing := func(name string) error { return problem(member+"."+name, "is required") }
	switch b.Type {
	case "text":
		if b.Text == nil {
			return missing("text")
		}
	case "audio":
		return problem(member+".type", "is audio, which is not supported")
	case "image":
		switch {
		case b.Data == nil:
			return missing("data")
		case b.MIMEType == nil:
			return missing("mimeType")
		case !slices.Contains(imageTypes, *b.MIMEType):
			return &wire.FieldError{Field: member + ".mimeType", Expected: "one of " + strings.Join(imageTypes, ", ")}
		}
		return checkBase64(member+".data", *b.Data)
	case "resource_link":
		if b.URI == nil {
			return missing("uri")
		}
		if b.Name == nil {
			return missing("name")
		}
	case "resource":
		switch {
		case b.Resource == nil:
			return missing("resource")
		case b.Resource.Blob != nil:
			return checkBase64(member+".resource.blob", *b.Resource.Blob)
		case b.Resource.Text == nil:
			return missing("resource.text")
		}
	}
	return nil
}

// imageTypes are the types of images that models take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

func checkBase64(member, data string) error {
	if _, err := base64.StdEncoding.DecodeString(data); err != nil || data == "" {
		return &wire.FieldError{Field: member, Expected: "base64"}
	}
	return nil
}

// decodeResult reads the result of a request to the client. It reports false if it does not have the form of T.
func decodeResult[T any](result jsontext.Value) (value T, ok bool) {
	obj, err := wire.OpenObject(result, frames.Object)
	if err != nil {
		return value, false
	}
	return value, obj.Decode(&value) == nil
}

// problem returns the error about a member, worded to follow its name.
func problem(member, what string) error { return &wire.FieldError{Field: member, Problem: what} }

// abridged returns a text of the client's as an error may repeat it.
func abridged(text string) string { return dialect.Abridged(text, 200) }
