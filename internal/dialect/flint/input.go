package flint

import (
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/wire"
)

// This file reads the members that have more than one form.

// policyAliases are words of other protocols of this family.
var policyAliases = map[string]ApprovalPolicy{
	"untrusted":  PolicyUnlessTrusted,
	"on-failure": PolicyOnRequest,
}

// DecodeWire accepts the policies and their aliases.
func (p *ApprovalPolicy) DecodeWire(value jsontext.Value, o wire.ObjectOptions) error {
	const wanted = `"never", "on-request", "unlessTrusted" or "always"`
	var word string
	if err := wire.DecodeValue(value, &word, o); err != nil {
		return &wire.FieldError{Expected: wanted}
	}
	switch policy := ApprovalPolicy(word); policy {
	case PolicyNever, PolicyOnRequest, PolicyUnlessTrusted, PolicyAlways:
		*p = policy
		return nil
	}
	policy, known := policyAliases[word]
	if !known {
		return &wire.FieldError{Expected: wanted}
	}
	*p = policy
	return nil
}

// DecodeWire accepts what is absolute.
func (p *AbsolutePath) DecodeWire(value jsontext.Value, o wire.ObjectOptions) error {
	var path string
	if err := wire.DecodeValue(value, &path, o); err != nil {
		return err
	}
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return &wire.FieldError{Expected: "an absolute path"}
	}
	*p = AbsolutePath(path)
	return nil
}

// sandboxTypes are the types and how else they may be spelt as a bare string.
var sandboxTypes = map[string]string{
	SandboxFullAccess:     SandboxFullAccess,
	SandboxReadOnly:       SandboxReadOnly,
	SandboxWorkspaceWrite: SandboxWorkspaceWrite,
	SandboxExternal:       SandboxExternal,
	"danger-full-access":  SandboxFullAccess,
	"read-only":           SandboxReadOnly,
	"workspace-write":     SandboxWorkspaceWrite,
	"external-sandbox":    SandboxExternal,
}

// DecodeWire accepts an object, or its type as a bare string. What the type does not have
// is dropped, and the network it does have is filled in.
func (p *SandboxPolicy) DecodeWire(value jsontext.Value, o wire.ObjectOptions) error {
	const wanted = `"dangerFullAccess", "readOnly", "workspaceWrite" or "externalSandbox"`
	var members struct {
		Type          string         `json:"type"`
		WritableRoots []AbsolutePath `json:"writableRoots,omitzero"`
		NetworkAccess jsontext.Value `json:"networkAccess,omitzero"`
	}
	field := "type"
	var err error
	if value.Kind() == jsontext.KindString {
		field = ""
		err = wire.DecodeValue(value, &members.Type, o)
	} else {
		err = wire.DecodeValue(value, &members, o)
	}
	if err != nil {
		return err
	}
	name, known := sandboxTypes[members.Type]
	if !known {
		return &wire.FieldError{Field: field, Expected: wanted}
	}
	*p = SandboxPolicy{Type: name}
	switch name {
	case SandboxWorkspaceWrite:
		p.WritableRoots = members.WritableRoots
		return decodeNetwork(members.NetworkAccess, false, &p.NetworkAccess, o)
	case SandboxExternal:
		return decodeNetwork(members.NetworkAccess, NetworkRestricted, &p.NetworkAccess, o)
	}
	return nil
}

// decodeNetwork stores a value of the same type as what absent stands for.
func decodeNetwork[T bool | string](value jsontext.Value, absent T, dst *any, o wire.ObjectOptions) error {
	access := absent
	if value != nil {
		if err := wire.DecodeValue(value, &access, o); err != nil {
			return appserver.Below("networkAccess", err)
		}
	}
	if word := any(access); word != true && word != false && word != NetworkRestricted && word != NetworkEnabled {
		return &wire.FieldError{Field: "networkAccess", Expected: `"restricted" or "enabled"`}
	}
	*dst = access
	return nil
}

// network reports whether commands, and tools that fetch, may reach the network.
func (p SandboxPolicy) network() bool {
	return p.Type == SandboxFullAccess || p.NetworkAccess == true || p.NetworkAccess == NetworkEnabled
}

// DecodeWire reads each input as what its type says.
func (in *UserInputs) DecodeWire(value jsontext.Value, o wire.ObjectOptions) error {
	var inputs []userInput
	if err := wire.DecodeValue(value, &inputs, o); err != nil {
		return err
	}
	*in = make(UserInputs, len(inputs))
	for i, input := range inputs {
		(*in)[i] = input.UserInput
	}
	return nil
}

// A userInput is one of UserInputs while it is read.
type userInput struct{ UserInput }

func (in *userInput) DecodeWire(value jsontext.Value, o wire.ObjectOptions) error {
	obj, err := wire.OpenObject(value, o)
	if err != nil {
		return &wire.FieldError{Expected: "an object"}
	}
	var kind struct {
		Type string `json:"type" enum:"text,image,localImage"`
	}
	if err := obj.Decode(&kind); err != nil {
		return err
	}
	switch kind.Type {
	case "text":
		in.UserInput, err = inputOf[TextInput](obj)
	case "image":
		in.UserInput, err = inputOf(obj, checkImage)
	default:
		in.UserInput, err = inputOf(obj, checkLocalImage)
	}
	return err
}

// inputOf reads an object as a T.
func inputOf[T any](obj wire.Object, checks ...func(T) error) (T, error) {
	var t T
	err := obj.Decode(&t)
	for _, check := range checks {
		if err == nil {
			err = check(t)
		}
	}
	return t, err
}

func checkImage(in ImageInput) error {
	if appserver.IsImageURL(in.URL) {
		return nil
	}
	return &wire.FieldError{Field: "url", Expected: "an https URL, or a data URL with an image in base64"}
}

func checkLocalImage(in LocalImageInput) error {
	if !filepath.IsAbs(in.Path) {
		return invalidParams("cannot read image " + abridged(in.Path))
	}
	return nil
}

// check demands something to act on.
func (in UserInputs) check() error {
	if len(in) == 0 {
		return problem("input", "must not be empty")
	}
	for _, input := range in {
		if text, ok := input.(TextInput); !ok || strings.TrimSpace(text.Text) != "" {
			return nil
		}
	}
	return problem("input", "must hold a text that is not blank, or an image")
}
