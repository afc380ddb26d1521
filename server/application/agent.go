package application

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// An agent is a file that the runtime of a language loads before an application: it makes statements say which request and which
// line has sent them. It stands in the user's cache, where all processes may load it.

//go:embed agent/node.cjs
var agents embed.FS

// Agents are the languages that have one.
var Agents = []string{"node"}

// agentEnvironment are the variables by which a runtime loads an agent.
func agentEnvironment(language string) ([]string, error) {
	if language == "" {
		return nil, nil
	}
	text, err := agents.ReadFile("agent/" + language + ".cjs")
	if err != nil {
		return nil, err
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	dir = filepath.Join(dir, "txmc", "agent")
	name := filepath.Join(dir, language+"-"+hex.EncodeToString(sum[:6])+".cjs")
	if _, err := os.Stat(name); err != nil {
		if err := place(dir, name, text); err != nil {
			return nil, err
		}
	}
	return []string{fmt.Sprintf("NODE_OPTIONS=%s --require=%q", os.Getenv("NODE_OPTIONS"), name)}, nil
}

// place writes a file, whole or not at all.
func place(dir, name string, text []byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
}
