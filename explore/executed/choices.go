package executed

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/txmc/txmc/isolation/postgres"
	"github.com/txmc/txmc/program"
)

// The words of choices: a session makes its next step; a woken statement goes on, the
// one at that place of the queue; a session is the victim of a deadlock.
const (
	runs     = "run"
	goesOn   = "next"
	isVictim = "victim"
)

// Choices puts a schedule into words, with names in place of numbers.
func Choices(client *program.Client, way []postgres.Choice) []string {
	list := make([]string, len(way))
	for i, c := range way {
		switch c.Kind {
		case postgres.RunSession:
			list[i] = runs + " " + client.SessionName(int(c.N))
		case postgres.FailVictim:
			list[i] = isVictim + " " + client.SessionName(int(c.N))
		default:
			list[i] = fmt.Sprint(goesOn, " ", c.N)
		}
	}
	return list
}

// Schedule is the inverse of Choices. The second result is the first choice that
// cannot be one of the program, or "".
func Schedule(client *program.Client, choices []string) (way []postgres.Choice, not string) {
	sessions := map[string]int{}
	for i := range client.Sessions() {
		sessions[client.SessionName(i)] = i
	}
	for _, text := range choices {
		word, rest, _ := strings.Cut(text, " ")
		n, known := sessions[rest]
		c := postgres.Choice{N: int8(n)}
		switch word {
		case runs:
			c.Kind = postgres.RunSession
		case isVictim:
			c.Kind = postgres.FailVictim
		case goesOn:
			place, err := strconv.ParseInt(rest, 10, 8)
			c, known = postgres.Choice{Kind: postgres.RunTask, N: int8(place)}, err == nil
		default:
			known = false
		}
		if !known {
			return way, text
		}
		way = append(way, c)
	}
	return way, ""
}
