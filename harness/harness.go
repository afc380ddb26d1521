// Package harness is a placeholder until the command is built.
package harness
