package client_test

import (
	"context"
	"fmt"
	"log"

	"parley.dev/parley/client"
	"parley.dev/parley/record"
)

// One prompt in a process of its own, and the answer as it comes.
func ExampleSpawn() {
	ctx := context.Background()
	c, err := client.Spawn(ctx, client.SpawnOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	s, err := c.Create(ctx, client.NewSession{Workspace: ".", Settings: map[string]any{"mode": "read-only"}})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Prompt(ctx, client.Prompt{Text: "list the go files"}); err != nil {
		log.Fatal(err)
	}
	for rec, err := range s.Follow(ctx, client.FollowOptions{Transient: []string{record.KindTextDelta}}) {
		if err != nil {
			log.Fatal(err)
		}
		event, err := rec.Event()
		if err != nil {
			log.Fatal(err)
		}
		switch e := event.(type) {
		case record.TextDelta:
			fmt.Print(e.Text)
		case record.TurnEnded:
			return
		}
	}
}

// A bot that answers all approvals of a session of a host, including those of other clients' prompts.
func ExampleSession_Approve() {
	ctx := context.Background()
	c, err := client.Dial(ctx, "unix:/home/me/.local/state/parley/run/host.sock", client.Options{Name: "bot"})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	s := c.Session("20261122-101500-a1b2c3")
	for rec, err := range s.Follow(ctx, client.FollowOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		var asked record.ApprovalAsked
		if rec.Kind != record.KindApprovalAsked || rec.Decode(&asked) != nil {
			continue
		}
		if asked.Request.Command == "go test ./..." {
			err = s.Approve(ctx, asked.ID)
		} else {
			err = s.Deny(ctx, asked.ID, "only the tests may run")
		}
		if err != nil && !client.IsKind(err, "answered") && !client.IsKind(err, "unknown") { // another client was first
			log.Fatal(err)
		}
	}
}
