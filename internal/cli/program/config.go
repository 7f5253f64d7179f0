package program

import (
	"os"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/provider"
)

func configCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Show the configuration"}
	var asJSON bool
	show := &cobra.Command{
		Use: "show", Short: "Print every setting and where its value came from", Args: cli.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := config.Load(os.Getenv)
			if err != nil {
				return cli.Failed(err)
			}
			rows := shownRows(settings)
			if asJSON {
				return cli.PrintJSON(cmd, rows)
			}
			t := cli.NewTable(cmd.OutOrStdout(), "SETTING", "VALUE", "FROM")
			for _, r := range rows {
				t.Row(r.Setting, r.Value, r.From)
			}
			return cli.Failed(t.Print())
		},
	}
	show.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(show)
	return cmd
}

// shownRows returns the settings with the model that is the default where none is set, and the keys of
// providers that the environment has.
func shownRows(settings config.Config) []config.Row {
	stored := app.Accounts(settings.Settings, app.Secrets(settings.Settings))
	defer stored.Close()
	models := provider.New(provider.Options{Settings: settings.Settings, Getenv: os.Getenv, SignIn: stored})
	rows := settings.Rows()
	for i, row := range rows {
		if row.Setting == "model" && row.Value == "" {
			rows[i].Value = models.Default()
		}
	}
	for _, p := range models.Endpoints() {
		if p.KeyEnv != "" && p.FromEnv {
			rows = append(rows, config.Row{Setting: p.Name + " key", Value: "(set)", From: p.KeyEnv})
		}
	}
	return rows
}
