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
# Needs Debian 12 with Erlang and libmosquitto's dependencies (apt-get install rabbitmq-server mosquitto-clients), and node.
# Exits with 1 if the behavior is another one.
set -euo pipefail

folder=$(mktemp -d)
pids=()
finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT

cd "$folder"
apt-get download -q rabbitmq-server=3.10.8-1.1+deb12u1 2>/dev/null
dpkg -x rabbitmq-server_*.deb server
apt-get download -q mosquitto-clients=2.0.11-1.2+deb12u2 libmosquitto1=2.0.11-1.2+deb12u2 2>/dev/null
for package in mosquitto-clients_*.deb libmosquitto1_*.deb; do dpkg -x "$package" client; done

free_port() { node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'; }
mqtt_port=$(free_port) amqp_port=$(free_port) epmd_port=$(free_port) distribution_port=$(free_port)
cat > rabbitmq.conf <<CONF
listeners.tcp.local = 127.0.0.1:$amqp_port
mqtt.listeners.tcp.local = 127.0.0.1:$mqtt_port
mqtt.allow_anonymous = false
mqtt.vhost = /
mqtt.exchange = amq.topic
default_user = client
default_pass = secret
log.console = true
log.file = false
CONF
echo '[rabbitmq_mqtt].' > enabled_plugins
export HOME=$folder ERL_EPMD_PORT=$epmd_port
epmd -port "$epmd_port" & pids+=($!)
RABBITMQ_NODENAME=finding@localhost RABBITMQ_DIST_PORT=$distribution_port RABBITMQ_MNESIA_BASE=$folder/mnesia \
  RABBITMQ_LOG_BASE=$folder/log RABBITMQ_CONFIG_FILE=$folder/rabbitmq.conf RABBITMQ_CONF_ENV_FILE=/dev/null \
  RABBITMQ_ENABLED_PLUGINS_FILE=$folder/enabled_plugins RUNNING_UNDER_SYSTEMD=true \
  "$folder"/server/usr/lib/rabbitmq/lib/rabbitmq_server-3.10.8/sbin/rabbitmq-server > server.log 2>&1 & pids+=($!)
for _ in $(seq 120); do (echo > "/dev/tcp/127.0.0.1/$mqtt_port") 2>/dev/null && break; sleep 0.5; done


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
