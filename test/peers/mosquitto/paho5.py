"""Connects to the broker as paho does with MQTT 5, and prints what it saw as JSON: paho5.py HOST PORT USERNAME TOKEN"""

import json
import sys
import threading

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

host, port, username, token = sys.argv[1:]
topic = f"bot/{username}/from_device"
wait = 45
seen = {"sessions": [], "received": []}


def properties(kind, **values):
    made = Properties(kind)
    for name, value in values.items():
        setattr(made, name, value)
    return made


class Client:
    def __init__(self, client_id, password=token):
        self.client = mqtt.Client(client_id=client_id, protocol=mqtt.MQTTv5)
        self.client.username_pw_set(username, password)
        self.events = {name: threading.Event() for name in ("connected", "subscribed", "received", "published", "ended")}
        self.client.on_connect = self.on_connect
        self.client.on_subscribe = lambda _c, _d, _m, codes, _p: self.note("subscribed", [code.value for code in codes])
        self.client.on_publish = lambda *_: self.note("published")
        self.client.on_message = self.on_message
        self.client.on_disconnect = lambda _c, _d, code, given=None: self.note("ended", (code, given))

    def note(self, name, value=None):
        setattr(self, name, value)
        self.events[name].set()

    def on_connect(self, _client, _data, flags, code, given):
        self.note("connected", (flags, code, given))

    def on_message(self, _client, _data, message):
        given = message.properties
        seen["received"].append(
            [message.payload.decode(), message.qos, given.ContentType, [list(pair) for pair in given.UserProperty]]
        )
        self.note("received")

    def connect(self, **options):
        self.client.connect(host, int(port), **options)
        self.client.loop_start()
        self.until("connected")
        return self

    def until(self, name):
        if not self.events[name].wait(wait):
            sys.exit(f"{name}: nothing came")
        self.events[name].clear()

    def publish(self, text):
        given = properties(PacketTypes.PUBLISH, ContentType="text/plain", UserProperty=("unit", "mm"))
        self.client.publish(topic, text, qos=1, properties=given)
        self.until("published")

    def settle(self):
        # The broker handles packets in their order: after the second answer it has the acknowledgement of what was received.
        for _ in range(2):
            self.client.subscribe(topic, qos=1)
            self.until("subscribed")

    def end(self):
        self.client.disconnect()
        self.until("ended")
        self.client.loop_stop()


wrong = Client("wrong", "x").connect()
wrong.client.loop_stop()
seen["wrong"] = [wrong.connected[1].value, wrong.connected[2].ReasonString]

# A week, of which the server keeps a day.
keep = properties(PacketTypes.CONNECT, SessionExpiryInterval=7 * 86_400)
reader = Client("reader").connect(clean_start=False, properties=keep)
seen["sessions"].append(reader.connected[0]["session present"])
seen["expiry"] = reader.connected[2].SessionExpiryInterval
reader.client.subscribe([(topic, mqtt.SubscribeOptions(qos=1)), ("bot/+/logs", mqtt.SubscribeOptions(qos=1))])
reader.until("subscribed")
seen["granted"] = reader.subscribed
writer = Client("writer").connect()
writer.publish("live")
reader.until("received")
reader.end()
writer.publish("kept")
again = Client("reader").connect(clean_start=False, properties=keep)
seen["sessions"].append(again.connected[0]["session present"])
again.until("received")
# A message that is not acknowledged is sent again to the next connection.
again.settle()
again.client.reconnect_delay_set(min_delay=wait, max_delay=wait)
other = Client("reader").connect(clean_start=False)
again.until("ended")
seen["ended"] = [again.ended[0].value, again.ended[1].ReasonString]
again.client.loop_stop()
other.end()
writer.end()
print(json.dumps(seen))
