package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
)

// versionInfo is the output of version --json.
type versionInfo struct {
	Version  string         `json:"version"`
	Revision string         `json:"revision,omitzero"` // of the source, where the build knew it
	Go       string         `json:"go"`
	OS       string         `json:"os"`
	Arch     string         `json:"arch"`
	Dialects map[string]int `json:"dialects"` // name -> protocol version
}

func versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := versionInfo{
				Version: version, Revision: revision(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
				Dialects: dialectVersions,
			}
			if asJSON {
				return printJSON(cmd, v)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "parley %s (%s, %s/%s)\n", v.Version, v.Go, v.OS, v.Arch)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func revision() string {
	if commit != "" {
		return commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

func printJSON(cmd *cobra.Command, v any) error {
	out, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return failed(err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s\n", out)
	return nil
}
