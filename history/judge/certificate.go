package judge

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
)

// Certify writes a commit order, transactions by their indexes and -1 for the
// initial one, to a file: a transaction a line, its index from 0 or init.
func (f *File) Certify(path string, order []int) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return &CertificateError{err}
	}
	defer func() {
		if e := out.Close(); err == nil {
			err = e
		}
	}()
	w := bufio.NewWriter(out)
	for _, t := range order {
		if t < 0 {
			fmt.Fprintln(w, "init")
		} else {
			fmt.Fprintln(w, t)
		}
	}
	return w.Flush()
}

// CertificateError is met when the file of a certificate cannot be written.
type CertificateError struct{ Err error }

// Error says why the file cannot be written.
func (e *CertificateError) Error() string { return "the certificate: " + e.Err.Error() }

// Unwrap returns what has failed.
func (e *CertificateError) Unwrap() error { return e.Err }

// Names lists transactions as the file names them.
func (f *File) Names(ctx context.Context, indexes []int) string {
	txns, err := f.Read(ctx, indexes)
	if err != nil {
		return fmt.Sprint(indexes)
	}
	var names []string
	for _, i := range indexes {
		if t := txns[i]; t != nil {
			names = append(names, fmt.Sprintf("%s of session %s", t.ID, t.Session))
		}
	}
	return strings.Join(names, ", ")
}
