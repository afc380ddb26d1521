// Package causality shows a comment without the photo that it is about.
//
// Alice uploads a photo. Bob sees it and comments. Carol opens the album: she
// reads Bob's comment, but not yet Alice's photo, although Bob could not have
// written the one without having seen the other. To Carol's app a comment on
// nothing is a broken album.
//
// Read atomic looks one step back only: Carol reads from Bob, so she sees all that
// Bob wrote, but not what Bob had read. Causal consistency follows the chain to
// its beginning.
//
// Levels:
//
//	ExploreAlbum: breaks at rc, ra; holds at cc, pc, si, ser
package causality

import (
	"errors"

	"github.com/txmc/txmc"
)

var errNoPhoto = errors.New("no photo to comment on")

// ExploreAlbum: a photo, a comment on it, and a visitor.
func ExploreAlbum(p *txmc.Program) {
	photo := txmc.NewVar(p, "album/beach/photo", "")
	comments := txmc.NewVar[[]string](p, "album/beach/comments", nil)

	p.Session("alice", func(s *txmc.Session) {
		s.Txn("upload", func(tx *txmc.Tx) error {
			photo.Set(tx, "beach.jpg")
			return nil
		})
	})
	p.Session("bob", func(s *txmc.Session) {
		s.Txn("comment", func(tx *txmc.Tx) error {
			if photo.Get(tx) == "" {
				return errNoPhoto
			}
			comments.Set(tx, append(comments.Get(tx), "What a view!"))
			return nil
		})
	})
	p.Session("carol", func(s *txmc.Session) {
		s.Txn("open album", func(tx *txmc.Tx) error {
			n := len(comments.Get(tx))
			if photo.Get(tx) == "" {
				s.Assertf(n == 0, "%d comment on a photo that is not there", n)
			}
			return nil
		})
	})
}
