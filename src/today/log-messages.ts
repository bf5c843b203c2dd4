import { sayOfModel } from '../ai/model-error.ts';
import { sayOfDisk } from '../core/low-space.ts';
import { sayOfQuotas } from '../core/quotas.ts';
import { sayOfSize } from '../core/size-text.ts';
import { storedMessages } from '../core/stored-messages.ts';
import { sayOfLimit } from '../garden/limit-messages.ts';
import { sayOfResponse } from '../live/robots/response-messages.ts';
import { say as sayOfCheck, sayOfValue } from '../programs/check-messages.ts';
import { sayOfRobot } from '../robot/log-messages.ts';
import { sayOfFunction } from '../robot/lua/function-messages.ts';
import { sayOfRun } from '../runs/problem-messages.ts';

/** Parses the messages of the server and of virtual robots in logs. */
export const logMessage = storedMessages(
  [sayOfRobot, sayOfFunction, sayOfResponse, sayOfRun, sayOfCheck, sayOfLimit, sayOfModel, sayOfDisk, ...sayOfQuotas],
  [sayOfValue, sayOfSize],
);
