package generate

// helpers are what all functions use.
const helpers = `
// seen puts results into words: errors by their texts.
func seen(results ...any) string {
	for i, r := range results {
		if err, ok := r.(error); ok && err != nil {
			results[i] = err.Error()
		}
	}
	text, err := json.Marshal(results)
	if err != nil {
		return fmt.Sprintf("%T", results)
	}
	return string(text)
}

// must returns a value that is there whenever the database is.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
`

// takenHelper is what programs use of functions that return more than a value.
const takenHelper = `
// first returns a value without what gives it back.
func first[T, F any](v T, _ F) T { return v }

// mustFirst returns a value that is there whenever the database is.
func mustFirst[T, F any](v T, _ F, err error) T { return must(v, err) }
`

// madeHelper is what programs use whose arguments are of types with methods of their own.
const madeHelper = `
// ref is a pointer to a value.
func ref[T any](v T) *T { return &v }

// value is the first of some texts that a type takes, by its method Scan or UnmarshalText.
func value[T any](texts ...string) T {
	for _, text := range texts {
		var v T
		if s, ok := any(&v).(interface{ Scan(any) error }); ok {
			if s.Scan(text) == nil || s.Scan([]byte(text)) == nil {
				return v
			}
			if at, err := time.Parse(time.RFC3339, text); err == nil && s.Scan(at) == nil {
				return v
			}
		}
		if u, ok := any(&v).(interface{ UnmarshalText([]byte) error }); ok && u.UnmarshalText([]byte(text)) == nil {
			return v
		}
	}
	panic(fmt.Sprintf("no value of %T is known", *new(T)))
}
`

// keptHelper is what programs use that ask invariants.
const keptHelper = `
// invariant is one of the application's.
type invariant struct {
	name string
	f    func(context.Context, *sql.DB) error
}

// kept asks all invariants, and tells which are broken.
func kept(list ...invariant) func(context.Context, *sql.DB) error {
	return func(ctx context.Context, db *sql.DB) error {
		var broken []error
		for _, i := range list {
			if err := i.f(ctx, db); err != nil {
				broken = append(broken, fmt.Errorf("%s: %w", i.name, err))
			}
		}
		return errors.Join(broken...)
	}
}
`

// endedHelper is what programs use that ask how calls have ended: texts of errors have the number, whatever the driver.
const endedHelper = `
// ended reports whether the database has ended a call by a deadlock, or as it has waited for too long.
func ended(err error) bool {
	for _, text := range []string{"40P01", "deadlock detected", "Error 1213", "Error 1205"} {
		if err != nil && strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}
`
