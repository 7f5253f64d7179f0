package spelling_test

import (
	"fmt"

	"parley.dev/parley/internal/spelling"
)

func ExampleNearest() {
	known := []string{"read-only", "workspace-write", "full-access"}
	fmt.Println(spelling.Nearest("workspace-wirte", known))
	fmt.Printf("%q\n", spelling.Nearest("prompt", known))
	// Output:
	// workspace-write
	// ""
}
