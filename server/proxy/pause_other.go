//go:build !unix

package proxy

import "time"

func wait(d time.Duration) { time.Sleep(d) }
