package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The unit says how a key gets to the gateway that root alone can read. So it
// does: as a credential of the service, and for root where it lies.
func TestKeysOfTheUnit(t *testing.T) {
	unit := readText(t, "deploy/weirkeep.service")
	credential := one(t, unit, `(?m)^#   LoadCredential=([^:]+):(.+)$`)
	variable := one(t, unit, `(?m)^#   Environment=(\w+)=(%d/.+)$`)
	key := one(t, unit, `(?m)^#   (key: "\$\{env:(\w+):-(.+)\}")$`)
	if variable[2] != "%d/"+credential[1] || key[2] != variable[1] || key[3] != credential[2] {
		t.Fatalf("these do not belong together: %q, %q, %q", credential[0], variable[0], key[0])
	}
	dir := t.TempDir()
	cert, roots, credentials := filepath.Join(dir, "site.pem"), filepath.Join(dir, "private/site.key"), filepath.Join(dir, "credentials")
	writeKeyPair(t, cert, roots)
	handed := strings.Replace(variable[2], "%d", credentials, 1)
	file := filepath.Join(dir, "weirkeep.yaml")
	writeText(t, file, "listeners: [{ address: \":8443\", tls: { certificates: [{ cert: "+cert+", "+strings.Replace(key[1], key[3], roots, 1)+" }] } }]\n"+
		"clusters: { app: { origins: [{ address: \"127.0.0.1:9001\" }] } }\n")
	if status, said := checked(file); status != 0 {
		t.Errorf("by root: exit %d\n%s", status, said)
	}
	t.Setenv(variable[1], handed)
	if status, said := checked(file); status != exitConfig || !strings.Contains(said, "${env:"+variable[1]+"}") {
		t.Errorf("before the key is there: exit %d\n%s\nwant one that names the variable", status, said)
	}
	writeText(t, handed, readText(t, roots))
	if err := os.Remove(roots); err != nil {
		t.Fatal(err)
	}
	if status, said := checked(file); status != 0 {
		t.Errorf("by the service: exit %d\n%s", status, said)
	}
}

// checked is what weirkeep check says of a file.
func checked(file string) (status int, said string) {
	var out bytes.Buffer
	status = run([]string{"check", "-c", file}, strings.NewReader(""), &out, &out)
	return status, out.String()
}

// one returns the groups of the one match that there must be.
func one(t *testing.T, text, pattern string) []string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
	if len(found) != 1 {
		t.Fatalf("%d times %s, want it once", len(found), pattern)
	}
	return found[0]
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeText(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeKeyPair writes a certificate for site.example that is good for a while.
func writeKeyPair(t *testing.T, cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"site.example"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0)}
	public, err := x509.CreateCertificate(rand.Reader, form, form, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: public})))
	writeText(t, key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
}
