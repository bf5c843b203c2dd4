/** CONNACK return codes of rejected clients. [MQTT 3.1.1, 3.2.2.3] */
export const connackCodes = { clientId: 2, badCredentials: 4, notAuthorized: 5 } as const;

/** The response to a rejected CONNECT. `none`: the connection is closed without one, because clients that get one do not reconnect. [rule M13] */
export type ConnectResult = (typeof connackCodes)[keyof typeof connackCodes] | 'none';
