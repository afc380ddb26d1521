package txmc_test

import (
	"testing"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/testdata/bank"
)

func TestTransfer(t *testing.T) {
	txmc.Check(t, bank.ExploreTransfer)
}
