package isolation

// Work returns what f has done.
func (f *Filter) Work() Work { return f.search.work }
