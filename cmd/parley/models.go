package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/catalog"
)

func modelsCommand() *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use: "models", Short: "List the models that can be called, or all that are known", Args: cobra.NoArgs,
		RunE: withApp(func(a *app, cmd *cobra.Command, _ []string) error {
			infos := map[string]model.Info{}
			var names []string
			if all {
				for _, info := range catalog.All() {
					name := info.Provider + "/" + info.ID
					names, infos[name] = append(names, name), info
				}
			} else {
				for _, name := range a.models.Names() {
					m, _ := a.models.Resolve(name) // its Info is there all the same
					names, infos[name] = append(names, name), m.Info
				}
			}
			if asJSON {
				return printJSON(cmd, infos)
			}
			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(t, "MODEL\tCONTEXT\tOUTPUT\t$/M IN\t$/M OUT")
			for _, name := range names {
				info := infos[name]
				fmt.Fprintf(t, "%s\t%d\t%d\t%g\t%g\n", name, info.ContextWindow, info.MaxOutput, info.Price.Input, info.Price.Output)
			}
			fmt.Fprintf(t, "\ndefault: %s\n", a.models.Default())
			return t.Flush()
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "the whole catalogue, keys or not")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
