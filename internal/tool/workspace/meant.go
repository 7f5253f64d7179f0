package workspace

import (
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// meant returns the path that a model means by shown: shown itself, or, where that does not exist, another
// spelling of it that exists. Of several spellings of a new file, the one in a folder that exists is meant.
func (w *Workspace) meant(shown string) string {
	if shown == "" || w.has(shown) {
		return shown
	}
	spellings := spellings(shown)
	for _, s := range spellings {
		if w.has(s) {
			return s
		}
	}
	if quoted := len(shown) > 2 && strings.ContainsRune("'\"`", rune(shown[0])) && shown[len(shown)-1] == shown[0]; !quoted && w.has(path.Dir(shown)) {
		return shown
	}
	for _, s := range spellings {
		if w.has(path.Dir(s)) {
			return s
		}
	}
	return shown
}

// has reports whether there is something at the path that a model wrote.
func (w *Workspace) has(shown string) bool {
	at, err := w.absolute(shown)
	if err != nil {
		return false
	}
	_, err = os.Lstat(at)
	return err == nil
}

// spellings returns other spellings of a path: without what models put around one, and with é as one
// character or as two.
func spellings(shown string) (all []string) {
	add := func(s string) {
		if s != "" && s != shown && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	plain := strings.Trim(strings.TrimSpace(shown), "'\"`")
	add(plain)
	if rest, ok := strings.CutPrefix(plain, "file://"); ok {
		plain = rest
		if unescaped, err := url.PathUnescape(rest); err == nil {
			plain = unescaped
		}
		add(plain)
	}
	plain = strings.TrimPrefix(plain, "@")
	add(plain)
	for _, s := range []string{plain, strings.ReplaceAll(plain, `\ `, " ")} {
		add(s)
		add(norm.NFC.String(s))
		add(norm.NFD.String(s))
	}
	return all
}
