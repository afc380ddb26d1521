package tpcc

import (
	"context"
	"database/sql"
	"fmt"
)

// The consistency conditions of TPC-C (revision 5.11, clause 3.3.2). Each query counts the
// places where one does not hold.

// count asks how often a condition is broken.
func count(ctx context.Context, db *sql.DB, condition, query string) error {
	var n int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM ("+query+") broken").Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		return fmt.Errorf("%s: does not hold in %d places", condition, n)
	}
	return nil
}

// Invariant1: W_YTD = sum(D_YTD) for each warehouse.
func Invariant1(ctx context.Context, db *sql.DB) error {
	return count(ctx, db, "W_YTD = sum(D_YTD)",
		"SELECT 1 FROM warehouse WHERE w_ytd <> (SELECT coalesce(sum(d_ytd), 0) FROM district WHERE d_w_id = w_id)")
}

// Invariant2: D_NEXT_O_ID - 1 = max(O_ID) = max(NO_O_ID) for each district; the latter
// where orders are not delivered.
func Invariant2(ctx context.Context, db *sql.DB) error {
	return count(ctx, db, "D_NEXT_O_ID - 1 = max(O_ID) = max(NO_O_ID)",
		`SELECT 1 FROM district WHERE d_next_o_id - 1 <> (SELECT max(o_id) FROM oorder WHERE o_w_id = d_w_id AND o_d_id = d_id)
			OR d_next_o_id - 1 <> (SELECT max(no_o_id) FROM new_order WHERE no_w_id = d_w_id AND no_d_id = d_id)`)
}

// Invariant3: max(NO_O_ID) - min(NO_O_ID) + 1 is the number of new orders of a district.
func Invariant3(ctx context.Context, db *sql.DB) error {
	return count(ctx, db, "max(NO_O_ID) - min(NO_O_ID) + 1 = count(NEW-ORDER)",
		"SELECT 1 FROM new_order GROUP BY no_w_id, no_d_id HAVING max(no_o_id) - min(no_o_id) + 1 <> count(*)")
}

// Invariant4: sum(O_OL_CNT) is the number of order lines of a district.
func Invariant4(ctx context.Context, db *sql.DB) error {
	return count(ctx, db, "sum(O_OL_CNT) = count(ORDER-LINE)",
		`SELECT 1 FROM district WHERE (SELECT coalesce(sum(o_ol_cnt), 0) FROM oorder WHERE o_w_id = d_w_id AND o_d_id = d_id)
			<> (SELECT count(*) FROM order_line WHERE ol_w_id = d_w_id AND ol_d_id = d_id)`)
}

// Invariant5: O_CARRIER_ID is null if and only if the order is among the new ones.
func Invariant5(ctx context.Context, db *sql.DB) error {
	return count(ctx, db, "O_CARRIER_ID is null for new orders alone",
		`SELECT 1 FROM oorder WHERE (o_carrier_id IS NULL)
			<> EXISTS (SELECT 1 FROM new_order WHERE no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id)`)
}

// Invariant6: O_OL_CNT is the number of lines of an order.
func Invariant6(ctx context.Context, db *sql.DB) error {
	return count(ctx, db, "O_OL_CNT = count(ORDER-LINE) of the order",
		"SELECT 1 FROM oorder WHERE o_ol_cnt <> (SELECT count(*) FROM order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id)")
}

// Invariant7: lines are delivered (OL_DELIVERY_D is no null) if and only if their order has
// a carrier.
func Invariant7(ctx context.Context, db *sql.DB) error {
	return count(ctx, db, "OL_DELIVERY_D is null where O_CARRIER_ID is",
		`SELECT 1 FROM order_line JOIN oorder ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
			WHERE ol_delivered <> (o_carrier_id IS NOT NULL)`)
}

// Invariant8: W_YTD = sum(H_AMOUNT) for each warehouse.
func Invariant8(ctx context.Context, db *sql.DB) error {
	return count(ctx, db, "W_YTD = sum(H_AMOUNT)",
		"SELECT 1 FROM warehouse WHERE w_ytd <> (SELECT coalesce(sum(h_amount), 0) FROM history WHERE h_c_w_id = w_id)")
}

// Invariant9: D_YTD = sum(H_AMOUNT) for each district.
func Invariant9(ctx context.Context, db *sql.DB) error {
	return count(ctx, db, "D_YTD = sum(H_AMOUNT)",
		"SELECT 1 FROM district WHERE d_ytd <> (SELECT coalesce(sum(h_amount), 0) FROM history WHERE h_c_w_id = d_w_id AND h_c_d_id = d_id)")
}

// delivered and paid are sums over what a customer has ordered and paid.
const (
	delivered = `(SELECT coalesce(sum(ol_amount), 0) FROM order_line JOIN oorder ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
		WHERE ol_delivered AND o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id)`
	paid = "(SELECT coalesce(sum(h_amount), 0) FROM history WHERE h_c_w_id = c_w_id AND h_c_d_id = c_d_id AND h_c_id = c_id)"
)

// Invariant10: C_BALANCE = sum(OL_AMOUNT) of delivered lines - sum(H_AMOUNT).
func Invariant10(ctx context.Context, db *sql.DB) error {
	return count(ctx, db, "C_BALANCE = sum(OL_AMOUNT) - sum(H_AMOUNT)", "SELECT 1 FROM customer WHERE c_balance <> "+delivered+" - "+paid)
}

// Invariant11: the number of orders less that of new orders, for each district, is that of
// the deliveries. The clause has 2,100 for it, which is how many the initial rows have;
// deliveries are counted by C_DELIVERY_CNT.
func Invariant11(ctx context.Context, db *sql.DB) error {
	return count(ctx, db, "count(ORDER) - count(NEW-ORDER) = deliveries",
		`SELECT 1 FROM district WHERE (SELECT count(*) FROM oorder WHERE o_w_id = d_w_id AND o_d_id = d_id)
			- (SELECT count(*) FROM new_order WHERE no_w_id = d_w_id AND no_d_id = d_id)
			<> (SELECT coalesce(sum(c_delivery_cnt), 0) FROM customer WHERE c_w_id = d_w_id AND c_d_id = d_id)`)
}

// Invariant12: C_BALANCE + C_YTD_PAYMENT = sum(OL_AMOUNT) of delivered lines.
func Invariant12(ctx context.Context, db *sql.DB) error {
	return count(ctx, db, "C_BALANCE + C_YTD_PAYMENT = sum(OL_AMOUNT)", "SELECT 1 FROM customer WHERE c_balance + c_ytd_payment <> "+delivered)
}
