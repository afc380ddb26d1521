package stress

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/txmc/txmc/history/format"
)

// Kept says what becomes of the history. The command has it as flags.
type Kept struct {
	History string `short:"o" placeholder:"FILE" help:"Keep the history in that file. Without it, it is kept in a temporary file unless all levels are satisfied."`
	To      string `default:"txmc" placeholder:"FORMAT" help:"The format of the history in that file: ${writable}; ${default} by default. It is recorded in the format txmc in any case, in FILE.txmc when that is another one."`

	to *format.Format
}

// Check says what is wrong with the options. It must be called first.
func (k *Kept) Check() (err error) {
	if k.to, err = format.Writable(k.To); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	return nil
}

// Recorded is the file in which the history is recorded.
func (k *Kept) Recorded() string {
	if k.to.Name != "txmc" && k.History != "" {
		return k.History + ".txmc"
	}
	return cmp.Or(k.History, filepath.Join(os.TempDir(), fmt.Sprintf("txmc-stress-%d.jsonl", os.Getpid())))
}

// Failed says where what was recorded is after a run that has failed.
func (k *Kept) Failed() string {
	if info, err := os.Stat(k.Recorded()); err != nil || info.Size() == 0 {
		os.Remove(k.Recorded())
		return ""
	}
	return "; what was recorded until then is in " + k.Recorded()
}

// End keeps the history where it is wanted, in the format that is wanted, after it was found
// to be satisfied or not. It returns what is to be said.
func (k *Kept) End(ctx context.Context, satisfied bool) (string, error) {
	recorded := k.Recorded()
	switch {
	case k.History == "" && satisfied:
		return "", os.Remove(recorded)
	case k.History == "":
		return "the history is in " + recorded, nil
	case k.to.Name == "txmc":
		return "", nil
	}
	own, err := format.ByName("txmc")
	if err != nil {
		return "", err
	}
	w, err := format.Create(k.History, nil)
	if err != nil {
		return "", fmt.Errorf("-o: %w", err)
	}
	note, err := format.Convert(ctx, recorded, own, k.to, w)
	return note, w.End(err)
}
