// Command applications runs txmc find on public applications as they are, and prints a line of a table for each. It changes
// nothing in them, and downloads none:
//
//	git clone https://github.com/OWNER/NAME CLONES/OWNER+NAME
//	go build -o /tmp/txmc ./cmd/txmc
//	go run ./bench/applications -txmc=/tmp/txmc CLONES
//
// Of each the commit that the list names is copied to a temporary directory. Applications that are not below CLONES are left out.
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/txmc/txmc/explore/find"
)

// list has a line for each application: its name, commit, directory of the module, libraries and flags.
//
//go:embed applications.txt
var list string

func main() {
	txmc := flag.String("txmc", "txmc", "the command")
	only := flag.String("run", "", "run the applications whose names match")
	budget := flag.String("budget", "2m", "of each search")
	flag.Parse()
	if err := run(os.Stdout, *txmc, flag.Arg(0), *only, *budget); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// application is a line of the list.
type application struct {
	name, commit, dir, libraries string
	flags                        []string
}

// applications reads the list.
func applications(text string) (all []application, err error) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(words[0], "#"):
		case len(words) < 4:
			return nil, fmt.Errorf("a line has a name, a commit, a directory and libraries: %s", line)
		default:
			all = append(all, application{words[0], words[1], words[2], words[3], words[4:]})
		}
	}
	return all, nil
}

func run(out io.Writer, txmc, clones, only, budget string) error {
	all, err := applications(list)
	if err != nil {
		return err
	}
	matches, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	fmt.Fprintln(out, "| application | commit | libraries | transactions | structures | bugs | ended by | time |\n|---|---|---|---|---|---|---|---|")
	for _, a := range all {
		clone := filepath.Join(clones, strings.ReplaceAll(a.name, "/", "+"))
		if _, err := os.Stat(clone); err != nil || !matches.MatchString(a.name) {
			continue
		}
		row, err := a.row(txmc, clone, budget)
		if err != nil {
			row = "| " + a.name + " | " + a.commit + " | " + a.libraries + " | | | | " + strings.ReplaceAll(err.Error(), "\n", " ") + " | |"
		}
		fmt.Fprintln(out, row)
	}
	return nil
}

// row is the line of the table.
func (a application) row(txmc, clone, budget string) (string, error) {
	dir, err := os.MkdirTemp("", "applications-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := copied(clone, a.commit, dir); err != nil {
		return "", err
	}
	started := time.Now()
	cmd := exec.Command(txmc, append([]string{"find", "./...", "--format=json", "--budget=" + budget}, a.flags...)...)
	cmd.Dir, cmd.Stderr = filepath.Join(dir, a.dir), os.Stderr
	said, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return "", err
	}
	var r find.Report
	if err := json.Unmarshal(said, &r); err != nil {
		return "", fmt.Errorf("no report: exit status %d", cmd.ProcessState.ExitCode())
	}
	return line(a, &r, time.Since(started)), nil
}

// line is a line of the table with what a report says.
func line(a application, r *find.Report, took time.Duration) string {
	ended := "itself"
	if r.Interrupted {
		ended = "the budget"
	}
	return fmt.Sprintf("| %s | `%s` | %s | %d | %d, %d skipped | %d | %s | %s |", a.name, a.commit, a.libraries, r.Transactions, r.Structures, r.Skipped, len(r.Findings), ended, took.Round(time.Second))
}

// copied copies the files of a commit.
func copied(clone, commit, to string) error {
	archive := exec.Command("git", "archive", commit)
	archive.Dir = clone
	var said bytes.Buffer
	archive.Stderr = &said
	extract := exec.Command("tar", "-x", "-C", to)
	pipe, err := archive.StdoutPipe()
	if err != nil {
		return err
	}
	extract.Stdin = bufio.NewReader(pipe)
	if err := errors.Join(archive.Start(), extract.Run(), archive.Wait()); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return nil
}
