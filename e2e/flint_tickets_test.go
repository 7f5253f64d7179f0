package e2e

import (
	"context"
	"fmt"
	"os"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ticketsHold makes the test binary a tool server: it names a pipe that the server holds as
// long as it lives.
const ticketsHold = "PARLEY_TEST_TICKETS"

func init() {
	if path := os.Getenv(ticketsHold); path != "" {
		os.Exit(serveTickets(path))
	}
}

type ticket struct {
	N int `json:"n"`
}

type ticketState struct {
	State string `json:"state"`
}

func serveTickets(path string) int {
	hold, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return 90
	}
	defer hold.Close()
	s := sdk.NewServer(&sdk.Implementation{Name: "tickets", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "get", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *sdk.CallToolRequest, in ticket) (*sdk.CallToolResult, ticketState, error) {
			return nil, ticketState{fmt.Sprintf("%d is open", in.N)}, nil
		})
	if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		return 91
	}
	return 0
}
