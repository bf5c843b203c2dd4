import { accountFunctions } from './account-functions.ts';
import { curveFunctions } from './curve-functions.ts';
import { gardenFunctions } from './garden-functions.ts';
import { hardwareFunctions } from './hardware-functions.ts';
import type { LuaFunction, LuaFunctions } from './lua-function.ts';
import { messageFunctions } from './message-functions.ts';
import { movementFunctions } from './movement-functions.ts';
import { pinFunctions } from './pin-functions.ts';
import { programFunctions } from './program-functions.ts';
import { timeFunctions } from './time-functions.ts';
import { toolFunctions } from './tool-functions.ts';

/** The robot's functions that scripts can call, as declared in core/lua-functions.ts. robot-functions.lua gives some of them functions of the script. [rule R17] */
const functions: LuaFunctions = {
  ...accountFunctions,
  ...curveFunctions,
  ...gardenFunctions,
  ...hardwareFunctions,
  ...messageFunctions,
  ...movementFunctions,
  ...pinFunctions,
  ...programFunctions,
  ...timeFunctions,
  ...toolFunctions,
};

/** The functions by name. */
export const luaFunctions: ReadonlyMap<string, LuaFunction> = new Map(Object.entries(functions));
