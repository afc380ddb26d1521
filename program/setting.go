package program

import (
	"hash/maphash"
	"reflect"

	"github.com/txmc/txmc/program/watched"
)

// Settings are what packages keep that are not the user's, and the user's code changes, such
// as http.DefaultClient. Their types keep what is not to be compared, so that which value
// it is counts too. An Explore function that makes a new one in each call passes nothing on:
// what it changes is left out.

// setting is one of them.
type setting struct {
	watched.Variable
	print    uint64 // when the program had been declared
	declared bool   // the Explore function changes it
}

// settings are those of a client.
type settings struct {
	seed maphash.Seed
	list []*setting
}

// settingsOf are the settings among what is watched.
func settingsOf(list []watched.Variable) settings {
	s := settings{seed: maphash.MakeSeed()}
	for _, v := range list {
		if v.Now != nil {
			s.list = append(s.list, &setting{Variable: v})
		}
	}
	return s
}

// declaring calls the Explore function and notes what that changes.
func (s *settings) declaring(explore func()) {
	if len(s.list) == 0 {
		explore()
		return
	}
	before := s.prints()
	explore()
	for i, print := range s.prints() {
		s.list[i].declared = s.list[i].declared || print != before[i]
	}
}

// look takes down what is there now.
func (s *settings) look() {
	for i, print := range s.prints() {
		s.list[i].print = print
	}
}

// changed is a setting that is not as it was at look, or nil.
func (s *settings) changed() *setting {
	for i, print := range s.prints() {
		if c := s.list[i]; !c.declared && print != c.print {
			return c
		}
	}
	return nil
}

func (s *settings) prints() []uint64 {
	var list []uint64
	for _, c := range s.list {
		now := c.Now()
		print, ok := footprintOf(s.seed, now, c.Package)
		if !ok { // it is too large to compare
			print = 0
		}
		list = append(list, maphash.Comparable(s.seed, [2]uint64{print, identity(reflect.ValueOf(now).Elem())}))
	}
	return list
}

// identity is a number that other values of pointers and the like do not have; 0 of values
// that are compared by what they hold.
func identity(v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return uint64(v.Pointer())
	case reflect.Interface:
		if !v.IsNil() {
			return identity(v.Elem())
		}
	}
	return 0
}
