package generate

import (
	"fmt"
	"math/rand/v2"
)

// The mixes of transactions. What they name is in the applications' initial rows
// under bench/data.

var courseware = []choice{
	{5, func(r *rand.Rand) string { return fmt.Sprintf("enroll %d %d", 1+r.IntN(5), 1+r.IntN(3)) }},
	{2, func(*rand.Rand) string { return "getEnrollments" }},
	{2, func(r *rand.Rand) string { return fmt.Sprintf("openCourse %d", 1+r.IntN(3)) }},
	{2, func(r *rand.Rand) string { return fmt.Sprintf("closeCourse %d", 1+r.IntN(3)) }},
	{1, func(r *rand.Rand) string { return fmt.Sprintf("deleteCourse %d", 1+r.IntN(3)) }},
}

var products = []string{"1;apple;0.4", "2;bread;3.2", "4;dates;5.0", "5;eggs;2.1"}

var shoppingCart = []choice{
	{2, func(r *rand.Rand) string { return "addItem " + one(r, products...) }},
	{2, func(r *rand.Rand) string {
		return fmt.Sprintf("addItemQuantity %s %d", one(r, products...), 2+r.IntN(8))
	}},
	{2, func(r *rand.Rand) string { return fmt.Sprintf("removeItem %d", 1+r.IntN(5)) }},
	{3, func(r *rand.Rand) string { return fmt.Sprintf("changeQuantity %d %d", 1+r.IntN(5), 1+r.IntN(20)) }},
	{2, func(r *rand.Rand) string { return fmt.Sprintf("getItem %d", 1+r.IntN(5)) }},
	{1, func(r *rand.Rand) string { return fmt.Sprintf("getQuantity %d", 1+r.IntN(5)) }},
	{2, func(*rand.Rand) string { return "getList" }},
}

func user(r *rand.Rand) string { return fmt.Sprintf("0;%d", 11+r.IntN(4)) }

var twitter = []choice{
	{3, func(r *rand.Rand) string {
		return fmt.Sprintf("publishTweet %d;%d;news;0", 600+r.IntN(100), 11+r.IntN(4))
	}},
	{3, func(r *rand.Rand) string { return "follow " + user(r) + " " + user(r) }},
	{2, func(r *rand.Rand) string { return "getFollowers " + user(r) }},
	{2, func(r *rand.Rand) string { return "getTimeline " + user(r) }},
	{2, func(r *rand.Rand) string { return "getNewsfeed " + user(r) }},
}

// article is a page that exists, as namespace and title.
func article(r *rand.Rand) string { return one(r, "0 Oslo", "0 Bergen", "1 Oslo") }

func reader(r *rand.Rand) int { return 7 + r.IntN(3) }

var wikipedia = []choice{
	{3, func(r *rand.Rand) string { return fmt.Sprintf("addWatchList %d %s", reader(r), article(r)) }},
	{3, func(r *rand.Rand) string { return fmt.Sprintf("removeWatchList %d %s", reader(r), article(r)) }},
	{2, func(r *rand.Rand) string { return "getPageAnonymous false 10.0.0.1 " + article(r) }},
	{2, func(r *rand.Rand) string {
		return fmt.Sprintf("getPageAuthenticated true 10.0.0.1 %d %s", reader(r), article(r))
	}},
	{3, func(r *rand.Rand) string {
		title, ns := one(r, "Oslo", "Bergen"), 0
		return fmt.Sprintf("updatePage %s %q %d %d 10.0.0.1 %q 0", title, title+" has changed.", ns, reader(r), "a correction")
	}},
}

// customers are warehouse, district, number and last name.
var customers = [][4]any{{0, 0, 1, "Berg"}, {0, 0, 2, "Dahl"}, {0, 0, 3, "Berg"}, {0, 1, 4, "Lie"}, {1, 0, 5, "Moen"}}

var tpcc = []choice{
	{4, func(r *rand.Rand) string {
		c := one(r, customers...)
		lines := "1 1 [72] [0] [1]"
		if r.IntN(3) == 0 {
			lines = fmt.Sprintf("2 1 [71,72] [0,%d] [3,1]", r.IntN(2))
		}
		return fmt.Sprintf("createNewOrder %d %d %d %s", c[0], c[1], c[2], lines)
	}},
	{4, func(r *rand.Rand) string {
		c := one(r, customers...)
		return fmt.Sprintf("payment %d %d %d %s %v %d.50", c[0], c[1], c[2], c[3], r.IntN(5) < 3, 1+r.IntN(40))
	}},
	{2, func(r *rand.Rand) string {
		c := one(r, customers...)
		return fmt.Sprintf("orderStatus %d %d %d %s %v", c[0], c[1], c[2], c[3], r.IntN(5) < 3)
	}},
	{2, func(r *rand.Rand) string {
		return fmt.Sprintf("stockLevel %d %d %d", r.IntN(2), r.IntN(2), one(r, 5, 10, 60))
	}},
	{2, func(r *rand.Rand) string {
		return fmt.Sprintf("delivery %d %d %d", 1+r.IntN(2), r.IntN(2), 1+r.IntN(9))
	}},
}
