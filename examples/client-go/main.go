// Command client-go sends a prompt to parley over the ScaiFlux serve protocol and prints the answer.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
)

func main() {
	server := exec.Command(cmp.Or(os.Getenv("PARLEY"), "parley"), "scaiflux", "serve", "--permission-mode", "read-only")
	server.Stderr = os.Stderr // for users; the protocol is on stdout alone
	stdin, _ := server.StdinPipe()
	stdout, _ := server.StdoutPipe()
	if err := server.Start(); err != nil {
		log.Fatal(err)
	}
	for send, from := json.NewEncoder(stdin).Encode, json.NewDecoder(stdout); ; { // an error of send ends stdout too
		var e map[string]any
		if err := from.Decode(&e); err != nil || e["type"] == "error" {
			log.Fatal("the turn has not ended: ", cmp.Or(e["message"], any(err)))
		}
		switch e["type"] {
		case "ready":
			_ = send(map[string]string{"type": "prompt", "text": os.Args[1]})
		case "text_delta":
			fmt.Print(e["delta"])
		case "permission_request": // allow what only reads
			decision := map[bool]string{true: "allow", false: "deny"}[e["required_mode"] == "read-only"]
			_ = send(map[string]any{"type": "permission_response", "request_id": e["request_id"], "decision": decision})
		case "turn_complete":
			_ = stdin.Close() // ends the server
			_ = server.Wait()
			return
		}
	}
}
