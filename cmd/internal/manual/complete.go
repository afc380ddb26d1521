package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// Shells are those for which there are completions.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// Completion writes what makes a shell complete the commands, their flags, and the
// values of flags that have few. Whatever else there is are files.
func Completion(w io.Writer, app *kong.Application, shell string) error {
	script := map[string]func(*kong.Application) string{"bash": bash, "zsh": zsh, "fish": fish}[shell]
	if script == nil {
		return fmt.Errorf("unknown shell %q: completions are for %s", shell, strings.Join(Shells(), ", "))
	}
	_, err := io.WriteString(w, script(app))
	return err
}

// names lists the commands.
func names(app *kong.Application) string {
	var list []string
	for _, c := range commands(app) {
		list = append(list, c.Name)
	}
	return strings.Join(list, " ")
}

// values are those that a flag may have; none when there are too many to name.
func values(f *kong.Flag) string {
	if f.Enum == "" {
		return ""
	}
	return strings.Join(f.EnumSlice(), " ")
}

// arguments are the words that a command's argument may be, as far as they can be named.
func arguments(app *kong.Application, c *kong.Node) string {
	if len(c.Positional) == 0 {
		return ""
	}
	switch a := c.Positional[0]; {
	case a.Name == "command":
		return names(app)
	case a.Enum != "":
		return strings.Join(a.EnumSlice(), " ")
	}
	return ""
}

// bash takes = apart: a value is a word of its own, after the flag and the sign.
func bash(app *kong.Application) string {
	var flagged, valued, given strings.Builder
	for _, c := range commands(app) {
		if list := arguments(app, c); list != "" {
			fmt.Fprintf(&given, "        %s) words='%s' ;;\n", c.Name, list)
		}
		var list []string
		for _, f := range flags(c) {
			list = append(list, "--"+f.Name)
			if v := values(f); v != "" {
				fmt.Fprintf(&valued, "        '%s --%s') words='%s' ;;\n", c.Name, f.Name, v)
			}
		}
		fmt.Fprintf(&flagged, "        %s) words='%s' ;;\n", c.Name, strings.Join(list, " "))
	}
	return fmt.Sprintf(`# Completion of %[1]s for bash: source this file.
_%[1]s() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=
    if [ "$COMP_CWORD" -eq 1 ]; then
        words='%[2]s'
    elif [ "$prev" = = ] || [ "$cur" = = ] || { [ "${prev#--}" != "$prev" ] && [ "${cur#-}" = "$cur" ]; }; then
        local flag=$prev
        [ "$prev" = = ] && flag=${COMP_WORDS[COMP_CWORD-2]}
        [ "$cur" = = ] && cur=
        case "${COMP_WORDS[1]} $flag" in
%[4]s        esac
    elif [ "${cur#-}" != "$cur" ]; then
        case ${COMP_WORDS[1]} in
%[3]s        esac
    elif [ "$COMP_CWORD" -eq 2 ]; then
        case ${COMP_WORDS[1]} in
%[5]s        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _%[1]s %[1]s
`, app.Name, names(app), flagged.String(), valued.String(), given.String())
}

func zsh(app *kong.Application) string {
	var described, cases strings.Builder
	quote := func(s string) string {
		return strings.NewReplacer("'", `'\''`, "[", "(", "]", ")", ":", `\:`).Replace(s)
	}
	for _, c := range commands(app) {
		fmt.Fprintf(&described, "        '%s:%s'\n", c.Name, quote(c.Help))
		fmt.Fprintf(&cases, "    %s) _arguments", c.Name)
		for _, f := range flags(c) {
			switch v := values(f); {
			case f.IsBool():
				fmt.Fprintf(&cases, " \\\n        '--%s[%s]'", f.Name, quote(f.Help))
			case v != "":
				fmt.Fprintf(&cases, " \\\n        '--%s=[%s]:value:(%s)'", f.Name, quote(f.Help), v)
			default:
				fmt.Fprintf(&cases, " \\\n        '--%s=[%s]:value:_files'", f.Name, quote(f.Help))
			}
		}
		if list := arguments(app, c); list != "" {
			fmt.Fprintf(&cases, " \\\n        '1:argument:(%s)' ;;\n", list)
			continue
		}
		cases.WriteString(" \\\n        '*:file:_files' ;;\n")
	}
	return fmt.Sprintf(`#compdef %[1]s
# Completion of %[1]s for zsh: put this file as _%[1]s in a directory of fpath.
_%[1]s() {
    local -a commands=(
%[2]s    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    shift words
    (( CURRENT-- ))
    case $words[1] in
%[3]s    esac
}
if [ "$funcstack[1]" = "_%[1]s" ]; then
    _%[1]s "$@"
else
    compdef _%[1]s %[1]s
fi
`, app.Name, described.String(), cases.String())
}

func fish(app *kong.Application) string {
	var b strings.Builder
	quote := func(s string) string { return "'" + strings.NewReplacer("\\", "\\\\", "'", `\'`).Replace(s) + "'" }
	fmt.Fprintf(&b, "# Completion of %[1]s for fish: put this file as %[1]s.fish in ~/.config/fish/completions.\n", app.Name)
	for _, c := range commands(app) {
		fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -f -a %s -d %s\n", app.Name, c.Name, quote(c.Help))
		if list := arguments(app, c); list != "" {
			fmt.Fprintf(&b, "complete -c %s -n '__fish_seen_subcommand_from %s' -f -a %s\n", app.Name, c.Name, quote(list))
		}
		for _, f := range flags(c) {
			fmt.Fprintf(&b, "complete -c %s -n '__fish_seen_subcommand_from %s' -l %s", app.Name, c.Name, f.Name)
			if f.Short != 0 {
				fmt.Fprintf(&b, " -s %c", f.Short)
			}
			switch v := values(f); {
			case f.IsBool():
			case v != "":
				b.WriteString(" -x -a " + quote(v))
			default:
				b.WriteString(" -r")
			}
			fmt.Fprintf(&b, " -d %s\n", quote(f.Help))
		}
	}
	return b.String()
}
