package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/extension"
)

// This file is which folders the user trusts. What lies in one may start programs without
// being asked for by anybody; what lies elsewhere may not.

func setTrusted(s *Settings, v string) error {
	s.TrustedFolders = slices.DeleteFunc(filepath.SplitList(v), func(folder string) bool { return folder == "" })
	return nil
}

// checkFolders returns an error for a folder of a setting that depends on where parley is started.
func checkFolders(setting string, folders []string) error {
	for i, folder := range folders {
		if folder != "~" && !strings.HasPrefix(folder, "~/") && !filepath.IsAbs(folder) {
			return invalid(fmt.Sprintf("%s[%d]", setting, i), fmt.Errorf("%q is neither absolute nor below ~/", folder))
		}
	}
	return nil
}

// trusts says whether a folder is one that the user trusts, or below one. Links count as what
// they lead to; a folder that is not there is not trusted, and makes nothing so.
func (a *app) trusts(dir string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(a.settings.TrustedFolders, func(folder string) bool {
		root, err := filepath.EvalSymlinks(ofHome(folder))
		if err != nil {
			return false
		}
		below, err := filepath.Rel(root, dir)
		return err == nil && filepath.IsLocal(below)
	})
}

// ofHome is a path that may begin with ~.
func ofHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		return filepath.Join(homeDir(os.Getenv), rest)
	}
	return path
}

// untrusted is what people are told of what a folder brings, and what they can do.
func (a *app) untrusted(dir string) string {
	return fmt.Sprintf("not run: the folder %s is not trusted. If you trust it, add it to \"trusted_folders\" in %s, or to PARLEY_TRUSTED_FOLDERS; "+
		"to run one extension alone, give its path with -e", dir, a.settings.path)
}

// examineTrust says which folders are trusted, and what of the one at hand does not run.
func (a *app) examineTrust() []finding {
	var findings []finding
	for _, folder := range a.settings.TrustedFolders {
		f := finding{Check: "trusted folder", OK: true, Detail: folder}
		if info, err := os.Stat(ofHome(folder)); err != nil || !info.IsDir() {
			f.OK, f.Detail, f.Fix = false, folder+" is not there", "correct it, or take it out of trusted_folders"
		}
		findings = append(findings, f)
	}
	dir, err := os.Getwd()
	if err != nil {
		return findings
	}
	if brought, _ := extension.Find([]string{filepath.Join(dir, ".pisces", "extensions")}); len(brought) > 0 && !a.trusts(dir) {
		findings = append(findings, finding{
			Check: "trust", Detail: fmt.Sprintf("this folder brings %s, which would run if it were trusted", counted(len(brought), "extension")),
			Fix: fmt.Sprintf("if you trust %s, add it to trusted_folders", dir),
		})
	}
	if _, err := os.Lstat(filepath.Join(dir, projectServersFile)); err == nil && !a.trusts(dir) {
		findings = append(findings, finding{
			Check: "trust", Detail: "this folder names tool servers in " + projectServersFile + ", which would be started if it were trusted",
			Fix: fmt.Sprintf("if you trust %s, add it to trusted_folders", dir),
		})
	}
	if len(findings) == 0 {
		return []finding{{Check: "trusted folders", OK: true, Detail: "none are configured: nothing that a project brings starts programs"}}
	}
	return findings
}
