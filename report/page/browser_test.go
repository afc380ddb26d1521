package page_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/page"
)

var screenshots = flag.String("screenshots", "", "save what the pages look like to this directory")

// browser starts Chromium, or skips the test where there is none.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no browser is installed: with Debian's chromium the page is tested in it")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path), chromedp.UserDataDir(profile(t)), chromedp.WindowSize(1500, 950),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	t.Cleanup(func() { chromedp.Cancel(ctx) }) // waits, so that the profile can be removed
	return ctx
}

// profile is a directory for the browser, whose processes may write to it for a
// moment after its end.
func profile(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "txmc-page")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 50 {
			if os.RemoveAll(dir) == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Logf("%s is left", dir)
	})
	return dir
}

// tab is a page open in the browser.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string
	requests []string
}

// open opens a page in a tab of its own and listens to what it complains of.
func open(t *testing.T, browser context.Context, name string, p *page.Page) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".html")
	if err := os.WriteFile(file, write(t, p), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, b.listen)
	b.run(log.Enable(), runtime.Enable(), network.Enable(), chromedp.Navigate("file://"+file), chromedp.WaitReady("#title"))
	return b
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		b.problems = append(b.problems, fmt.Sprintf("console.%s", e.Type))
	case *log.EventEntryAdded:
		b.problems = append(b.problems, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

func (b *tab) run(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// value evaluates a JavaScript expression.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	var v T
	b.run(chromedp.Evaluate(expression, &v))
	return v
}

func (b *tab) check() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Errorf("the console says: %s", p)
	}
	for _, r := range b.requests {
		if !strings.HasPrefix(r, "file://") && !strings.HasPrefix(r, "data:") {
			b.t.Errorf("the page asks for %s", r)
		}
	}
}

// picture saves a screenshot when -screenshots asks for it.
func (b *tab) picture(name string) {
	b.t.Helper()
	if *screenshots == "" {
		return
	}
	var png []byte
	b.run(chromedp.CaptureScreenshot(&png))
	if err := os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o666); err != nil {
		b.t.Fatal(err)
	}
}

func TestBrowser(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	ctx := browser(t)
	for name, p := range examples(t) {
		t.Run(name, func(t *testing.T) {
			b := open(t, ctx, name, p)
			for _, scheme := range []string{"light", "dark"} {
				b.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
				b.picture(name + "-" + scheme)
			}
			for i := range p.Violations {
				if len(p.Violations) > 1 {
					b.run(chromedp.Evaluate(fmt.Sprintf(`{const s = document.getElementById("violations"); s.value = "%d"; s.dispatchEvent(new Event("change"))}`, i), nil))
				}
				testCycle(b, p, i)
				if len(p.Violations[i].Schedule) == 0 {
					testToggles(b)
				}
				if told := p.Tables[i]; told != nil {
					testTold(b, told)
					continue
				}
				testSteps(b, len(p.Violations[i].Explanation.Steps))
			}
			for _, width := range []int64{390, 900, 1300, 2500} {
				if len(p.Violations) > 0 {
					testWidth(b, width)
				}
			}
			if got := value[string](b, "document.title"); got == "taken" {
				t.Error("the data were run")
			}
			b.check()
		})
	}
}

// "Only what matters" hides what is said to be irrelevant, and nothing else.
func TestReduced(t *testing.T) {
	t.Parallel()
	ctx := browser(t)
	v := *examples(t)["skew"].Violations[0]
	last := v.History.Transactions[len(v.History.Transactions)-1]
	v.Irrelevant = []report.Part{{Session: last.Session, Transaction: last.ID}}
	p := page.New()
	p.Add(&v)
	b := open(t, ctx, "reduced", p)
	b.run(chromedp.Evaluate(`document.getElementById("toggle-reduce").checked || document.getElementById("toggle-reduce").click()`, nil))
	want := fmt.Sprintf("1 of %d transactions are hidden", len(v.History.Transactions)-1)
	if got := value[string](b, `document.getElementById("note").textContent`); !strings.Contains(got, want) {
		t.Errorf("without %s: the note says %q, want %q", last.ID, got, want)
	}
	if got := value[string](b, `document.getElementById("toggle-reduce").parentElement.textContent`); got != "only what matters" {
		t.Errorf("the switch is called %q", got)
	}
	b.check()
}

// shownEdges lists the edges that are to be seen and that match a selector.
const shownEdges = `[...document.querySelectorAll("#edges .edge%s:not(.off):not(.later)")].map(g => [g.dataset.kind, g.dataset.from, g.dataset.to, g.dataset.key].join(" ")).sort()`

// testCycle compares the highlighted edges with the cycle of the violation.
func testCycle(b *tab, p *page.Page, i int) {
	b.t.Helper()
	want := []string{}
	if p.Violations[i].Explanation == nil {
		return
	}
	for _, d := range p.Violations[i].Explanation.Cycle {
		want = append(want, strings.Join([]string{d.Kind, d.From, d.To, d.Key}, " "))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, value[[]string](b, fmt.Sprintf(shownEdges, ".cycle:not(.plain)"))); diff != "" {
		b.t.Errorf("the cycle of violation %d (-JSON +highlighted):\n%s", i, diff)
	}
}

