package cli

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/companion"
	"parley.dev/parley/internal/dialect/acp"
	"parley.dev/parley/internal/dialect/codex"
	"parley.dev/parley/internal/dialect/loaf"
	"parley.dev/parley/internal/dialect/scaiflux"
)

// Version is the version of the program.
var Version = companion.Version

// Commit is the revision of the source; "" where the build did not say it.
var Commit string

// VersionLine returns what version and --version print.
func VersionLine() string {
	return fmt.Sprintf("parley %s (%s, %s/%s)", Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// ErrVersion ends the parsing of flags where the version is wanted.
var ErrVersion = errors.New("the version is wanted")

// A versionFlag is --version. Cobra's own flag prints what it likes unless it is given a template, and
// the template package keeps the linker from leaving out methods: 14 MB of program.
type versionFlag struct{}

// String makes versionFlag a value of a flag.
func (versionFlag) String() string { return "false" }

// Set ends the parsing.
func (versionFlag) Set(string) error { return ErrVersion }

// Type makes the flag one without a value.
func (versionFlag) Type() string { return "bool" }

// AddVersionFlag adds --version to a command.
func AddVersionFlag(cmd *cobra.Command) {
	cmd.Flags().VarPF(versionFlag{}, "version", "v", "print the version").NoOptDefVal = "true"
}

// dialectVersions are the versions of the protocols; "" where a protocol has none.
var dialectVersions = map[string]string{
	"scaiflux": strconv.Itoa(scaiflux.Protocol), "flint": "", "codex": codex.Version, "loaf": loaf.ProtocolVersion, "agentair": "", "pisces": "", "acp": strconv.Itoa(acp.ProtocolVersion),
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

// VersionCommand returns the command version.
func VersionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !asJSON {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), VersionLine())
				return Failed(err)
			}
			return PrintJSON(cmd, versionInfo{
				Version: Version, Revision: revision(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
				Dialects: dialectVersions,
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func revision() string {
	if Commit != "" {
		return Commit
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
