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
	"parley.dev/parley/internal/dialect"
)

// configName is the project's configuration file, in the workspace. Comments are allowed in it.
const configName = ".scaiflux.json"

// ProjectConfig is what this program reads of a project's configuration file. The
// permissions are advice: every decision is the controller's.
type ProjectConfig struct {
	Model         string   `json:"model,omitzero"`
	MaxTokens     int      `json:"max_tokens,omitzero"`
	MaxIterations int      `json:"max_iterations,omitzero"`
	Gadgets       []string `json:"gadgets,omitzero"`
	Permissions   struct {
		Allow []string `json:"allow,omitzero"`
		Ask   []string `json:"ask,omitzero"`
		Deny  []string `json:"deny,omitzero"`
	} `json:"permissions,omitzero"`

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
	plain, err := hujson.Standardize(data)
	if err != nil {
		return c, fmt.Errorf("read %s: %w", path, err)
	}
	if err := json.Unmarshal(plain, &c); err != nil {
		return c, fmt.Errorf("read %s: %w", path, err)
	}
	return c, nil
}

// denyRules is the project's deny rules; one that cannot be read is an error.
func (c ProjectConfig) denyRules() ([]approval.Rule, error) {
	var rules []approval.Rule
	for _, text := range c.Permissions.Deny {
		rule, err := approval.ParseRule(approval.Deny, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", configName, err)
		}
		rules = append(rules, rule)
	}
	return rules, nil
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
}

// GatewayModel is a model of the gateway's catalogue.
type GatewayModel struct {
	ID              string `json:"id"`
	ContextWindow   int    `json:"context_window,omitzero"`    // tokens
	MaxOutputTokens int    `json:"max_output_tokens,omitzero"` // tokens
}

// ReadCredentials reads the file below home, and SCAIGRID_BASE_URL from the environment,
// which wins. Without either the result is empty.
func ReadCredentials(home string, getenv func(string) string) (Credentials, error) {
	var c Credentials
	path := filepath.Join(home, ".scaiflux", "credentials.json")
	data, err := os.ReadFile(path)
	switch {
	case err == nil:
		if err := json.Unmarshal(data, &c); err != nil {
			return Credentials{}, fmt.Errorf("read %s: it is not the expected JSON", path) // the cause could quote a key
		}
	case !errors.Is(err, fs.ErrNotExist):
		return c, fmt.Errorf("read credentials: %w", err)
	}
	if url := getenv("SCAIGRID_BASE_URL"); url != "" {
		c.BaseURL = url
	}
	return c, nil
}

// InferencePath is where the gateway serves chat completions, below its base URL.
const InferencePath = "/oai/v1"
