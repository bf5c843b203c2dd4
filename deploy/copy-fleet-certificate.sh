#!/bin/sh
# Copies Caddy's certificate for $DOMAIN to where RabbitMQ can read it, and again whenever it is renewed.
set -eu
umask 077

while :; do
  for kind in key crt; do
    # Authorities may have issued several.
    newest=$(find /data/caddy/certificates -path "*/$DOMAIN/$DOMAIN.$kind" -exec ls -t {} + 2>/dev/null | head -n 1)
    if [ -n "$newest" ] && ! cmp -s "$newest" "/tls/$kind.pem"; then
      cp "$newest" "/tls/$kind.new"
      # The user of RabbitMQ in its image.
      chown 999:999 "/tls/$kind.new"
      mv "/tls/$kind.new" "/tls/$kind.pem"
    fi
  done
  sleep 30
done