// testWidth looks at the page in a window of another width: what does not fit is
// said to be there.
func testWidth(b *tab, width int64) {
	b.t.Helper()
	b.run(chromedp.EmulateViewport(width, 900))
	b.run(chromedp.Evaluate(`dispatchEvent(new Event("resize"))`, nil)) // which a tab in the background does not get
	fits := value[bool](b, `document.getElementById("diagram").getBoundingClientRect().width <= document.getElementById("view").clientWidth + 1`)
	said := value[bool](b, `document.getElementById("note").textContent.includes("scroll sideways")`)
	if fits == said {
		b.t.Errorf("%d pixels: fits %v, said to scroll %v", width, fits, said)
	}
	lanes := value[int](b, `document.querySelectorAll("#lanes div").length`)
	if executed := value[bool](b, `document.querySelector("#diagram .named, #diagram .ran") !== null`); executed && !fits && (lanes <= 2 || width >= 1280 && lanes <= 5) {
		b.t.Errorf("%d pixels: %d sessions do not share the window", width, lanes)
	}
	if value[bool](b, `document.documentElement.scrollWidth > innerWidth`) {
		b.t.Errorf("%d pixels: the page itself is wider than the window", width)
	}
	b.picture(fmt.Sprintf("%s-%d", strings.ReplaceAll(b.t.Name(), "/", "-"), width))
}

// testToggles switches every kind of edge off and on again.
func testToggles(b *tab) {
	b.t.Helper()
	count := func(selector string) int {
		return value[int](b, fmt.Sprintf(shownEdges, selector)+".length")
	}
	before := count("")
	for _, kind := range []string{"so", "wr", "ww", "rw", "cycle"} {
		rest := "." + kind + ":not(.cycle)"
		if kind == "cycle" {
			rest = ".cycle:not(.plain)"
		}
		had := count(rest)
		b.run(chromedp.Click("#toggle-"+kind, chromedp.ByQuery))
		if n := count(rest); n != 0 {
			b.t.Errorf("%d edges are left of %d with %s off", n, had, kind)
		}
		b.run(chromedp.Click("#toggle-"+kind, chromedp.ByQuery))
		if n := count(rest); n != had {
			b.t.Errorf("%d edges with %s on again, want %d", n, kind, had)
		}
	}
	b.run(chromedp.Click("#toggle-init", chromedp.ByQuery))
	if n := count(".from-init"); n == 0 && value[bool](b, `document.querySelector("#edges .from-init") !== null`) {
		b.t.Error("no edge from init with the switch on")
	}
	b.run(chromedp.Click("#toggle-init", chromedp.ByQuery), chromedp.Click("#toggle-reduce", chromedp.ByQuery), chromedp.Click("#toggle-reduce", chromedp.ByQuery))
	if n := count(""); n != before {
		b.t.Errorf("%d edges after all switches were used, %d before", n, before)
	}
}

// testTold compares the rows of the diagram with those that the page was given, and
// goes through the steps.
func testTold(b *tab, told *report.StepTable) {
	b.t.Helper()
	got := value[[]string](b, `[...document.querySelectorAll("#diagram .row:not(.named) text")].map(t => t.textContent.replaceAll(" ", ""))`)
	if len(got) != len(told.Rows) {
		b.t.Fatalf("%d rows, want %d: %q", len(got), len(told.Rows), got)
	}
	for i, r := range told.Rows {
		want := []rune(strings.ReplaceAll(r.Text, " ", ""))
		if r.Kind != "begin" && !strings.HasPrefix(got[i], string(want[:min(len(want), 30)])) {
			b.t.Errorf("row %d is %q, want %q", i, got[i], r.Text)
		}
	}
	b.run(chromedp.KeyEvent(kb.Home))
	for range told.Rows {
		b.run(chromedp.KeyEvent(kb.ArrowRight))
		if text := value[string](b, `document.getElementById("told").textContent`); !strings.HasPrefix(text, "Step ") {
			b.t.Errorf("a step is told as %q", text)
		}
	}
	if at := value[int](b, `+document.getElementById("slider").value`); at != told.Steps {
		b.t.Errorf("at step %d in the end, want %d", at, told.Steps)
	}
}

// testSteps plays the steps with the keyboard and the buttons.
func testSteps(b *tab, steps int) {
	b.t.Helper()
	at := func() int { return value[int](b, `+document.getElementById("slider").value`) }
	want := func(n int, after string) {
		b.t.Helper()
		if got := at(); got != n {
			b.t.Errorf("step %d after %s, want %d", got, after, n)
		}
		hidden := value[bool](b, `[...document.querySelectorAll("#diagram .row")].every(g => g.classList.contains("later") === (+g.dataset.step > +document.getElementById("slider").value))`)
		if !hidden {
			b.t.Errorf("after %s the diagram does not show %d steps", after, n)
		}
	}
	want(steps, "opening")
	if value[bool](b, `document.getElementById("toggle-reduce").checked`) {
		b.run(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowRight))
		if !value[bool](b, `document.querySelector("#diagram .row.now") !== null`) {
			b.t.Error("→ goes to a step that is hidden")
		}
		b.run(chromedp.Click("#toggle-reduce", chromedp.ByQuery))
	}
	b.run(chromedp.KeyEvent(kb.Home))
	want(0, "Home")
	b.run(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	want(2, "→ →")
	b.run(chromedp.KeyEvent(kb.ArrowLeft))
	want(1, "←")
	b.run(chromedp.Click("#next", chromedp.ByQuery))
	want(2, "the button on")
	b.run(chromedp.Click("#back", chromedp.ByQuery), chromedp.Click("#back", chromedp.ByQuery), chromedp.Click("#back", chromedp.ByQuery))
	want(0, "the button back")
	b.run(chromedp.KeyEvent(" "))
	for at() == 0 { // until the context ends
		time.Sleep(50 * time.Millisecond)
	}
	b.run(chromedp.KeyEvent(" "))
	if value[string](b, `document.getElementById("play").textContent`) != "▶ play" {
		b.t.Error("space does not stop it")
	}
	b.run(chromedp.Click("#last", chromedp.ByQuery))
	want(steps, "the button to the end")
}
