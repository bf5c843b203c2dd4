# Starts RabbitMQ 3.10.8 of Debian with its MQTT plugin in a temporary folder, at $mqtt_port, and installs mqtt.js in client. Needs
# Debian 12 with Erlang (apt-get install erlang-base …, as rabbitmq-server depends on), node and npm. Each script of RabbitMQ sources
# this file; $settings are further lines of rabbitmq.conf.
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
npm install --silent --no-audit --no-fund --prefix client mqtt@5.16.0

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
${settings:-}
CONF
echo '[rabbitmq_mqtt].' > enabled_plugins
export HOME=$folder ERL_EPMD_PORT=$epmd_port
epmd -port "$epmd_port" & pids+=($!)
RABBITMQ_NODENAME=finding@localhost RABBITMQ_DIST_PORT=$distribution_port RABBITMQ_MNESIA_BASE=$folder/mnesia \
  RABBITMQ_LOG_BASE=$folder/log RABBITMQ_CONFIG_FILE=$folder/rabbitmq.conf RABBITMQ_CONF_ENV_FILE=/dev/null \
  RABBITMQ_ENABLED_PLUGINS_FILE=$folder/enabled_plugins RUNNING_UNDER_SYSTEMD=true \
  "$folder"/server/usr/lib/rabbitmq/lib/rabbitmq_server-3.10.8/sbin/rabbitmq-server > server.log 2>&1 & pids+=($!)
for _ in $(seq 120); do (echo > "/dev/tcp/127.0.0.1/$mqtt_port") 2>/dev/null && break; sleep 0.5; done
