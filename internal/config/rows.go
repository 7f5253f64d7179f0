package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Row is a setting as the user is shown it. Of a secret it has only that it is set.
type Row struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	From    string `json:"from"` // default, the path of the file, or the name of a variable
}

// Rows returns the settings in the order that the user is shown them in.
func (c Config) Rows() []Row {
	rows := []Row{{"config file", c.File, c.fileFrom}}
	if !c.Exists {
		rows[0].Value += " (there is no such file)"
	}
	for _, v := range variables {
		rows = append(rows, Row{v.setting, v.get(c.Settings), c.sources[v.setting]})
	}
	for _, row := range []Row{
		{Setting: "secrets_in_file", Value: strconv.FormatBool(c.SecretsInFile)},
		{Setting: "search", Value: strings.TrimSpace(c.Search.API + " " + c.Search.BaseURL)},
		{Setting: "signin", Value: c.SignIn.Issuer},
		{Setting: "host", Value: c.Host.Wait},
		{Setting: "tui", Value: c.TUI.Theme},
		{Setting: "telemetry", Value: PlainURL(c.Telemetry.Endpoint)},
	} {
		rows = append(rows, c.withSource(row))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		p := c.Providers[name]
		rows = append(rows, Row{"providers." + name, fmt.Sprintf("%s %s", p.API, PlainURL(p.BaseURL)), c.File})
		for _, header := range slices.Sorted(maps.Keys(p.Headers)) {
			rows = append(rows, Row{"providers." + name + ".headers." + header, "(set)", c.File})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.MCPServers)) {
		s := c.MCPServers[name]
		rows = append(rows, Row{"mcp_servers." + name, cmp.Or(s.Command, PlainURL(s.URL)), c.File})
	}
	rows = append(rows, c.withSource(Row{Setting: "project_hooks", Value: strconv.FormatBool(c.ProjectHooks)}))
	hooks, _ := c.Hooks.Hooks() // they are checked
	for _, moment := range HookMoments {
		if n := len(hooks[moment]); n > 0 {
			rows = append(rows, Row{"hooks." + string(moment), strconv.Itoa(n), c.File})
		}
	}
	return rows
}

// withSource adds where the value of a setting came from.
func (c Config) withSource(row Row) Row {
	row.From = cmp.Or(c.sources[row.Setting], fromDefault)
	return row
}
