package models

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/catalog"
	"parley.dev/parley/internal/terminal"
)

// unsupported are providers of the catalogue that cannot be called, not by configuration either: their
// requests are signed, or need a sign-in that we do not have.
var unsupported = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{"bedrock": true, "bedrock-europe": true, "copilot": true, "vertexai": true}
}}

// dollars returns a price in few digits: what catalogues calculate is seldom exact.
func dollars(price float64) string { return strconv.FormatFloat(price, 'g', 6, 64) }

// Command returns the command models.
func Command() *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use: "models", Short: "List the available models, or all known models", Args: cli.ExactArgs(),
		RunE: cli.WithApp(func(a *app.App, cmd *cobra.Command, _ []string) error {
			infos := map[string]model.Info{}
			var names []string
			if all {
				for _, info := range catalog.All() {
					if unsupported.Get()[info.Provider] {
						continue
					}
					name := info.Provider + "/" + info.ID
					names, infos[name] = append(names, name), info
				}
			} else {
				a.AllModels.Await(cmd.Context())
				for _, offer := range a.AllModels.Discover(cmd.Context()) {
					names, infos[offer.Name] = append(names, offer.Name), offer.Info
				}
				slices.Sort(names)
			}
			if asJSON {
				return cli.PrintJSON(cmd, infos)
			}
			t := cli.NewTable(cmd.OutOrStdout(), "MODEL", "CONTEXT", "OUTPUT", "$/M IN", "$/M OUT")
			for _, name := range names {
				info := infos[name]
				t.Row(name, info.ContextWindow, info.MaxOutput, dollars(info.Price.Input), dollars(info.Price.Output))
			}
			standard := a.AllModels.Default()
			if _, err := a.AllModels.Resolve(standard); err != nil {
				standard = "none: " + err.Error()
			}
			if err := t.Print(); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "\ndefault: %s\n", terminal.Line(standard))
			return err
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "all known models, also those without a key")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
