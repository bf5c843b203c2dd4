import { sayOfModel } from '../../../src/ai/model-error.ts';
import { sayOfDisk } from '../../../src/core/low-space.ts';
import { sayOfQuotas } from '../../../src/core/quotas.ts';
import { sayOfSize } from '../../../src/core/size-text.ts';
import { storedMessages } from '../../../src/core/stored-messages.ts';
import { sayOfLimit } from '../../../src/garden/limit-messages.ts';
import { sayOfResponse } from '../../../src/live/robots/response-messages.ts';
import { say as sayOfCheck, sayOfValue } from '../../../src/programs/check-messages.ts';
import { sayOfRobot } from '../../../src/robot/log-messages.ts';
import { sayOfFunction } from '../../../src/robot/lua/function-messages.ts';
import { sayOfRun } from '../../../src/runs/problem-messages.ts';

/** Parses the messages of the server and of virtual robots in logs. */
export const logMessage = storedMessages(
  [sayOfRobot, sayOfFunction, sayOfResponse, sayOfRun, sayOfCheck, sayOfLimit, sayOfModel, sayOfDisk, ...sayOfQuotas],
  [sayOfValue, sayOfSize],
);
