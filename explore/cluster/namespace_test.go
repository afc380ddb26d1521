package cluster

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore/harness"
)

// A namespace is a network of its own, as another machine has, with a link to this one.
type namespace struct {
	t    *testing.T
	name string // of it, and of the link's end here
	here net.IP // this machine's address on the link
}

// newNamespace makes one with addresses of RFC 2544, which no network uses. It skips the
// test where it cannot.
func newNamespace(t *testing.T, number int) *namespace {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil || os.Geteuid() != 0 {
		t.Skip("namespaces of networks take root and iproute2")
	}
	n := &namespace{t, fmt.Sprintf("tx%d-%d", os.Getpid(), number), net.IPv4(198, 18, byte(number), 1)}
	if out, err := exec.Command("ip", "netns", "add", n.name).CombinedOutput(); err != nil {
		t.Skipf("no namespaces of networks here: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("ip", "netns", "delete", n.name).Run() })
	there := n.name + "p"
	for _, line := range []string{
		"link add " + n.name + " type veth peer name " + there,
		"link set " + there + " netns " + n.name,
		fmt.Sprintf("addr add %v/24 dev %s", n.here, n.name),
		"link set " + n.name + " up",
		fmt.Sprintf("-n %s addr add 198.18.%d.2/24 dev %s", n.name, number, there),
		"-n " + n.name + " link set " + there + " up",
		"-n " + n.name + " link set lo up",
	} {
		n.ip(line)
	}
	return n
}

// ip runs a command of iproute2.
func (n *namespace) ip(line string) {
	n.t.Helper()
	if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
		n.t.Errorf("ip %s: %v: %s", line, err, out)
	}
}

// Workers on other networks explore by TLS, and a link that is cut for a while costs no
// count.
func TestNamespaces(t *testing.T) {
	if !*allFlag {
		t.Skip("with -clients")
	}
	const pattern = "ShoppingCartCase(1|3)|Counters"
	nets := []*namespace{newNamespace(t, 0), newNamespace(t, 1)}
	ours, s := newAuthority(t, "ours"), newServer(t)
	s.stop()
	s.opts.Host = "0.0.0.0"
	s.secure(ours, nets[0].here, nets[1].here)
	s.start()
	cert, key := ours.issue("client")
	options := func(host string) *Options {
		return &Options{Cluster: fmt.Sprintf("tls://%s:%d", host, s.opts.Port), ClusterCA: ours.file, ClusterCert: cert, ClusterKey: key}
	}
	for _, n := range nets {
		o := options(n.here.String())
		if err := o.Check(); err != nil {
			t.Fatal(err)
		}
		startWorker(t, o, "ip", "netns", "exec", n.name)
	}
	c := open(t, options("127.0.0.1"), 0)
	looks := 0
	got := exploreOn(t.Context(), t, c, pattern, request(axiomatic...), func(kind string) {
		if kind != harness.TypeProgress {
			return
		}
		switch looks++; looks {
		case 5:
			nets[0].ip("link set " + nets[0].name + " down")
		case 15:
			nets[0].ip("link set " + nets[0].name + " up")
		}
	})
	same(t, got, alone(t, pattern, request(axiomatic...)))
	if looks < 5 {
		t.Errorf("%d looks: no link was cut", looks)
	}
}
