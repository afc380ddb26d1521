// Package outside touches files and the network.
package outside

import (
	"bufio"
	"database/sql"
	"embed"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/txmc/txmc"
)

//go:embed outside.go
var embedded embed.FS

var text, _ = os.ReadFile("outside.go") // once

func ExploreOutside(p *txmc.Program) {
	data, _ := os.ReadFile("data.txt") // want `os.ReadFile reaches outside the program: .*\(outside\)`
	p.Session("s", func(s *txmc.Session) {
		s.Txn("t", func(tx *txmc.Tx) error {
			tx.Write("data", string(data))
			http.Get("http://localhost")                 // want `http.Get reaches outside`
			new(http.Client).Get("http://localhost")     // want `http.Client.Get reaches outside`
			http.DefaultClient.Head("http://localhost/") // want `http.DefaultClient reaches outside` `http.Client.Head reaches outside`
			net.Dial("tcp", "localhost:80")              // want `net.Dial reaches outside`
			sql.Open("postgres", "")                     // want `sql.Open reaches outside`
			do := new(http.Client).Do                    // want `http.Client.Do reaches outside`
			do(nil)
			exec.Command("true").Run()                 // want `exec.Command reaches outside`
			bufio.NewReader(os.Stdin).ReadString('\n') // want `os.Stdin is outside the program`
			return nil
		})
	})
}

// Printing, embedded files, paths and addresses are inside.
func ExploreInside(p *txmc.Program) {
	data, err := embedded.ReadFile("outside.go")
	if err != nil {
		panic(err)
	}
	p.Session("s", func(s *txmc.Session) {
		fmt.Println("run")
		fmt.Fprintln(os.Stderr, "run")
		log.Printf("%d bytes", len(data)+len(text))
		all, _ := io.ReadAll(strings.NewReader("text"))
		u, err := url.Parse("http://localhost/x")
		if err != nil {
			return
		}
		s.Observe("path", filepath.Join(u.Path, string(all)))
		s.Observe("ip", net.ParseIP("127.0.0.1").String())
		s.Observe("method", http.MethodGet)
		s.Observe("home", os.Getenv("HOME") != "")
	})
}
