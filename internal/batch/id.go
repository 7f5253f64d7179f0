package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// taskID returns the id of a task that names none: 16 hex digits of the SHA-256 of its line with sorted members.
func taskID(line []byte) (string, error) {
	value := jsontext.Value(line).Clone()
	if err := value.Canonicalize(); err != nil {
		return "", fmt.Errorf("it is not JSON: %w", err)
	}
	sum := sha256.Sum256(value)
	return hex.EncodeToString(sum[:8]), nil
}

// Digest returns the SHA-256 over all tasks with their defaults, in hex. The order of the tasks counts.
func Digest(tasks []Task) (string, error) {
	all := sha256.New()
	for _, task := range tasks {
		line, err := encodeTask(task)
		if err != nil {
			return "", err
		}
		all.Write(append(line, '\n'))
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// batchID returns the id of a batch that is not named: 12 hex digits of its digest.
func batchID(digest string) string { return digest[:12] }

// encodeTask returns a task as JSON with sorted members: equal tasks are equal bytes.
func encodeTask(task Task) (jsontext.Value, error) {
	line, err := json.Marshal(task, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode task %s: %w", task.ID, err)
	}
	value := jsontext.Value(line)
	return value, value.Canonicalize()
}

// equalTasks reports whether two tasks are the same.
func equalTasks(a, b Task) bool {
	x, err := encodeTask(a)
	y, err2 := encodeTask(b)
	return err == nil && err2 == nil && string(x) == string(y)
}
