import type { RobotConnectListener } from './access.ts';
import type { BrokerStatus } from './broker.ts';
import type { GardenConnections } from './garden-connections.ts';
import type { RobotCommands } from './robots/robot-commands.ts';
import type { RobotDirectory } from './robots/robot-directory.ts';
import type { RobotMessages } from './robots/robot-messages.ts';

export type { RobotMessage } from './robots/robot-messages.ts';

/** The offer of the live side to other rooms, which neither record messages nor receive responses. [ADR 100] */
export interface LiveOffer {
  /** The messages of robots, and requests to them. */
  readonly robotMessages: Pick<RobotMessages, 'observe'>;
  readonly directory: Pick<RobotDirectory, 'state' | 'robots'>;
  readonly commands: Pick<RobotCommands, 'send' | 'sendEmergency'>;
  /** Calls the listener for each sign-in of a robot that this process checked. */
  onRobotConnect(listener: RobotConnectListener): void;
  /** The connections of Home Assistant to the built-in broker; null where it has no users. */
  readonly gardens: GardenConnections | null;
  /** Returns the broker's status; null without a broker. */
  status(): BrokerStatus | null;
}
