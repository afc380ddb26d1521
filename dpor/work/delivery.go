package work

import "sync/atomic"

// Delivery is where all workers hand on what they find.
type Delivery struct {
	All     bool         // the first violation does not stop the exploration
	List    bool         // every history is wanted
	Limit   int64        // of histories; 0: none
	Counted atomic.Int64 // histories counted by all workers, when they are limited
	Send    func(*Found) error
}
