package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// authority makes certificates.
type authority struct {
	t    *testing.T
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	file string // its certificate
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{t: t}
	a.file, _ = a.issue(name)
	return a
}

// issue makes a certificate for this machine, and those addresses of it, and its key; the
// first one is the authority's own.
func (a *authority) issue(name string, addresses ...net.IP) (cert, key string) {
	a.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, IPAddresses: append(addresses, net.IPv4(127, 0, 0, 1)),
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: a.key == nil, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, private
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &private.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	if a.key == nil {
		a.key = private
		if a.cert, err = x509.ParseCertificate(der); err != nil {
			a.t.Fatal(err)
		}
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	dir := a.t.TempDir()
	cert, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	return cert, key
}

// secure lets the server ask for certificates of the authority.
func (s *testServer) secure(a *authority, addresses ...net.IP) {
	s.t.Helper()
	pair, err := tls.LoadX509KeyPair(a.issue("server", addresses...))
	if err != nil {
		s.t.Fatal(err)
	}
	known := x509.NewCertPool()
	known.AddCert(a.cert)
	s.opts.TLS, s.opts.TLSVerify = true, true
	s.opts.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: known, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12}
}

// Certificates open a server, and those of others do not.
func TestTLS(t *testing.T) {
	t.Parallel()
	ours, others := newAuthority(t, "ours"), newAuthority(t, "others")
	s := newServer(t)
	s.stop()
	s.secure(ours)
	s.start()
	cert, key := ours.issue("client")
	badCert, badKey := others.issue("client")
	address := strings.Replace(s.url(), "nats:", "tls:", 1)
	for _, test := range []struct {
		o    Options
		want string
	}{
		{Options{Cluster: address, ClusterCA: ours.file, ClusterCert: cert, ClusterKey: key}, ""},
		{Options{Cluster: address, ClusterCA: others.file, ClusterCert: cert, ClusterKey: key}, "TLS does not come about"},
		{Options{Cluster: address, ClusterCert: cert, ClusterKey: key}, "TLS does not come about"},
		{Options{Cluster: address, ClusterCA: ours.file}, "TLS does not come about"},
		{Options{Cluster: address, ClusterCA: ours.file, ClusterCert: badCert, ClusterKey: badKey}, "TLS does not come about"},
	} {
		if err := test.o.Check(); err != nil {
			t.Error(err)
		}
		c, err := Open(t.Context(), &test.o, 0, os.Stderr, t.Logf)
		if err == nil {
			c.Close()
		}
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.o, err, test.want)
		}
	}
}
