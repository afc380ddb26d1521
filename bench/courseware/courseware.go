// Package courseware lets students enroll in courses: only in open ones, and only
// as many as a course has places.
//
// Enrollments are a set of ids "course:student". Whoever enrolls reads that set
// and writes it; whoever closes a course writes the course's row, which those who
// enroll have only read.
package courseware

import (
	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/table"
)

// The tables. A student is id, name, registered, number; a course is id, title,
// department, open or close, capacity.
const (
	Student     table.Table = "STUDENT"
	Course      table.Table = "COURSE"
	Enrollments table.Table = "ENROLLMENTS"
)

const (
	registeredColumn = 2
	statusColumn     = 3
	capacityColumn   = 4
)

const (
	open   = "open"
	closed = "close"
)

// App returns the application.
func App() *client.App {
	return &client.App{
		Name:   "courseware",
		Assert: Assert,
		Schema: []table.Schema{
			{Table: Student, File: "students", Key: []int{0}},
			{Table: Course, File: "courses", Key: []int{0}},
			{Table: Enrollments, IDsOnly: true},
		},
		Txns: map[string]client.Txn{
			"enroll": func(a *client.Args) client.Body {
				student, course := a.Word(), a.Word()
				return func(tx table.Tx) error { return Enroll(tx, student, course) }
			},
			"getEnrollments": func(*client.Args) client.Body {
				return func(tx table.Tx) error { Enrollments.IDs(tx); return nil }
			},
			"closeCourse": func(a *client.Args) client.Body {
				course := a.Word()
				return func(tx table.Tx) error { return SetStatus(tx, course, closed) }
			},
			"openCourse": func(a *client.Args) client.Body {
				course := a.Word()
				return func(tx table.Tx) error { return SetStatus(tx, course, open) }
			},
			"deleteCourse": func(a *client.Args) client.Body {
				course := a.Word()
				return func(tx table.Tx) error { return DeleteCourse(tx, course) }
			},
		},
	}
}

// Enroll enrolls a student in a course if it is open and has a place left. A
// student whose registration is already complete is not enrolled again.
func Enroll(tx table.Tx, student, course string) error {
	s, err := Student.Must(tx, student)
	if err != nil {
		return err
	}
	c, err := Course.Must(tx, course)
	if err != nil {
		return err
	}
	if s.Field(registeredColumn) == "true" || c.Field(statusColumn) != open {
		return nil
	}
	if len(Enrollments.Slots(tx, table.Prefix(course))) < c.Int(capacityColumn) {
		Enrollments.AddID(tx, table.ID(course, student))
	}
	return nil
}

// SetStatus opens or closes a course.
func SetStatus(tx table.Tx, course, status string) error {
	if c, ok := Course.Row(tx, course); ok {
		Course.Put(tx, course, c.With(statusColumn, status))
	}
	return nil
}

// DeleteCourse closes a course, deletes it and its enrollments.
func DeleteCourse(tx table.Tx, course string) error {
	if err := SetStatus(tx, course, closed); err != nil {
		return err
	}
	Course.Del(tx, course)
	for _, id := range Enrollments.IDs(tx) {
		if table.HasPrefix(id, course) {
			Enrollments.Del(tx, id)
		}
	}
	return nil
}
