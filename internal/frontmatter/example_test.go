package frontmatter_test

import (
	"fmt"

	"parley.dev/parley/internal/frontmatter"
)

func Example() {
	head, body := frontmatter.Split("---\nname: release\ntools: [read, bash]\n---\nWrite the changelog first.\n")
	fields, err := frontmatter.Parse(head)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(fields["name"], fields["tools"])
	fmt.Print(body)
	// Output:
	// release [read bash]
	// Write the changelog first.
}
