package cluster

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Embedded is the address of a server in this process.
const Embedded = "embedded"

// Options say where the cluster is. The commands have them as flags.
type Options struct {
	Cluster      string `placeholder:"URL" help:"Explore on many machines: NATS servers with JetStream, as nats://127.0.0.1:4222 or tls://host:4222, several with commas; or embedded: a server and workers in this process."`
	ClusterCreds string `placeholder:"FILE" help:"Credentials for --cluster: a file of NATS, with a user's JWT and seed, or the seed of an nkey."`
	ClusterCA    string `name:"cluster-ca" placeholder:"FILE" help:"Certificates (PEM) of who signs the certificates of --cluster's servers; those of the system by default."`
	ClusterCert  string `placeholder:"FILE" help:"The certificate (PEM) by which --cluster's servers know this client."`
	ClusterKey   string `placeholder:"FILE" help:"The key (PEM) of --cluster-cert."`
}

// Check rejects what can be rejected without a connection. Whoever can reach a server can
// run code on its workers. So a server without encryption and credentials has to be on
// this machine.
func (o *Options) Check() error {
	more := o.ClusterCreds != "" || o.ClusterCA != "" || o.ClusterCert != "" || o.ClusterKey != ""
	switch {
	case o.Cluster == "" && more:
		return errors.New("--cluster-creds, --cluster-ca, --cluster-cert and --cluster-key go with --cluster: name the servers")
	case o.Cluster == Embedded && more:
		return errors.New("--cluster=embedded has no use for credentials and certificates: leave them out")
	case o.Cluster == "" || o.Cluster == Embedded:
		return nil
	case (o.ClusterCert == "") != (o.ClusterKey == ""):
		return errors.New("--cluster-cert and --cluster-key go together: give both")
	}
	for _, file := range []struct{ flag, name string }{
		{"creds", o.ClusterCreds}, {"ca", o.ClusterCA}, {"cert", o.ClusterCert}, {"key", o.ClusterKey},
	} {
		if file.name == "" {
			continue
		}
		if _, err := os.ReadFile(file.name); err != nil {
			return fmt.Errorf("--cluster-%s: %w", file.flag, err)
		}
	}
	for _, address := range strings.Split(o.Cluster, ",") {
		if err := o.checkAddress(strings.TrimSpace(address)); err != nil {
			return err
		}
	}
	return nil
}

func (o *Options) checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return fmt.Errorf("--cluster=%s is no address: give one such as nats://127.0.0.1:4222", hidden(address))
	}
	switch u.Scheme {
	case "nats", "tls", "ws", "wss":
	default:
		return fmt.Errorf("--cluster=%s: %s is no protocol of NATS: nats, tls, ws and wss are", hidden(address), u.Scheme)
	}
	if loopback(u.Hostname()) {
		return nil
	}
	encrypted := u.Scheme == "tls" || u.Scheme == "wss" || o.ClusterCA != "" || o.ClusterCert != ""
	known := o.ClusterCreds != "" || o.ClusterCert != "" || u.User != nil
	var missing []string
	if !encrypted {
		missing = append(missing, "encryption: tls://"+u.Host+" or --cluster-ca=FILE")
	}
	if !known {
		missing = append(missing, "credentials: --cluster-creds=FILE or --cluster-cert=FILE")
	}
	if len(missing) > 0 {
		return fmt.Errorf("--cluster=%s is not on this machine, and who can reach it can run code on its workers: it needs %s", hidden(address), strings.Join(missing, "; and "))
	}
	return nil
}

// loopback reports whether a host is this machine, whatever a name server says.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// hidden is an address without its password.
func hidden(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Redacted()
	}
	return address
}

// address is the cluster as messages name it.
func (o *Options) address() string {
	list := strings.Split(o.Cluster, ",")
	for i := range list {
		list[i] = hidden(strings.TrimSpace(list[i]))
	}
	return strings.Join(list, ",")
}

// connectWait is how long a server may take to answer.
const connectWait = 5 * time.Second

// connect connects to the servers. A connection that is lost later is made again, for as
// long as it takes.
func (o *Options) connect(name string, log func(format string, args ...any)) (*nats.Conn, error) {
	opts := []nats.Option{
		nats.Name(name), nats.Timeout(connectWait), nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond), nats.ReconnectBufSize(-1),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(c *nats.Conn, err error) {
			if !c.IsClosed() && err != nil {
				log("the connection to %s is lost (%v): waiting for it", o.address(), err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { log("the connection to %s is back", o.address()) }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // what fails is tried again
		nats.IgnoreDiscoveredServers(), // Check has seen those that the user names, and no others
	}
	if o.ClusterCA != "" {
		opts = append(opts, nats.RootCAs(o.ClusterCA))
	}
	if o.ClusterCert != "" {
		opts = append(opts, nats.ClientCert(o.ClusterCert, o.ClusterKey))
	}
	if o.ClusterCreds != "" {
		creds, err := o.credentials()
		if err != nil {
			return nil, err
		}
		opts = append(opts, creds)
	}
	c, err := nats.Connect(o.Cluster, opts...)
	if err != nil {
		return nil, o.refused(err)
	}
	return c, nil
}

// credentials reads a file of credentials: a seed alone is that of an nkey.
func (o *Options) credentials() (nats.Option, error) {
	data, err := os.ReadFile(o.ClusterCreds)
	if err != nil {
		return nil, fmt.Errorf("--cluster-creds: %w", err)
	}
	if strings.Contains(string(data), "NATS USER JWT") {
		return nats.UserCredentials(o.ClusterCreds), nil
	}
	option, err := nats.NkeyOptionFromSeed(o.ClusterCreds)
	if err != nil {
		return nil, fmt.Errorf("--cluster-creds: %s has neither a user's JWT nor the seed of an nkey", o.ClusterCreds)
	}
	return option, nil
}

// refused words why there is no connection.
func (o *Options) refused(err error) error {
	do := "start one (nats-server -js), or name another with --cluster"
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		do = "it does not know this client: give it other credentials with --cluster-creds or --cluster-cert"
	case strings.Contains(err.Error(), "x509"), strings.Contains(err.Error(), "tls:"), strings.Contains(err.Error(), "tls error"), errors.Is(err, nats.ErrSecureConnRequired), errors.Is(err, nats.ErrSecureConnWanted):
		do = "TLS does not come about: see --cluster-ca, --cluster-cert, and the name in the server's certificate"
	}
	return fmt.Errorf("--cluster=%s: no connection to a NATS server: %w: %s", o.address(), err, do)
}
