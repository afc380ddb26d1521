package format

import (
	"fmt"

	"github.com/txmc/txmc/history"
)

// Of some reads Cobra's logs have only the hash of the value. Such a read is from the one
// write of the key with that hash, whichever log that stands in. Where several writes have
// the hash, the logs do not tell which it is, and the history is refused.

// keyHash is a value of a key, by its hash.
type keyHash struct{ key, hash int64 }

// hashed is who has written a value of which only the hash is known.
type hashed struct {
	write   int64 // the first, by number
	writes  int
	initial bool // reads of the initial value have the hash too
}

// byHash is the value that such a read returned.
func (s *source) byHash(key, hash int64) (history.Value, error) {
	if s.folder == nil {
		return history.Value{}, fmt.Errorf("a read of which only the hash of the value is known, outside a folder of logs")
	}
	if s.folder.hashes == nil {
		if err := s.folder.survey(); err != nil {
			return history.Value{}, err
		}
	}
	h := s.folder.hashes[keyHash{key, hash}]
	read := fmt.Sprintf("a read of key %x of which only the hash %x of the value is known", uint64(key), uint64(hash))
	switch {
	case h == nil || h.writes == 0 && !h.initial && !s.folder.initials[key]:
		return history.Value{}, fmt.Errorf("%s, which no write has, nor is the initial value of the key known: what was read is not in the logs", read)
	case h.writes == 0 && h.initial:
		return history.Value{Kind: history.Initial}, nil
	case h.writes == 0: // nobody's
		return history.Value{Text: fmt.Sprintf("hash %x", uint64(hash)), Kind: history.Text}, nil
	case h.writes == 1 && h.initial:
		return history.Value{}, fmt.Errorf("%s, which both write %d and the initial value have: which of them was read is not in the logs", read, h.write)
	case h.writes > 1:
		return history.Value{}, fmt.Errorf("%s, which %d writes have, the first with number %d: which of them was read is not in the logs", read, h.writes, h.write)
	}
	return number(h.write), nil
}

// survey looks through all logs for the hashes that reads know alone, and then for
// who wrote them. What is wrong with a log is left to its reading.
func (d *folder) survey() error {
	d.hashes, d.initials = map[keyHash]*hashed{}, map[int64]bool{}
	asked := map[int64]bool{}
	if err := d.records(func(kind byte, f [4]int64) {
		if kind == 'R' && f[0] == cobraUnknown && f[1] == cobraUnknown {
			d.hashes[keyHash{f[2], f[3]}] = &hashed{}
			asked[f[2]] = true
		}
	}); err != nil {
		return err
	}
	return d.records(func(kind byte, f [4]int64) {
		switch {
		case kind == 'W':
			if h := d.hashes[keyHash{f[1], f[2]}]; h != nil {
				if h.writes == 0 {
					h.write = f[0]
				}
				h.writes++
			}
		case kind == 'R' && (f[0] == cobraInitial || f[0] == cobraMissing):
			if asked[f[2]] {
				d.initials[f[2]] = true
			}
			if h := d.hashes[keyHash{f[2], f[3]}]; h != nil {
				h.initial = true
			}
		}
	})
}

// records calls each for the records of all logs.
func (d *folder) records(each func(kind byte, f [4]int64)) error {
	for _, path := range d.logs {
		s, err := open(d.ctx, path)
		if err != nil {
			return err
		}
		cobraLog(s, func(_ int64, kind byte, f [4]int64) error {
			each(kind, f)
			return nil
		})
		s.close()
		if err := d.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
