package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
)

//go:embed permissions.md
var permissionsDescription string

const permissionsSchema = `{
	"type": "object",
	"properties": {
		"target_type": {"type": "string", "enum": ["path", "domain", "command"]},
		"target": {"type": "string", "minLength": 1, "description": "The path, host or command that the permission is for"},
		"level": {"type": "string", "enum": ["read", "write", "execute", "admin"], "description": "read or write a path, read a domain, execute a command"},
		"description": {"type": "string", "minLength": 1, "description": "What you will do with it, for the user"},
		"recursive": {"type": "boolean", "description": "Of a path: with all that lies below; default: false"},
		"reason": {"type": "string", "description": "Why it is needed"}
	},
	"required": ["target_type", "target", "level", "description"],
	"additionalProperties": false
}`

// Permissions returns the tool that requests a permission ahead of the calls that need it. It does
// nothing itself: what approves the call stores the grant.
func Permissions() Tool { return permissionsTool{} }

type permissionsTool struct{}

func (permissionsTool) Name() string           { return "permissions" }
func (permissionsTool) Description() string    { return permissionsDescription }
func (permissionsTool) Schema() jsontext.Value { return jsontext.Value(permissionsSchema) }

type permissionsInput struct {
	TargetType  string `json:"target_type"`
	Target      string `json:"target"`
	Level       string `json:"level"`
	Description string `json:"description"`
	Recursive   bool   `json:"recursive"`
	Reason      string `json:"reason"`
}

func (permissionsTool) Prepare(env *Env, input jsontext.Value) (Call, error) {
	var in permissionsInput
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	if in.Level == approval.Admin.String() {
		return nil, errors.New("what changes what may be approved cannot be granted")
	}
	r := approval.Request{Level: approval.Execute, Summary: strings.Join(strings.Fields(in.Description+" "+in.Reason), " ")}
	switch in.TargetType {
	case "path":
		if in.Level == approval.Execute.String() {
			return nil, errors.New("a path can be read or written; to run commands give a command")
		}
		write := in.Level == approval.Write.String()
		path, err := env.Workspace.Resolve(in.Target, write)
		if err != nil {
			return nil, err
		}
		path.Recursive = in.Recursive
		if r.Level = approval.Read; write {
			r.Level = approval.Write
		}
		r.Paths = []approval.Path{path}
	case "domain":
		if err := (approval.Target{Kind: approval.TargetDomain, Pattern: in.Target}).Validate(); err != nil {
			return nil, err
		}
		r.URL = "https://" + in.Target
	case "command":
		if err := (approval.Target{Kind: approval.TargetCommand, Pattern: in.Target}).Validate(); err != nil {
			return nil, err
		}
		r.Command, r.Dir = in.Target, env.Workspace.Dir()
	default:
		return nil, fmt.Errorf("target_type is path, domain or command, not %q", in.TargetType)
	}
	return permissionsCall{r}, nil
}

type permissionsCall struct{ request approval.Request }

func (c permissionsCall) Request() approval.Request { return c.request }

func (permissionsCall) Run(context.Context, Hooks) Result { return Result{Text: `{"granted":true}`} }

// Refused returns the result of a denial: to the model it is an answer, not a failure.
func (permissionsCall) Refused(reason string) Result {
	text, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(reason, "\uFFFD"))
	if err != nil {
		return Failed(reason)
	}
	return Result{Text: `{"granted":false,"message":` + string(text) + `}`}
}
