package codex

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file writes the configuration.

func configWriteMethods() []handler {
	return []handler{
		on("config/value/write", (*conn).configValueWrite),
		on("config/batchWrite", (*conn).configBatchWrite),
	}
}

// The params of the schema, but that a value may be null, which removes a key: in requests null counts as absent.
type (
	configValueWriteParams struct {
		configEdit
		ExpectedVersion string `json:"expectedVersion,omitzero"`
		FilePath        string `json:"filePath,omitzero"`
	}
	configBatchWriteParams struct {
		Edits           []configEdit `json:"edits"`
		ExpectedVersion string       `json:"expectedVersion,omitzero"`
		FilePath        string       `json:"filePath,omitzero"`
	}
	configEdit struct {
		KeyPath       string         `json:"keyPath"`
		MergeStrategy MergeStrategy  `json:"mergeStrategy" enum:"replace,upsert"`
		Value         jsontext.Value `json:"value,omitzero"`
	}
)

// configValueWrite changes one value (config/value/write).
func (c *conn) configValueWrite(_ context.Context, id jsonrpc.ID, p *configValueWriteParams) {
	c.writeConfig(id, p.FilePath, p.ExpectedVersion, []configEdit{p.configEdit})
}

// configBatchWrite changes several values, or none (config/batchWrite).
func (c *conn) configBatchWrite(_ context.Context, id jsonrpc.ID, p *configBatchWriteParams) {
	c.writeConfig(id, p.FilePath, p.ExpectedVersion, p.Edits)
}

func (c *conn) writeConfig(id jsonrpc.ID, path, expected string, edits []configEdit) {
	store := c.configuration()
	if path != "" && filepath.Clean(path) != store.path {
		c.fail(id, "", refused("only "+store.path+" can be written here"))
		return
	}
	version, err := store.change(expected, func(t tree) error { return c.edit(t, edits) })
	if err != nil {
		c.fail(id, "", configError(err))
		return
	}
	c.reply(id, ConfigWriteResponse{Status: WriteStatusOk, Version: version, FilePath: store.path})
}

// edit makes the edits in a tree. The error is about the first that cannot be made, or about what they make together.
func (c *conn) edit(t tree, edits []configEdit) error {
	for _, e := range edits {
		path, err := pathOf(e.KeyPath)
		if err != nil {
			return err
		}
		if slices.Contains(programKeys, path[0]) {
			return refused("`" + path[0] + "` cannot be written here, since it starts programs: set it in " + c.userFile())
		}
		node, err := nodeOf(e.given())
		if err != nil {
			return err
		}
		t.put(path, node, e.MergeStrategy == MergeStrategyUpsert)
	}
	_, err := t.settings()
	return err
}

// given returns the value of an edit. Null removes, and counts as absent in requests.
func (e configEdit) given() jsontext.Value {
	if e.Value == nil {
		return jsontext.Value("null")
	}
	return e.Value
}

// programKeys are the keys that commands stand under.
var programKeys = []string{"mcp_servers", "hooks"}

// userFile returns the file that the user configures the program in.
func (c *conn) userFile() string {
	if c.cfg.UserFile == "" {
		return "parley's own configuration"
	}
	return c.cfg.UserFile
}

// configError returns why a configuration was not read or written.
func configError(err error) error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*wire.FieldError](err); ok {
		return invalid(fieldClause(e))
	}
	return refused("the configuration: " + err.Error())
}
