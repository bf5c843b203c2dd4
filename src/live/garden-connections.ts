/** The subjects of Home Assistant's messages and passwords. */
export interface GardenListener {
  /** Receives messages of a garden's user. False: it may not publish there. */
  receive(deviceId: number, topic: string, payload: string): boolean;
  /** Called when passwords may have ended. */
  recheck(): Promise<void>;
}

/** The connections of gardens' users to the built-in broker. */
export interface GardenConnections {
  /** Sets the listener. Messages of the users are delivered to no client. */
  listen(listener: GardenListener): void;
  /** The devices whose gardens' users are connected to this process. */
  connected(): readonly number[];
  /** Closes the connections of a garden whose password is no longer valid, after everything published to them was delivered. */
  endSessions(deviceId: number): Promise<void>;
}
