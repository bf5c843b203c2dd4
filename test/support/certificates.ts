/** A self-signed certificate, valid from 2020 to 2120, for garden.example, *.beds.example, localhost, 127.0.0.1 and 192.168.1.20. For tests only. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBqTCCAVCgAwIBAgIUKrCidafM0ehatd/EAK03PegQXiwwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOZ2FyZGVuLmV4YW1wbGUwIBcNMjAwMTAxMDAwMDAwWhgPMjEy
MDAxMDEwMDAwMDBaMBkxFzAVBgNVBAMMDmdhcmRlbi5leGFtcGxlMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEd2FeOmmVv/Cj07J9VULodSxPDodVBpfVtxQe4Vdq
gBUV4MG2YHWbekrh1dT6ceMaGhZ1+ucPZwfJOzDsu2nrsKN0MHIwDwYDVR0TAQH/
BAUwAwEB/zBABgNVHREEOTA3gg5nYXJkZW4uZXhhbXBsZYIOKi5iZWRzLmV4YW1w
bGWCCWxvY2FsaG9zdIcEfwAAAYcEwKgBFDAdBgNVHQ4EFgQUP2h2jXgwk/gtoMkz
2T2F7zLTDdkwCgYIKoZIzj0EAwIDRwAwRAIgcKHeu+QC8kA3+pFzVNjal0VeTMfn
PTq6fktxx5RoVI0CIFxCC7idgQE8w3WyHsuBTEZ3BmqxiY8ineJDzfj7ZqF/
-----END CERTIFICATE-----
`;

/** Its private key. */
export const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPVTgFZRppp1zYH/Q
zLE/gaPug6HpbLFftQfivxVowFyhRANCAAR3YV46aZW/8KPTsn1VQuh1LE8Oh1UG
l9W3FB7hV2qAFRXgwbZgdZt6SuHV1Ppx4xoaFnX65w9nB8k7MOy7aeuw
-----END PRIVATE KEY-----
`;

/** A certificate of the same key, valid for the first twelve hours of 2026, for garden.example. */
export const briefCertificate = `-----BEGIN CERTIFICATE-----
MIIBXDCCAQOgAwIBAgIBATAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA5nYXJkZW4u
ZXhhbXBsZTAeFw0yNjAxMDEwMDAwMDBaFw0yNjAxMDExMjAwMDBaMBkxFzAVBgNV
BAMMDmdhcmRlbi5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEd2Fe
OmmVv/Cj07J9VULodSxPDodVBpfVtxQe4VdqgBUV4MG2YHWbekrh1dT6ceMaGhZ1
+ucPZwfJOzDsu2nrsKM8MDowGQYDVR0RBBIwEIIOZ2FyZGVuLmV4YW1wbGUwHQYD
VR0OBBYEFD9odo14MJP4LaDJM9k9he8y0w3ZMAoGCCqGSM49BAMCA0cAMEQCIF2z
qIAtid4RN4wnX6ss0N6VoTwobnrGusIcWEYKpFLdAiBiMOuU4XLHvAcOFk2XtmwI
UeMs0m4u76yH0l+ig/SfOg==
-----END CERTIFICATE-----
`;

/** A private key that belongs to no certificate here. */
export const otherPrivateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgH+O4xJgR28CdeBeJ
y/YZI5OzQnPbGlLHrDUpqyOgFSahRANCAATQA8LN4xlhAf+P9VxMqCPoSUIsvGlg
SsoVklTG11f6Urx8LvVZyVQyscstr0BJGXyKqqjRJgKA9BGcv4sCB+hU
-----END PRIVATE KEY-----
`;
