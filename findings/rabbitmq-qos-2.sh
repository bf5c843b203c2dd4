#!/bin/bash
# RabbitMQ 3.10.8 (Debian 12), MQTT plugin, and mosquitto_pub 2.0.11 (Debian 12): a message with QoS 2.
#
# Expected (MQTT 3.1.1, 4.3.3): the receiver of a PUBLISH with QoS 2 answers with PUBREC. RabbitMQ's documentation says that it
# has no QoS 2, and treats subscriptions with it as QoS 1; of messages, the same would be expected to work.
#
# Seen: RabbitMQ answers with PUBACK, and delivers the message with QoS 1. mosquitto_pub takes that for an error of the protocol
# and exits with 2, although the message has arrived: a script that repeats failed messages sends it again and again. With QoS 1
# the same message is sent without an error.
#
# Needs libmosquitto's dependencies, too (apt-get install mosquitto-clients). Exits with 1 if the behavior is another one.
. "$(dirname "$0")/shared/debian-rabbitmq.sh"

apt-get download -q mosquitto-clients=2.0.11-1.2+deb12u2 libmosquitto1=2.0.11-1.2+deb12u2 2>/dev/null
for package in mosquitto-clients_*.deb libmosquitto1_*.deb; do dpkg -x "$package" client; done
LD_LIBRARY_PATH=$(dirname "$(find "$folder/client" -name libmosquitto.so.1)")
export LD_LIBRARY_PATH
broker=(-h 127.0.0.1 -p "$mqtt_port" -u client -P secret -t garden)
client/usr/bin/mosquitto_sub "${broker[@]}" -q 2 -F 'received with QoS %q: %p' > received & pids+=($!)
sleep 2
for qos in 2 1; do
  code=0
  client/usr/bin/mosquitto_pub "${broker[@]}" -m "sent with QoS $qos" -q "$qos" -d > published 2>&1 || code=$?
  echo "QoS $qos: exit code $code, $(grep -o 'received PUB[A-Z]*' published)"
done > seen
sleep 1
cat received >> seen
cat > expected <<'END'
QoS 2: exit code 2, received PUBACK
QoS 1: exit code 0, received PUBACK
received with QoS 1: sent with QoS 2
received with QoS 1: sent with QoS 1
END
diff expected seen

echo 'As found on 28 November 2026, with RabbitMQ 3.10.8 and mosquitto_pub 2.0.11.'
