package stream

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// checkSync asks the monitoring port of a server when it syncs its files.
func (r *Report) checkSync(ctx context.Context, monitor string) {
	interval, err := readSync(ctx, monitor)
	switch {
	case err != nil:
		r.problem(ProblemMonitor, "monitoring port: %v", err)
		return
	case interval == "":
		r.problem(ProblemSync, "the server does not report its sync_interval; it must be always")
		return
	}
	if r.SyncInterval = interval; interval != alwaysSync {
		r.problem(ProblemSync, "sync_interval is %s: a power failure can lose what was acknowledged; set it to always", interval)
	}
}

// readSync returns the sync_interval of a server; "": it does not report it.
func readSync(ctx context.Context, monitor string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, AnswerTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(monitor, "/")+"/varz", nil)
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", monitor, answer.Status)
	}
	var status struct {
		JetStream struct {
			Config struct {
				Interval int64 `json:"sync_interval"`
				Always   bool  `json:"sync_always"`
			} `json:"config"`
		} `json:"jetstream"`
	}
	if err := json.UnmarshalRead(http.MaxBytesReader(nil, answer.Body, 1<<20), &status); err != nil {
		return "", fmt.Errorf("%s: %w", monitor, err)
	}
	switch config := status.JetStream.Config; {
	case config.Always:
		return alwaysSync, nil
	case config.Interval > 0:
		return time.Duration(config.Interval).String(), nil
	}
	return "", nil
}
