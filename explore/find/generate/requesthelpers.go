package generate

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// requestHelpers is what programs use whose calls handle requests.
func (f *File) requestHelpers() string {
	if f.ways == nil {
		return ""
	}
	code := requestHelper
	for _, name := range slices.Sorted(maps.Keys(f.ways)) {
		code += f.ways[name]
	}
	for path, name := range map[string]string{
		"bytes": "bytes", "context": "context", "net/http": "http", "net/http/httptest": "httptest", "net/url": "url", "reflect": "reflect", "strings": "strings", "github.com/valyala/fasthttp": "fasthttp",
	} {
		if used := f.imports[path]; used != "" && used != name {
			code = qualifier(name).ReplaceAllString(code, used+".")
		}
	}
	return code
}

// qualifier matches the name of a package where it is used.
func qualifier(name string) *regexp.Regexp { return regexp.MustCompile(`\b` + name + `\.`) }

// requestHelper makes requests.
const requestHelper = `
// word is a part of a request.
type word struct{ name, text string }

// localValue is one that what runs before a handler sets.
type localValue struct{ key, value any }

// request is what a handler is sent.
type request struct {
	path, query, form, header []word
	local                     []localValue
	body, queries, paths      any
}

// words are the fields of a struct by the names that their tags have.
func words(v any, tag string) (list []word) {
	r := reflect.Indirect(reflect.ValueOf(v))
	if !r.IsValid() || r.Kind() != reflect.Struct {
		return nil
	}
	for i := range r.NumField() {
		field := r.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get(tag), ",")
		if name == "-" || !field.IsExported() {
			continue
		}
		if name == "" {
			name = field.Name
		}
		if value := reflect.Indirect(r.Field(i)); value.IsValid() && value.Kind() != reflect.Struct && value.Kind() != reflect.Slice {
			list = append(list, word{name, fmt.Sprint(value.Interface())})
		}
	}
	return list
}

// made is the request with the names of all its parts.
func (r *request) made(query, path string) *http.Request {
	r.query = append(r.query, words(r.queries, query)...)
	r.path = append(r.path, words(r.paths, path)...)
	method, values, body := "GET", url.Values{}, []byte(nil)
	for _, w := range r.query {
		values.Set(w.name, w.text)
	}
	form := url.Values{}
	for _, w := range r.form {
		form.Set(w.name, w.text)
	}
	kind := ""
	switch {
	case r.body != nil:
		method, kind = "POST", "application/json"
		body = must(json.Marshal(r.body))
	case len(r.form) > 0:
		method, kind = "POST", "application/x-www-form-urlencoded"
		body = []byte(form.Encode())
	}
	made := httptest.NewRequest(method, "/?"+values.Encode(), bytes.NewReader(body))
	if kind != "" {
		made.Header.Set("Content-Type", kind)
	}
	for _, w := range r.header {
		made.Header.Set(w.name, w.text)
	}
	for _, w := range r.path {
		made.SetPathValue(w.name, w.text)
	}
	ctx := made.Context()
	for _, l := range r.local {
		ctx = context.WithValue(ctx, l.key, l.value)
	}
	return made.WithContext(ctx)
}

// answered is the answer to a request.
func answered(status int, body string) string { return fmt.Sprint(status, " ", strings.TrimSpace(body)) }

// status is that of an answer.
func status(answer string) string {
	text, _, _ := strings.Cut(answer, " ")
	return text
}
`

const ginHelper = `
// bygin hands a request to a handler of gin.
func bygin(handle func(*gin.Context), r *request) string {
	gin.SetMode(gin.ReleaseMode)
	w := httptest.NewRecorder()
	c, _ := gin.CreateTestContext(w)
	c.Request = r.made("form", "uri")
	for _, p := range r.path {
		c.Params = append(c.Params, gin.Param{Key: p.name, Value: p.text})
	}
	for _, l := range r.local {
		if key, ok := l.key.(string); ok {
			c.Set(key, l.value)
		}
	}
	handle(c)
	c.Writer.WriteHeaderNow()
	return answered(w.Code, w.Body.String())
}
`

const echoHelper = `
// accepting accepts what the application's own validator looks at.
type accepting struct{}

func (accepting) Validate(any) error { return nil }

// byecho hands a request to a handler of echo.
func byecho(handle func(c echo.Context) error, r *request) string {
	e, w := echo.New(), httptest.NewRecorder()
	e.Validator = accepting{}
	c := e.NewContext(r.made("query", "param"), w)
	var names, values []string
	for _, p := range r.path {
		names, values = append(names, p.name), append(values, p.text)
	}
	c.SetParamNames(names...)
	c.SetParamValues(values...)
	for _, l := range r.local {
		if key, ok := l.key.(string); ok {
			c.Set(key, l.value)
		}
	}
	if err := handle(c); err != nil {
		e.HTTPErrorHandler(err, c)
	}
	return answered(w.Code, w.Body.String())
}
`

const fiberHelper = `
// byfiber hands a request to a handler of fiber.
func byfiber(handle func(*fiber.Ctx) error, r *request) string {
	made := r.made("query", "params")
	app, route, path := fiber.New(), "", ""
	for _, p := range r.path {
		route, path = route+"/:"+p.name, path+"/"+url.PathEscape(p.text)
	}
	app.All("/x"+route, func(c *fiber.Ctx) error {
		for _, l := range r.local {
			c.Locals(l.key, l.value)
		}
		return handle(c)
	})
	var asked fasthttp.Request
	asked.Header.SetMethod(made.Method)
	asked.SetRequestURI("http://example.com/x" + path + "?" + made.URL.RawQuery)
	for name, values := range made.Header {
		asked.Header.Set(name, values[0])
	}
	var body bytes.Buffer
	must(body.ReadFrom(made.Body))
	asked.SetBody(body.Bytes())
	var c fasthttp.RequestCtx
	c.Init(&asked, nil, nil)
	app.Handler()(&c)
	return answered(c.Response.StatusCode(), string(c.Response.Body()))
}
`

const httpHelper = `
// byHTTP hands a request to a handler.
func byHTTP(handle func(http.ResponseWriter, *http.Request), r *request) string {
	w, made := httptest.NewRecorder(), r.made("json", "json")
	// router
	handle(w, made)
	return answered(w.Code, w.Body.String())
}
`

// chiRouter has chi know the parameters of the path.
func chiRouter(pkg string) string {
	return strings.ReplaceAll(`	routed := chi.NewRouteContext()
	for _, p := range r.path {
		routed.URLParams.Add(p.name, p.text)
	}
	made = made.WithContext(context.WithValue(made.Context(), chi.RouteCtxKey, routed))
`, "chi.", pkg+".")
}

// gorillaRouter has gorilla's router know them.
func gorillaRouter(pkg string) string {
	return strings.ReplaceAll(`	variables := map[string]string{}
	for _, p := range r.path {
		variables[p.name] = p.text
	}
	made = mux.SetURLVars(made, variables)
`, "mux.", pkg+".")
}
