package scaiflux

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/configfile"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/regular"
)

// configName is the project's configuration file, in the workspace. Comments are allowed in it.
const configName = ".scaiflux.json"

// ProjectConfig is what this program reads of a project's configuration file. The
// permissions are advice: every decision is the controller's.
type ProjectConfig struct {
	Model         string         `json:"model,omitzero"`
	MaxTokens     *int           `json:"max_tokens,omitzero"`
	MaxIterations *int           `json:"max_iterations,omitzero"`
	Gadgets       []string       `json:"gadgets,omitzero"`
	Permissions   jsontext.Value `json:"permissions,omitzero"`

	// Unread members are kept when the file is written, and warned about unless the
	// original program knows them.
	Unread map[string]jsontext.Value `json:",embed"`
}

// knownElsewhere are members that the original knows and serve mode has no use for.
var knownElsewhere = map[string]bool{"permission_mode": true, "mcp_servers": true, "hooks": true}

// ReadProjectConfig reads the workspace's configuration file; without one it is empty.
func ReadProjectConfig(workspace string) (ProjectConfig, error) {
	var c ProjectConfig
	path := filepath.Join(workspace, configName)
	data, err := dialect.ReadProject(workspace, configName)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("read %s: %w", configName, err)
	}
	_, err = configfile.Decode(path, data, &c)
	return c, err
}

// denyRules returns the project's deny rules, also as they are written. What of the permissions cannot be read is left
// out, with an error for each: the controller decides about every call in any case, and the
// shape that the original program gives this member is not published.
func (c ProjectConfig) denyRules() (rules []approval.Rule, texts []string, unreadable []error) {
	if c.Permissions == nil {
		return nil, nil, nil
	}
	skip := func(what string) {
		unreadable = append(unreadable, fmt.Errorf("%s: %s", configName, what))
	}
	var members map[string]jsontext.Value
	if json.Unmarshal(c.Permissions, &members) != nil {
		skip("permissions is not an object")
		return nil, nil, unreadable
	}
	var list []jsontext.Value
	if deny := members["deny"]; deny != nil && json.Unmarshal(deny, &list) != nil {
		skip("permissions.deny is not a list")
	}
	for i, value := range list {
		var text string
		if json.Unmarshal(value, &text) != nil {
			skip(fmt.Sprintf("permissions.deny[%d] is not a rule", i))
			continue
		}
		rule, err := approval.ParseRule(approval.Deny, text)
		if err != nil {
			skip(err.Error())
			continue
		}
		rules, texts = append(rules, rule), append(texts, text)
	}
	return rules, texts, unreadable
}

// saveModel writes the model into the workspace's configuration file and keeps the rest
// of it, comments included; the layout becomes the usual one. It returns the file's path.
func saveModel(workspace, model string) (string, error) {
	path := filepath.Join(workspace, configName)
	data, err := dialect.ReadProject(workspace, configName)
	if errors.Is(err, fs.ErrNotExist) {
		data = []byte("{}\n")
	} else if err != nil {
		return "", err
	}
	doc, err := hujson.Parse(data)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	quoted, err := json.Marshal(model)
	if err != nil {
		return "", err
	}
	if err := doc.Patch([]byte(`[{"op":"add","path":"/model","value":` + string(quoted) + `}]`)); err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	doc.Format()
	return path, writeConfig(path, doc.Pack())
}

// writeConfig replaces the file at once: a crash leaves the old one or the new one.
func writeConfig(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), configName+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	if cerr := temp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if err := os.Chmod(temp.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// Credentials is what this program reads of ~/.scaiflux/credentials.json: the gateway that
// login wrote there. Other members are left alone.
type Credentials struct {
	BaseURL string         `json:"base_url,omitzero"` // of ScaiGrid, without the path of the inference API
	APIKey  string         `json:"api_key,omitzero"`
	Model   string         `json:"model,omitzero"` // the login-time default
	Models  []GatewayModel `json:"models,omitzero"`

	// Lacking says what is missing where the file or the environment shows that a gateway is meant;
	// "": nothing is, or none is meant.
	Lacking string `json:"-"`
}

// GatewayModel is a model of the gateway's catalogue.
type GatewayModel struct {
	ID              string `json:"id"`
	ContextWindow   int    `json:"context_window,omitzero"`    // tokens
	MaxOutputTokens int    `json:"max_output_tokens,omitzero"` // tokens
}

// maxCredentials is how long the credentials file may be, in bytes.
const maxCredentials = 1 << 20

// ReadCredentials reads the file below home, and SCAIGRID_BASE_URL from the environment,
// which wins. Without either the result is empty. What cannot be read is an error, and lacking:
// models of other providers can be called without it.
func ReadCredentials(home string, getenv func(string) string) (Credentials, error) {
	var c Credentials
	path := filepath.Join(home, ".scaiflux", "credentials.json")
	data, err := regular.ReadFile(path, maxCredentials)
	switch {
	case err == nil:
		if err := json.Unmarshal(data, &c); err != nil {
			return unreadable(fmt.Errorf("read %s: it is not the expected JSON", path)) // the cause could quote a key
		}
	case !errors.Is(err, fs.ErrNotExist):
		return unreadable(fmt.Errorf("read credentials: %w", err))
	}
	meant := err == nil
	if url := getenv("SCAIGRID_BASE_URL"); url != "" {
		c.BaseURL, meant = url, true
	}
	switch {
	case !meant:
	case c.APIKey == "":
		c.Lacking = fmt.Sprintf("no key for ScaiGrid: %s has no \"api_key\"", path)
	case c.BaseURL == "":
		c.Lacking = fmt.Sprintf("no address of ScaiGrid: %s has no \"base_url\", and SCAIGRID_BASE_URL is not set", path)
	}
	return c, nil
}

func unreadable(err error) (Credentials, error) { return Credentials{Lacking: err.Error()}, err }

// InferencePath is where the gateway serves chat completions, below its base URL.
const InferencePath = "/oai/v1"
