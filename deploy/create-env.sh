#!/bin/sh
# Creates the file .env for compose.fleet.yaml, with random passwords: sh deploy/create-env.sh DOMAIN
set -euC
umask 077
domain=${1:?the domain of the server, as garden.example}
case $domain in
  *[!a-z0-9.-]*)
    echo "$domain is not a domain in lower case, without https:// and port." >&2
    exit 2
    ;;
esac

password() {
  od -An -N 24 -tx1 /dev/urandom | tr -d ' \n'
}

# Fails if the file exists: the volumes have its passwords.
{
  echo "DOMAIN=$domain"
  for name in POSTGRES_PASSWORD RABBITMQ_PASSWORD S3_PASSWORD; do
    echo "$name=$(password)"
  done
} >.env
