package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/extension"
)

// This file contains which folders the user trusts. What lies in one may start programs without
// being asked for by anybody; what lies elsewhere may not.

// examineTrust reports which folders are trusted, and what of the one at hand does not run.
func examineTrust(a *app.App) []cli.Finding {
	var findings []cli.Finding
	for _, folder := range a.Settings.TrustedFolders {
		f := cli.Finding{Check: "trusted folder", OK: true, Detail: folder}
		if info, err := os.Stat(config.ExpandHome(folder)); err != nil || !info.IsDir() {
			f.OK, f.Detail, f.Fix = false, folder+" is not there", "correct it, or take it out of trusted_folders"
		}
		findings = append(findings, f)
	}
	dir, err := os.Getwd()
	if err != nil {
		return findings
	}
	if brought, _ := extension.Find([]string{filepath.Join(dir, ".pisces", "extensions")}); len(brought) > 0 && !a.Settings.Trusts(dir) {
		findings = append(findings, cli.Finding{
			Check: "trust", Detail: fmt.Sprintf("this folder brings %s, which would run if it were trusted", cli.Counted(len(brought), "extension")),
			Fix: fmt.Sprintf("if you trust %s, add it to trusted_folders", dir),
		})
	}
	if _, err := os.Lstat(filepath.Join(dir, config.ProjectServersFile)); err == nil && !a.Settings.Trusts(dir) {
		findings = append(findings, cli.Finding{
			Check: "trust", Detail: "this folder names tool servers in " + config.ProjectServersFile + ", which would be started if it were trusted",
			Fix: fmt.Sprintf("if you trust %s, add it to trusted_folders", dir),
		})
	}
	if names := config.WantTrust(filepath.Join(dir, config.ProjectServersFile)); len(names) > 0 && a.Settings.Trusts(dir) {
		findings = append(findings, cli.Finding{
			Check: "trust", Detail: fmt.Sprintf("%q of %s has no effect in %s", "trusted", strings.Join(names, ", "), config.ProjectServersFile),
			Fix: fmt.Sprintf("if its tools may run without approval and without a sandbox, add the server to %s", a.Settings.File),
		})
	}
	if len(findings) == 0 {
		return []cli.Finding{{Check: "trusted folders", OK: true, Detail: "none are configured: nothing that a project brings starts programs"}}
	}
	return findings
}
