package tpccsave

import (
	"context"
	"database/sql"

	"github.com/txmc/txmc/bench/clotho/tpcc"
)

// The consistency conditions of TPC-C, as package tpcc has them.

// Invariant1 is condition 1.
func Invariant1(ctx context.Context, db *sql.DB) error { return tpcc.Invariant1(ctx, db) }

// Invariant2 is condition 2.
func Invariant2(ctx context.Context, db *sql.DB) error { return tpcc.Invariant2(ctx, db) }

// Invariant3 is condition 3.
func Invariant3(ctx context.Context, db *sql.DB) error { return tpcc.Invariant3(ctx, db) }

// Invariant4 is condition 4.
func Invariant4(ctx context.Context, db *sql.DB) error { return tpcc.Invariant4(ctx, db) }

// Invariant5 is condition 5.
func Invariant5(ctx context.Context, db *sql.DB) error { return tpcc.Invariant5(ctx, db) }

// Invariant6 is condition 6.
func Invariant6(ctx context.Context, db *sql.DB) error { return tpcc.Invariant6(ctx, db) }

// Invariant7 is condition 7.
func Invariant7(ctx context.Context, db *sql.DB) error { return tpcc.Invariant7(ctx, db) }

// Invariant8 is condition 8.
func Invariant8(ctx context.Context, db *sql.DB) error { return tpcc.Invariant8(ctx, db) }

// Invariant9 is condition 9.
func Invariant9(ctx context.Context, db *sql.DB) error { return tpcc.Invariant9(ctx, db) }

// Invariant10 is condition 10.
func Invariant10(ctx context.Context, db *sql.DB) error { return tpcc.Invariant10(ctx, db) }

// Invariant11 is condition 11.
func Invariant11(ctx context.Context, db *sql.DB) error { return tpcc.Invariant11(ctx, db) }

// Invariant12 is condition 12.
func Invariant12(ctx context.Context, db *sql.DB) error { return tpcc.Invariant12(ctx, db) }
