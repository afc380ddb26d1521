package monkeydb

import (
	"slices"
	"strconv"
)

// microBenchmark is a small program on keys and values.
type microBenchmark struct {
	name       string
	sessions   int
	assertions []string
	initial    func() map[string]value
	// run runs an iteration, and tells which assertions broke.
	run func(m *micro) []bool
}

// micros are the micro-benchmarks of the paper's table 1.
func micros() []microBenchmark {
	return []microBenchmark{
		{"stack", 3, []string{"element popped more than once"}, stackBefore, runStack},
		{"courseware", 2, []string{"course registration overflow", "removed course registration"}, coursewareBefore, runCourseware},
		{"shopping cart", 2, []string{"item reappears after deletion"}, cartBefore, runCart},
		{"twitter", 3, []string{"missing tweets in feed"}, twitterBefore, runTwitter},
	}
}

// A Treiber stack: the head has the name of the top node, a node its value and the
// name of the node below. There is no node 0.

const head = "head"

func stackBefore() map[string]value { return map[string]value{head: {0}} }

func node(n int) string { return "node " + strconv.Itoa(n) }

// push puts a value on the stack.
func (m *micro) push(session, v int) {
	m.keys++
	name := m.keys*10 + session
	m.write(session, node(name), value{v, 0})
	for m.err == nil {
		top := m.first(session, head)
		m.write(session, node(name), value{v, top})
		if m.swap(session, top, name) {
			return
		}
	}
}

// pop returns the value on top; 0 when there is none.
func (m *micro) pop(session int) int {
	for m.err == nil {
		top := m.first(session, head)
		if top == 0 {
			return 0
		}
		n := m.read(session, node(top))
		if n == nil {
			return 0
		}
		if m.swap(session, top, n[1]) {
			return n[0]
		}
	}
	return 0
}

// swap makes a node the top, if the top is still the old one.
func (m *micro) swap(session, old, top int) bool {
	if m.first(session, head) != old {
		return false
	}
	m.write(session, head, value{top})
	return true
}

func (m *micro) first(session int, key string) int {
	if v := m.read(session, key); len(v) > 0 {
		return v[0]
	}
	return 0
}

func runStack(m *micro) []bool {
	var popped []int
	push := func(s, i int) func() { return func() { m.push(s, s*10+i) } }
	pop := func(s int) func() { return func() { popped = append(popped, m.pop(s)) } }
	m.interleave(
		[]func(){push(1, 1), push(1, 2), pop(1)},
		[]func(){pop(2), push(2, 2), pop(2)},
		[]func(){pop(3), pop(3)})
	popped = slices.DeleteFunc(popped, func(v int) bool { return v == 0 })
	n := len(popped)
	slices.Sort(popped)
	return []bool{len(slices.Compact(popped)) < n}
}

// Courseware: a course is open or not, and has a capacity; enrolled are the students
// of a course, and the courses of a student; offered are the courses.

const cs101, hs201, ph301 = 1, 2, 3

func coursewareBefore() map[string]value {
	all := map[string]value{"courses": {cs101, hs201, ph301}}
	for course, capacity := range map[int]int{cs101: 1, hs201: 2, ph301: 1} {
		all[of("course", course)] = value{1, capacity}
		all[of("enrolled in", course)] = value{}
	}
	for student := 1; student <= 3; student++ {
		all[of("enrolled", student)] = value{}
	}
	return all
}

func of(name string, n int) string { return name + " " + strconv.Itoa(n) }

func (m *micro) enroll(session, student, course int) {
	c := m.read(session, of("course", course))
	if len(c) < 2 || c[0] == 0 {
		return
	}
	in := m.read(session, of("enrolled in", course))
	if len(in) >= c[1] {
		m.write(session, of("course", course), value{0, c[1]})
		return
	}
	m.write(session, of("enrolled in", course), append(slices.Clone(in), student))
	courses := m.read(session, of("enrolled", student))
	m.write(session, of("enrolled", student), append(slices.Clone(courses), course))
}

func (m *micro) removeCourse(session, course int) {
	if c := m.read(session, of("course", course)); len(c) == 2 {
		m.write(session, of("course", course), value{0, c[1]})
	}
	courses := m.read(session, "courses")
	m.write(session, "courses", slices.DeleteFunc(slices.Clone(courses), func(c int) bool { return c == course }))
	m.write(session, of("enrolled in", course), value{})
}

