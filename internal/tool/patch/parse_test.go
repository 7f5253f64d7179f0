package patch

import (
	"strings"
	"testing"
)

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  `has to begin with the line "*** Begin Patch"`,
		"--- a\n+++ b":                      `has to begin with`,
		"*** Begin Patch":                   `changes no file`,
		"*** Begin Patch\n\n*** End Patch":  "the patch changes no file",
		"*** Begin Patch\nx\n*** End Patch": `line 2 of the patch: "x" is none of *** Add File: PATH`,
		"*** Begin Patch\n*** Update File: \n*** End Patch":                          "line 2 of the patch: it names no file",
		"*** Begin Patch\n*** Add File: x\ny\n*** End Patch":                         "line 3 of the patch: in x, a new file, every line begins with +",
		"*** Begin Patch\n*** Update File: x\n*** End Patch":                         "line 2 of the patch: the update of x has no hunks",
		"*** Begin Patch\n*** Update File: x\n*** Move to:  \n*** End Patch":         "line 3 of the patch: it names no file",
		"*** Begin Patch\n*** Update File: x\n@@ y\n*** End Patch":                   "line 3 of the patch: the hunk of x has no lines",
		"*** Begin Patch\n*** Update File: x\n@@\n y\nz\n*** End Patch":              "line 5 of the patch: in a hunk of x, a line begins with a space, + or -",
		"*** Begin Patch\n*** Update File: x\n@@\n y\n*** Frobnicate\n*** End Patch": `line 5 of the patch: "*** Frobnicate" is none of`,
		"*** Begin Patch\n*** Delete File: x\n+y\n*** End Patch":                     `line 3 of the patch: "+y" is none of`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := Parse("\r\n *** Begin Patch \r\n*** Delete File: x\r\n*** End Patch \r\n\r\n"); err != nil {
		t.Error(err)
	}
}
