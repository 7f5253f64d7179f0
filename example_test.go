package parley_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"parley.dev/parley"
	"parley.dev/parley/record"
)

// One prompt, and its answer. With a real model, leave out Isolated and Script.
func Example() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "parley")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	host, err := parley.Open(parley.Options{
		Home: home, Isolated: true, Script: "text The loop ends one line too early.\n",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close(ctx)
	s, err := host.Create(ctx, parley.NewSession{Workspace: "."})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := s.Run(ctx, parley.Prompt{Text: "Why does TestTotal fail?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text)
	// Output: The loop ends one line too early.
}

// A command needs an approval. The loop follows the session and answers; the text of the model comes in pieces.
func ExampleSession_Follow() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "parley")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	host, err := parley.Open(parley.Options{
		Home: home, Isolated: true, Attended: true, Mode: parley.AskAlways,
		Script: `
call shell {"command":"echo 42 > total.txt"}
next
text Done: total.txt
text  has the total.
`,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close(ctx)
	workspace := filepath.Join(home, "shop")
	if err := os.Mkdir(workspace, 0o700); err != nil {
		log.Fatal(err)
	}
	s, err := host.Create(ctx, parley.NewSession{Workspace: workspace})
	if err != nil {
		log.Fatal(err)
	}
	records := s.Follow(ctx, parley.FollowOptions{Transient: []string{record.KindTextDelta}})
	if _, err := s.Prompt(ctx, parley.Prompt{Text: "Write the total to a file."}); err != nil {
		log.Fatal(err)
	}
	for rec, err := range records {
		if err != nil {
			log.Fatal(err)
		}
		event, err := rec.Event()
		if err != nil {
			log.Fatal(err)
		}
		switch e := event.(type) {
		case record.ApprovalAsked:
			fmt.Println("allowed:", e.Request.Command)
			if err := s.Approve(ctx, e.ID); err != nil {
				log.Fatal(err)
			}
		case record.TextDelta:
			fmt.Print(e.Text)
		case record.TurnEnded:
			fmt.Println()
			fmt.Println(e.Reason)
			return
		}
	}
	// Output:
	// allowed: echo 42 > total.txt
	// Done: total.txt has the total.
	// completed
}

// A function decides which commands may run.
func ExampleOptions_approve() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "parley")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	host, err := parley.Open(parley.Options{
		Home: home, Isolated: true, Mode: parley.AskAlways,
		Script: `
call shell {"command":"rm -r ."}
expect only go commands
text I may not remove the folder.
`,
		Approve: func(_ context.Context, _ *parley.Session, asked record.ApprovalAsked) parley.Decision {
			if strings.HasPrefix(asked.Request.Command, "go ") {
				return parley.Decision{Allow: true}
			}
			return parley.Decision{Reason: "only go commands may run"}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close(ctx)
	s, err := host.Create(ctx, parley.NewSession{Workspace: home})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := s.Run(ctx, parley.Prompt{Text: "Tidy up."})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text)
	// Output: I may not remove the folder.
}

// A session goes on in another host, such as that of the program when it is started again.
func ExampleHost_Open() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "parley")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	options := parley.Options{Home: home, Isolated: true, Script: "text Noted.\n"}
	host, err := parley.Open(options)
	if err != nil {
		log.Fatal(err)
	}
	s, err := host.Create(ctx, parley.NewSession{Workspace: home, ID: "plan"})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Run(ctx, parley.Prompt{Text: "The shop opens on Monday."}); err != nil {
		log.Fatal(err)
	}
	if err := host.Close(ctx); err != nil {
		log.Fatal(err)
	}

	options.Script = "expect opens\ntext On Monday.\n"
	if host, err = parley.Open(options); err != nil {
		log.Fatal(err)
	}
	defer host.Close(ctx)
	if s, err = host.Open(ctx, "plan"); err != nil {
		log.Fatal(err)
	}
	answer, err := s.Run(ctx, parley.Prompt{Text: "When is it that the shop opens?"})
	if err != nil {
		log.Fatal(err)
	}
	state, err := s.State(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text, state.Turns, "turns")
	// Output: On Monday. 2 turns
}

// A tool of the program, which the model calls.
func ExampleTool() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "parley")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	prices := map[string]string{"lamp": "12 EUR"}
	price := parley.Tool{
		Name: "price", Description: "Returns the price of an article of the shop.", ReadOnly: true,
		Schema: `{"type":"object","properties":{"article":{"type":"string"}},"required":["article"]}`,
		Run: func(_ context.Context, call parley.Call) (string, error) {
			var in struct {
				Article string `json:"article"`
			}
			if err := call.Decode(&in); err != nil {
				return "", err
			}
			if p, ok := prices[in.Article]; ok {
				return p, nil
			}
			return "", fmt.Errorf("the shop has no %s", in.Article)
		},
	}
	host, err := parley.Open(parley.Options{
		Home: home, Isolated: true, Tools: []parley.Tool{price},
		Script: `
call price {"article":"lamp"}
expect 12 EUR
text A lamp is 12 EUR.
`,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close(ctx)
	s, err := host.Create(ctx, parley.NewSession{Workspace: home})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := s.Run(ctx, parley.Prompt{Text: "What is a lamp?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text)
	// Output: A lamp is 12 EUR.
}
