// Command bot sends a prompt to a session of a host, in a folder. It allows two commands, and denies every other call that needs an
// approval: bot unix:PATH FOLDER PROMPT
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"parley.dev/parley/client"
	"parley.dev/parley/record"
)

var allowed = []string{"git status --short", "git diff"}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: bot ADDRESS FOLDER PROMPT")
	}
	ctx := context.Background()
	c, err := client.Dial(ctx, os.Args[1], client.Options{Name: "bot"})
	check(err)
	s, err := c.Create(ctx, client.NewSession{Workspace: os.Args[2]})
	check(err)
	_, err = s.Prompt(ctx, client.Prompt{Text: os.Args[3]})
	check(err)
	for rec, err := range s.Follow(ctx, client.FollowOptions{}) {
		check(err)
		event, err := rec.Event()
		check(err)
		switch e := event.(type) {
		case record.ApprovalAsked:
			if slices.Contains(allowed, e.Request.Command) {
				check(s.Approve(ctx, e.ID))
			} else {
				check(s.Deny(ctx, e.ID, "the bot allows only "+strings.Join(allowed, ", ")))
			}
		case record.ToolEnded:
			fmt.Println(e.Outcome, e.Output)
		case record.TurnEnded:
			fmt.Println("turn", e.Reason)
			return
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
