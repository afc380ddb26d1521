package schema

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/txmc/txmc/program/rows"
)

// Extensions of PostgreSQL that a schema uses and does not make: whoever sets up the server has.

// extensions are those of which functions and types are used so, by their names.
var extensions = []struct {
	name string
	uses *regexp.Regexp
}{
	{"uuid-ossp", regexp.MustCompile(`(?i)\buuid_generate_v\d`)},
	{"citext", regexp.MustCompile(`(?i)\bcitext\b`)},
	{"pgcrypto", regexp.MustCompile(`(?i)\bgen_salt\s*\(|\bdigest\s*\(|\bgen_random_bytes\s*\(`)},
	{"pg_trgm", regexp.MustCompile(`(?i)\bg(?:in|ist)_trgm_ops\b`)},
}

// Uses names the extensions that a text uses.
func Uses(text string) (list []string) {
	for _, e := range extensions {
		if e.uses.MatchString(text) {
			list = append(list, e.name)
		}
	}
	return list
}

// Extended are the scripts behind one that makes the extensions which they use, and none of them makes.
func Extended(scripts []rows.Script) []rows.Script {
	var text strings.Builder
	for _, s := range scripts {
		text.WriteString(s.Text + "\n")
	}
	var made strings.Builder
	for _, name := range Uses(text.String()) {
		if !regexp.MustCompile(`(?i)CREATE\s+EXTENSION\s[^;]*` + name).MatchString(text.String()) {
			fmt.Fprintln(&made, Extension(name)+";")
		}
	}
	if made.Len() == 0 {
		return scripts
	}
	return append([]rows.Script{{Name: "extensions that are used", Text: made.String()}}, scripts...)
}

// Extension is the statement that makes an extension.
func Extension(name string) string { return fmt.Sprintf("CREATE EXTENSION IF NOT EXISTS %q", name) }