// enrollments are the students by course, of the courses that are offered.
func (m *micro) enrollments(session int) map[int]value {
	all := map[int]value{}
	for _, c := range m.read(session, "courses") {
		all[c] = m.read(session, of("enrolled in", c))
	}
	return all
}

func runCourseware(m *micro) []bool {
	const one, two = 1, 2
	var before, after, others map[int]value
	var left value
	m.interleave(
		[]func(){
			func() { m.enroll(1, one, cs101) }, func() { before = m.enrollments(1) },
			func() { m.enroll(1, one, hs201) }, func() { after = m.enrollments(1) }},
		[]func(){
			func() { m.enroll(2, two, cs101) }, func() { others = m.enrollments(2) },
			func() { m.removeCourse(2, hs201) }, func() { left = m.read(2, of("enrolled in", hs201)) }})
	registered := slices.Contains(before[cs101], one)
	times := 0
	for _, students := range after {
		for _, s := range students {
			if s == one {
				times++
			}
		}
	}
	removed := slices.Contains(left, one)
	return []bool{
		registered && slices.Contains(others[cs101], two),
		removed && (times == 2 || times == 1 && !registered),
	}
}

// A shopping cart: a list of items, and a quantity for each.

const cart, shoes, ball = "cart", 1, 4

func cartBefore() map[string]value {
	return map[string]value{cart: {shoes}, of("quantity", shoes): {1}}
}

func (m *micro) addItem(session, item, n int) {
	if items := m.read(session, cart); !slices.Contains(items, item) {
		m.write(session, cart, append(slices.Clone(items), item))
	}
	m.write(session, of("quantity", item), value{m.first(session, of("quantity", item)) + n})
}

func (m *micro) removeItem(session, item int) {
	items := slices.Clone(m.read(session, cart))
	if slices.Contains(items, item) {
		m.write(session, of("quantity", item), value{0})
	}
	m.write(session, cart, slices.DeleteFunc(items, func(i int) bool { return i == item }))
}

func runCart(m *micro) []bool {
	reappears := false
	look := func(session int) func() {
		return func() {
			items := m.read(session, cart)
			for _, i := range items {
				m.read(session, of("quantity", i))
			}
			reappears = reappears || session == 1 && slices.Contains(items, shoes)
		}
	}
	m.interleave(
		[]func(){func() { m.removeItem(1, shoes) }, look(1), look(1)},
		[]func(){func() { m.addItem(2, ball, 3) }, look(2), look(2)})
	return []bool{reappears}
}

// Twitter: whom a user follows, the tweets of a user, and each tweet.

func twitterBefore() map[string]value {
	all := map[string]value{}
	for user := 1; user <= 3; user++ {
		all[of("following", user)], all[of("followers", user)], all[of("tweets", user)] = value{}, value{}, value{}
	}
	return all
}

func (m *micro) tweet(user, id int) {
	m.write(user, of("tweet", id), value{id})
	tweets := m.read(user, of("tweets", user))
	m.write(user, of("tweets", user), append(slices.Clone(tweets), id))
}

func (m *micro) follow(user, other int) {
	following := m.read(user, of("following", user))
	m.write(user, of("following", user), append(slices.Clone(following), other))
	followers := m.read(user, of("followers", other))
	m.write(user, of("followers", other), append(slices.Clone(followers), user))
}

// timeline counts the tweets of a user that can be read.
func (m *micro) timeline(session, user int) (n int) {
	for _, id := range m.read(session, of("tweets", user)) {
		if m.read(session, of("tweet", id)) != nil {
			n++
		}
	}
	return n
}

func (m *micro) newsfeed(user int) (n int) {
	for _, other := range m.read(user, of("following", user)) {
		n += m.timeline(user, other)
	}
	return n
}

func runTwitter(m *micro) []bool {
	seen, missing := 0, false
	m.interleave(
		[]func(){func() { m.tweet(1, 1) }, func() { m.tweet(1, 2) }},
		[]func(){func() { m.follow(2, 1) }, func() {
			feed := m.newsfeed(2)
			missing = seen > feed
		}},
		[]func(){func() { seen = m.timeline(3, 1) }})
	return []bool{missing}
}
