package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

func configCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Show the configuration"}
	var asJSON bool
	show := &cobra.Command{
		Use: "show", Short: "Print every setting and where its value came from", Args: exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := loadSettings(os.Getenv)
			if err != nil {
				return failed(err)
			}
			rows := settings.rows()
			if asJSON {
				return printJSON(cmd, rows)
			}
			t := newTable(cmd.OutOrStdout(), "SETTING", "VALUE", "FROM")
			for _, r := range rows {
				t.row(r.Setting, r.Value, r.From)
			}
			return failed(t.print())
		},
	}
	show.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(show)
	return cmd
}

// A settingRow is a setting as config show prints it. Of a provider's key it has only that it is
// set.
type settingRow struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	From    string `json:"from"`
}

func (l loaded) rows() []settingRow {
	rows := []settingRow{l.fileRow()}
	models := newModels(l.Settings, os.Getenv)
	models.signedIn = newSignIn(l.Settings, newSecrets(l.Settings))
	defer models.signedIn.Close()
	models.useStored()
	for _, v := range variables {
		row := settingRow{v.setting, v.get(l.Settings), l.sources[v.setting]}
		if v.setting == "model" && row.Value == "" {
			row.Value = models.Default()
		}
		rows = append(rows, row)
	}
	rows = append(rows, settingRow{"secrets_in_file", strconv.FormatBool(l.SecretsInFile), cmp.Or(l.sources["secrets_in_file"], fromDefault)})
	rows = append(rows, settingRow{"search", strings.TrimSpace(l.Search.API + " " + l.Search.BaseURL), cmp.Or(l.sources["search"], fromDefault)})
	rows = append(rows, settingRow{"signin", l.SignIn.Issuer, cmp.Or(l.sources["signin"], fromDefault)})
	for _, name := range slices.Sorted(maps.Keys(l.Providers)) {
		p := l.Providers[name]
		rows = append(rows, settingRow{"providers." + name, fmt.Sprintf("%s %s", p.API, plainURL(p.BaseURL)), l.path})
		for _, header := range slices.Sorted(maps.Keys(p.Headers)) {
			rows = append(rows, settingRow{"providers." + name + ".headers." + header, "(set)", l.path})
		}
	}
	for _, server := range listServers(l.MCPServers) {
		rows = append(rows, settingRow{"mcp_servers." + server.Name, cmp.Or(server.Command, server.URL), l.path})
	}
	rows = append(rows, settingRow{"project_hooks", strconv.FormatBool(l.ProjectHooks), cmp.Or(l.sources["project_hooks"], fromDefault)})
	hooks, _ := l.Hooks.hooks() // they are checked
	for _, moment := range moments {
		if n := len(hooks[moment]); n > 0 {
			rows = append(rows, settingRow{"hooks." + string(moment), strconv.Itoa(n), l.path})
		}
	}
	for _, p := range models.all() {
		if p.keyEnv != "" && p.fromEnv {
			rows = append(rows, settingRow{p.name + " key", "(set)", p.keyEnv})
		}
	}
	return rows
}

// fileRow returns the row of the configuration file: which one, and why that.
func (l loaded) fileRow() settingRow {
	row := settingRow{"config file", l.path, fromDefault}
	for _, variable := range []string{"XDG_CONFIG_HOME", "PARLEY_CONFIG"} {
		if os.Getenv(variable) != "" {
			row.From = variable
		}
	}
	if !l.exists {
		row.Value += " (there is no such file)"
	}
	return row
}
