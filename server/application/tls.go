package application

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"sync"
	"time"
)

// identity is a certificate that nobody has signed, for drivers that are told to encrypt (sslmode=require). It is
// made when one asks.
type identity struct {
	once   sync.Once
	config *tls.Config
	err    error
}

// encrypted is the connection after the client has asked for TLS.
func (i *identity) encrypted(c net.Conn) (net.Conn, error) {
	i.once.Do(func() { i.config, i.err = newIdentity() })
	if i.err != nil {
		return nil, i.err
	}
	return tls.Server(c, i.config), nil
}

func newIdentity() (*tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "txmc"}, // without a name Java refuses it
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, nil
}
