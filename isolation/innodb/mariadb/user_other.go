//go:build !unix

package mariadb

import "syscall"

// unprivileged leaves processes to the user that they have.
func unprivileged(string) (*syscall.SysProcAttr, error) { return nil, nil }
