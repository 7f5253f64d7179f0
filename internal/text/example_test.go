package text_test

import (
	"fmt"

	"parley.dev/parley/internal/text"
)

func ExampleClip() {
	fmt.Println(text.Clip("crème brûlée", 4, "…")) // "è" has two bytes
	fmt.Println(text.Clip("crème", 10, "…"))
	// Output:
	// crè…
	// crème
}

func ExampleFenced() {
	fmt.Println(text.Fenced("Use a fence:\n```\ncode\n```"))
	// Output:
	// ````
	// Use a fence:
	// ```
	// code
	// ```
	// ````
}
