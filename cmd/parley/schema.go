package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/schema"
)

func schemaCommand() *cobra.Command {
	var ts bool
	cmd := &cobra.Command{
		Use: "schema DIALECT", Short: "Print a protocol's wire types as JSON Schema or TypeScript",
		Args: cobra.ExactArgs(1), ValidArgs: personas,
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] != "scaiflux" {
				return fmt.Errorf("no schema for %q: there is scaiflux", args[0])
			}
			generate := scaiflux.Schema
			if ts {
				generate = func() ([]byte, error) { return schema.TypeScript(args[0]) }
			}
			out, err := generate()
			if err != nil {
				return failed(err)
			}
			_, err = cmd.OutOrStdout().Write(out)
			return failed(err)
		},
	}
	cmd.Flags().BoolVar(&ts, "ts", false, "print TypeScript")
	return cmd
}
