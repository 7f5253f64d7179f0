// Command approver answers the approvals of all open sessions of a host: it allows the commands of its command line, exactly
// as they are written there, and denies everything else: approver unix:PATH "go test ./..." "go vet ./..."
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"

	"parley.dev/parley/client"
	"parley.dev/parley/record"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: approver ADDRESS COMMAND...")
	}
	ctx, known := context.Background(), map[string]bool{}
	c, err := client.Dial(ctx, os.Args[1], client.Options{Name: "approver"})
	if err != nil {
		log.Fatal(err)
	}
	for s, err := range c.Watch(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if s.Open && !known[s.ID] {
			go decide(ctx, c.Session(s.ID), os.Args[2:])
		}
		known[s.ID] = known[s.ID] || s.Open
	}
}

// decide answers the approvals of a session until it is closed for all.
func decide(ctx context.Context, s *client.Session, allowed []string) {
	for rec, err := range s.Follow(ctx, client.FollowOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		event, _ := rec.Event() // nil where it cannot be read
		asked, ok := event.(record.ApprovalAsked)
		switch {
		case !ok:
			continue
		case slices.Contains(allowed, asked.Request.Command):
			err = s.Approve(ctx, asked.ID)
		default:
			err = s.Deny(ctx, asked.ID, fmt.Sprintf("the approver allows only %q", allowed))
		}
		if err == nil { // else it has an answer already
			fmt.Println(s.ID(), asked.ID, asked.Request.Summary)
		}
	}
}
