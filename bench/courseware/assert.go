package courseware

import (
	"slices"
	"strings"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/data"
	"github.com/txmc/txmc/bench/table"
)

// Assert declares what must hold of the courses once every session has ended.
func Assert(p *txmc.Program) {
	p.Final("enrollments are in courses that exist", func(tx *txmc.Tx) error {
		courses := Course.IDs(tx)
		for _, e := range Enrollments.IDs(tx) {
			course, student, _ := strings.Cut(e, ":")
			if err := txmc.Assertf(slices.Contains(courses, course), "student %s is enrolled in course %s, which is deleted", student, course); err != nil {
				return err
			}
		}
		return nil
	})
	// What students were told counts, not what is left of it in the database.
	p.Invariant("no more enroll than there are places", func(o *txmc.Outcome) error {
		var told = map[string][]string{}
		for _, e := range Enrollments.Added(o, "enroll") {
			course, student, _ := strings.Cut(e, ":")
			if !slices.Contains(told[course], student) {
				told[course] = append(told[course], student)
			}
		}
		for _, s := range o.Sessions {
			for _, x := range s.Txn("enroll") {
				for _, r := range x.Reads {
					c, ok := r.Value.(table.Row)
					course, isCourse := strings.CutPrefix(r.Key, string(Course)+":")
					if ok && isCourse && len(told[course]) > c.Int(capacityColumn) {
						return txmc.Assertf(false, "course %s has %d places, and %d students were told that they have one", course, c.Int(capacityColumn), len(told[course]))
					}
				}
			}
		}
		return nil
	})
	p.Invariant("who is enrolled stays enrolled", func(o *txmc.Outcome) error {
		for _, s := range o.Sessions {
			if len(s.Txn("deleteCourse")) > 0 {
				return nil
			}
		}
		left := Enrollments.Final(o, 0)
		for _, e := range Enrollments.Added(o, "enroll") {
			if err := txmc.Assertf(slices.Contains(left, e), "enrollment %s is lost", e); err != nil {
				return err
			}
		}
		return nil
	})
}

// ExploreLastPlace: two students want the last place of a course.
func ExploreLastPlace(p *txmc.Program) {
	client.Scenario(p, App(), data.FS, []string{"enroll 1 1", "getEnrollments"}, []string{"enroll 2 1"})
}

// ExploreTwoCourses: two students enroll in different courses; the set of
// enrollments is one.
func ExploreTwoCourses(p *txmc.Program) {
	client.Scenario(p, App(), data.FS, []string{"enroll 1 1"}, []string{"enroll 2 2"})
}

// ExploreDelete: a course is deleted while a student enrolls.
func ExploreDelete(p *txmc.Program) {
	client.Scenario(p, App(), data.FS, []string{"enroll 1 2"}, []string{"deleteCourse 2"})
}
