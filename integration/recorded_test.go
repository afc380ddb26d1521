package integration_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/program/deadlinetest"
)

// Code whose statements libraries make at run time: gorm sends them with parameters, bun writes
// arguments into the texts. Their mistakes are found, and are confirmed on a PostgreSQL where
// there is one; the right forms are in no anomaly by themselves.
func TestFindInMappers(t *testing.T) {
	for dir, want := range map[string][]string{
		"./gormshop": {"Shop.Deposit Shop.Deposit", "Shop.Deposit Shop.DepositAtomic", "Shop.Redeem Shop.Redeem", "Shop.Redeem Shop.RedeemLocked", "Shop.Take Shop.Take"},
		"./bunshop":  {"Shop.Cast Shop.Cast", "Shop.Sell Shop.Sell", "Shop.Sell Shop.SellAtomic"},
	} {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if dir == "./gormshop" {
				inFull(t)
			}
			args := []string{dir}
			servers, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
			if err == nil && len(servers) > 0 {
				args = append(args, "--confirm=postgres:temp")
			}
			if deadlinetest.Full() {
				args = served(dir)
			}
			got := finds(t, ".", args...)
			happen(t, got)
			if !slices.Equal(got.calls, want) {
				t.Errorf("anomalies of %q, not %q", got.calls, want)
			}
			for _, v := range got.verdicts {
				if len(args) > 1 && v != "confirmed" {
					t.Errorf("on a server an anomaly is %q", v)
				}
			}
		})
	}
}

// The schema is what the application's own code makes of its types, by the names that its configuration of gorm gives.
func TestFindSchemaByCode(t *testing.T) {
	got := finds(t, ".", "./gormwallet")
	if want := []string{"Wallets.Pay Wallets.Pay"}; !slices.Equal(got.calls, want) {
		t.Errorf("anomalies of %q, not %q", got.calls, want)
	}
}

// Without a run it is told which statements are not known.
func TestFindNotRun(t *testing.T) {
	name, err := command()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), name, "find", "./gormshop", "--no-run", "-v").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.Contains(string(out), "gorm.Save makes its statement at run time\n") || !strings.Contains(string(out), "0 transactions") {
		t.Errorf("%v\n%s", err, out)
	}
}
