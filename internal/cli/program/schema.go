package program

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/dialect/acp"
	"parley.dev/parley/internal/dialect/agentair"
	"parley.dev/parley/internal/dialect/flint"
	"parley.dev/parley/internal/dialect/loaf"
	"parley.dev/parley/internal/dialect/native"
	"parley.dev/parley/internal/dialect/pisces"
	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/schema"
)

// schemas is the JSON Schema of each dialect.
var schemas = map[string]func() ([]byte, error){
	"scaiflux": scaiflux.Schema, "flint": flint.Schema, "loaf": loaf.Schema, "agentair": agentair.Schema, "pisces": pisces.Schema,
	"acp": acp.Schema, "native": native.Schema,
	"codex": func() ([]byte, error) { return schema.JSON("codex") }, // published by others, and not inferred
}

// schemaNames are the keys of schemas, in the order of the help.
var schemaNames = append(slices.Clone(cli.Dialects), "native")

func schemaCommand() *cobra.Command {
	var ts bool
	cmd := &cobra.Command{
		Use: "schema DIALECT", Short: "Print a protocol's wire types as JSON Schema or TypeScript",
		Args: cli.ExactArgs("DIALECT"), ValidArgs: schemaNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			generate, ok := schemas[args[0]]
			if !ok {
				return fmt.Errorf("no schema for %q: there are %s", args[0], cli.Enumerate(schemaNames, "and"))
			}
			if ts {
				generate = func() ([]byte, error) { return schema.TypeScript(args[0]) }
			}
			out, err := generate()
			if err != nil {
				return cli.Failed(err)
			}
			_, err = cmd.OutOrStdout().Write(out)
			return cli.Failed(err)
		},
	}
	cmd.Flags().BoolVar(&ts, "ts", false, "print TypeScript")
	return cmd
}
