/** What Home Assistant's messages and passwords concern. */
export interface GardenListener {
  /** Receives what a garden's user publishes. False: it may not publish there. */
  receive(deviceId: number, topic: string, payload: string): boolean;
  /** Called when passwords may have ended. */
  recheck(): Promise<void>;
}

/** The connections of gardens' users to the built-in broker. */
export interface GardenConnections {
  /** Sets the listener. What the users publish is delivered to no client. */
  listen(listener: GardenListener): void;
  /** The devices whose gardens' users are connected to this process. */
  connected(): readonly number[];
  /** Closes those of a garden whose password is no longer valid, after everything published to them was delivered. */
  endSessions(deviceId: number): Promise<void>;
}
