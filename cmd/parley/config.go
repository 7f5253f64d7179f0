package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func configCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Look at the configuration"}
	var asJSON bool
	show := &cobra.Command{
		Use: "show", Short: "Print every setting and where its value came from", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := loadSettings(os.Getenv)
			if err != nil {
				return failed(err)
			}
			rows := settings.rows()
			if asJSON {
				return printJSON(cmd, rows)
			}
			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(t, "SETTING\tVALUE\tFROM")
			for _, r := range rows {
				fmt.Fprintf(t, "%s\t%s\t%s\n", r.Setting, r.Value, r.From)
			}
			return t.Flush()
		},
	}
	show.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(show)
	return cmd
}

// A settingRow is a setting as config show prints it. Keys of providers are only ever
// said to be set.
type settingRow struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	From    string `json:"from"`
}

func (l loaded) rows() []settingRow {
	rows := []settingRow{{"config file", l.path, "PARLEY_CONFIG, or below XDG_CONFIG_HOME"}}
	for _, v := range variables {
		rows = append(rows, settingRow{v.setting, v.get(l.Settings), l.sources[v.setting]})
	}
	for _, name := range slices.Sorted(maps.Keys(l.Providers)) {
		p := l.Providers[name]
		rows = append(rows, settingRow{"providers." + name, fmt.Sprintf("%s %s", p.API, p.BaseURL), l.path})
	}
	for _, moment := range moments {
		if n := len(l.Hooks.hooks()[moment]); n > 0 {
			rows = append(rows, settingRow{"hooks." + string(moment), strconv.Itoa(n), l.path})
		}
	}
	for _, p := range newModels(l.Settings, os.Getenv).providers {
		if p.keyEnv != "" && p.key != "" {
			rows = append(rows, settingRow{p.name + " key", "(set)", p.keyEnv})
		}
	}
	return rows
}
