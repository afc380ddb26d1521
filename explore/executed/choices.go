package executed

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
)

// The words of choices. A session makes its next step. A woken statement goes on, the one
// at that place of the queue. A session is the victim of a deadlock, or has waited for a
// lock for too long. InnoDB removes deleted records.
const (
	runs     = "run"
	goesOn   = "next"
	isVictim = "victim"
	purges   = "purge"
	timesOut = "timeout"
)

// Choices puts a schedule into words, with names in place of numbers.
func Choices(client *program.Client, way []model.Choice) []string {
	list := make([]string, len(way))
	for i, c := range way {
		switch c.Kind {
		case model.RunSession:
			list[i] = runs + " " + client.SessionName(int(c.N))
		case model.FailVictim:
			list[i] = isVictim + " " + client.SessionName(int(c.N))
		case model.TimeOut:
			list[i] = timesOut + " " + client.SessionName(int(c.N))
		case model.RunPurge:
			list[i] = fmt.Sprint(purges, " ", c.N)
		default:
			list[i] = fmt.Sprint(goesOn, " ", c.N)
		}
	}
	return list
}

// Schedule is the inverse of Choices. The second result is the first choice that
// cannot be one of the program, or "".
func Schedule(client *program.Client, choices []string) (way []model.Choice, not string) {
	sessions := map[string]int{}
	for i := range client.Sessions() {
		sessions[client.SessionName(i)] = i
	}
	for _, text := range choices {
		word, rest, _ := strings.Cut(text, " ")
		n, known := sessions[rest]
		c := model.Choice{N: int8(n)}
		switch word {
		case runs:
			c.Kind = model.RunSession
		case isVictim:
			c.Kind = model.FailVictim
		case timesOut:
			c.Kind = model.TimeOut
		case goesOn, purges:
			place, err := strconv.ParseInt(rest, 10, 8)
			c, known = model.Choice{Kind: model.RunTask, N: int8(place)}, err == nil
			if word == purges {
				c.Kind = model.RunPurge
			}
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
