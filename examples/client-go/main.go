// Command client-go sends one prompt to parley over the ScaiFlux serve protocol and prints the
// answer. It needs only the standard library.
//
//	go run ./examples/client-go "list the go files"
//
// PARLEY names the program; the default is the parley on the path.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// An event is the fields of the protocol's lines that this client reads; docs/scaiflux.md has all.
type event struct {
	Type       string `json:"type"`
	Delta      string `json:"delta"`         // text_delta
	Name       string `json:"name"`          // tool_start
	RequestID  string `json:"request_id"`    // permission_request
	Tool       string `json:"tool"`          // permission_request
	Required   string `json:"required_mode"` // permission_request
	StopReason string `json:"stop_reason"`   // turn_complete
	Message    string `json:"message"`       // error
}

func main() {
	prompt := strings.Join(os.Args[1:], " ")
	if prompt == "" {
		prompt = "list the go files"
	}
	if err := ask(prompt); err != nil {
		fmt.Fprintln(os.Stderr, "client-go:", err)
		os.Exit(1)
	}
}

// ask starts the server, sends the prompt, and returns when its turn has ended.
func ask(prompt string) (err error) {
	program := os.Getenv("PARLEY")
	if program == "" {
		program = "parley"
	}
	server := exec.Command(program, "scaiflux", "serve", "--permission-mode", "read-only")
	server.Stderr = os.Stderr // for users; the protocol is on stdout alone
	stdin, err := server.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stdin.Close(), server.Wait()) }() // the end of input ends the server
	return converse(json.NewEncoder(stdin), bufio.NewReader(stdout), prompt)
}

func converse(to *json.Encoder, from *bufio.Reader, prompt string) error {
	for {
		line, err := from.ReadBytes('\n') // a line can be longer than a bufio.Scanner takes
		if errors.Is(err, io.EOF) {
			return errors.New("the server ended before the turn did")
		}
		if err != nil {
			return err
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		switch e.Type {
		case "ready":
			err = to.Encode(map[string]string{"type": "prompt", "text": prompt})
		case "text_delta":
			fmt.Print(e.Delta)
		case "tool_start":
			fmt.Fprintf(os.Stderr, "[%s]\n", e.Name)
		case "permission_request":
			err = to.Encode(answer(e))
		case "error":
			return errors.New(e.Message)
		case "turn_complete":
			fmt.Println()
			if e.StopReason != "end_turn" {
				return fmt.Errorf("the turn ended as %s", e.StopReason)
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// answer allows what only reads, and denies the rest with a reason for the model.
func answer(e event) map[string]string {
	response := map[string]string{"type": "permission_response", "request_id": e.RequestID, "decision": "allow"}
	if e.Required != "read-only" {
		response["decision"], response["reason"] = "deny", "this client allows reading only"
	}
	return response
}
