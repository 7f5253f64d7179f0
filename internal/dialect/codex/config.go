package codex

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file reads the configuration, under the names of this protocol's programs.

func configMethods() []handler {
	return []handler{
		on("config/read", (*conn).configRead),
		on("configRequirements/read", (*conn).configRequirementsRead),
		on("permissionProfile/list", (*conn).permissionProfileList),
		on("collaborationMode/list", (*conn).collaborationModeList),
	}
}

// configuration returns what clients have written of the configuration.
func (c *conn) configuration() *configuration {
	return c.cfg.Process.configuration(filepath.Join(c.cfg.Home, settingsFile))
}

// written returns the known keys of what clients have written, and of the command line, which wins. A file that cannot be used has none;
// config/read returns the error.
func (c *conn) written() ConfigTOML {
	t, _, err := c.configuration().load(false)
	if err == nil {
		_, err = t.settings()
	}
	if err != nil {
		c.cfg.Log.Debug("configuration not used", "error", err)
		t = tree{}
	}
	line, _ := treeOfKeys(c.cfg.Flags.Config) // CheckConfig has found nothing wrong
	for name, node := range line {
		t.put([]string{name}, node, true)
	}
	s, _ := t.settings() // nor here
	return s
}

// CheckConfig returns what is wrong with the configuration of a command line.
func CheckConfig(values map[string]jsontext.Value) error {
	given, err := treeOfKeys(values)
	if err == nil {
		_, err = given.settings()
	}
	if field, ok := errors.AsType[*wire.FieldError](err); ok {
		return errors.New(fieldClause(field))
	}
	return err
}

// configRead returns what holds for new threads (config/read).
func (c *conn) configRead(_ context.Context, id jsonrpc.ID, p *ConfigReadParams) {
	own, version, err := c.configuration().load(true)
	if err != nil {
		c.fail(id, "", configError(err))
		return
	}
	effective := marshal(c.effective())
	whole, err := treeOf(effective)
	if err != nil {
		c.fail(id, "", err)
		return
	}
	for name, node := range own { // what is not known is returned as it was written
		if _, known := whole[name]; !known {
			whole[name] = node
		}
	}
	whole.putNull(effective)
	whole["mcp_servers"] = c.shownServers(p.Cwd)
	for _, name := range []string{"features", "projects"} {
		if _, ok := whole[name]; !ok {
			whole[name] = tree{}
		}
	}
	source := ConfigLayerMetadata{Name: UserConfigLayerSource{File: c.configuration().path}, Version: version}
	answer := configReadResponse{Config: whole.value(), Origins: map[string]ConfigLayerMetadata{}}
	for _, key := range own.leaves() {
		answer.Origins[key] = source
	}
	if p.IncludeLayers {
		answer.Layers = []ConfigLayer{{Name: source.Name, Version: version, Config: own.value()}}
	}
	c.reply(id, answer)
}

// A configReadResponse is a ConfigReadResponse with the keys that the schema does not name.
type configReadResponse struct {
	Config  jsontext.Value                 `json:"config"`
	Layers  nullList[ConfigLayer]          `json:"layers"`
	Origins map[string]ConfigLayerMetadata `json:"origins"`
}

// effective returns what threads have that say nothing.
func (c *conn) effective() ConfigTOML {
	settings, written := event.Settings{}, c.written()
	c.defaults(&settings)
	policy := policyOf(settings)
	written.Model, written.ModelProvider, written.ApprovalPolicy = nullString(c.modelID(settings.Model)), nullString(c.providerOf(settings.Model)), &policy
	written.ModelReasoningEffort, written.SandboxMode = effortOf(settings.Thinking), sandboxModes[settings.Sandbox.Kind]
	written.SandboxWorkspaceWrite = nil
	if s := settings.Sandbox; s.Kind == approval.SandboxWorkspace {
		written.SandboxWorkspaceWrite = &SandboxWorkspaceWrite{
			WritableRoots: s.Roots, NetworkAccess: &s.Network, ExcludeTmpdirEnvVar: &s.NoTempDir, ExcludeSlashTmp: &s.NoSlashTmp,
		}
	}
	return written
}

// shownServers returns the tool servers of a folder, without values that may be secrets.
func (c *conn) shownServers(dir string) tree {
	shown := tree{}
	if c.cfg.Servers == nil {
		return shown
	}
	if dir == "" {
		dir = c.cfg.Flags.Cwd
	}
	for _, s := range c.cfg.Servers(dir) {
		server := map[string]any{"enabled": s.Problem == ""}
		if s.Command != "" {
			server["command"], server["args"] = s.Command, s.Args
		} else {
			server["url"] = s.URL
		}
		shown[s.Name] = jsontext.Value(marshal(server))
	}
	return shown
}

var sandboxModes = map[approval.SandboxKind]SandboxMode{
	approval.SandboxReadOnly: SandboxModeReadOnly, approval.SandboxWorkspace: SandboxModeWorkspaceWrite, approval.SandboxNone: SandboxModeDangerFullAccess,
}

// configRequirementsRead returns what an administrator demands: nothing (configRequirements/read).
func (c *conn) configRequirementsRead(_ context.Context, id jsonrpc.ID, _ *struct{}) {
	c.reply(id, ConfigRequirementsReadResponse{})
}

// permissionProfileList returns the profiles that threads may have (permissionProfile/list).
func (c *conn) permissionProfileList(_ context.Context, id jsonrpc.ID, p *PermissionProfileListParams) {
	page, err := pageOf([]PermissionProfileSummary{
		{ID: profileReadOnly, Allowed: true, Description: "Read files"},
		{ID: profileWorkspace, Allowed: true, Description: "Read files, and change those of the workspace"},
		{ID: profileFullAccess, Allowed: true, Description: "No sandbox"},
	}, p.Cursor, p.Limit, SortDirectionAsc, SortDirectionAsc, profilesMost)
	if err != nil {
		c.fail(id, "", err)
		return
	}
	c.reply(id, PermissionProfileListResponse{Data: page.data, NextCursor: page.next})
}

const profilesMost = 100 // on a page

// collaborationModeList returns the modes that turns may have (collaborationMode/list).
func (c *conn) collaborationModeList(_ context.Context, id jsonrpc.ID, _ *CollaborationModeListParams) {
	c.reply(id, CollaborationModeListResponse{[]CollaborationModeMask{{Name: "Plan", Mode: ModeKindPlan}, {Name: "Default", Mode: ModeKindDefault}}})
}
