package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/dialect/loaf"
	"parley.dev/parley/internal/dialect/scaiflux"
)

// versionLine returns what version and --version print.
func versionLine() string {
	return fmt.Sprintf("parley %s (%s, %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// errVersion ends the parsing of flags where the version is wanted.
var errVersion = errors.New("the version is wanted")

// A versionFlag is --version. Cobra's own flag prints what it likes unless it is given a template, and
// the template package keeps the linker from leaving out methods: 14 MB of program.
type versionFlag struct{}

func (versionFlag) String() string   { return "false" }
func (versionFlag) Set(string) error { return errVersion }
func (versionFlag) Type() string     { return "bool" }

func addVersionFlag(cmd *cobra.Command) {
	cmd.Flags().VarPF(versionFlag{}, "version", "v", "print the version").NoOptDefVal = "true"
}

// dialectVersions are the versions of the protocols; "" where a protocol has none.
var dialectVersions = map[string]string{
	"scaiflux": strconv.Itoa(scaiflux.Protocol), "flint": "", "loaf": loaf.ProtocolVersion, "agentair": "", "pisces": "",
}

// versionInfo is the output of version --json.
type versionInfo struct {
	Version  string            `json:"version"`
	Revision string            `json:"revision,omitzero"` // of the source, where the build knew it
	Go       string            `json:"go"`
	OS       string            `json:"os"`
	Arch     string            `json:"arch"`
	Dialects map[string]string `json:"dialects"` // name -> protocol version; "": the protocol has none
}

func versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !asJSON {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
				return failed(err)
			}
			return printJSON(cmd, versionInfo{
				Version: version, Revision: revision(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
				Dialects: dialectVersions,
			})
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
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", out)
	return failed(err)
}
