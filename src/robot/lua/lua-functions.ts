import { accountFunctions } from './account-functions.ts';
import { gardenFunctions } from './garden-functions.ts';
import type { LuaFunctions } from './lua-function.ts';
import { messageFunctions } from './message-functions.ts';
import { movementFunctions } from './movement-functions.ts';
import { pinFunctions } from './pin-functions.ts';
import { toolFunctions } from './tool-functions.ts';

/** The robot's functions that scripts can call. sandbox.lua adds functions that need functions of the script. [rule R17] */
export const luaFunctions: LuaFunctions = {
  ...accountFunctions,
  ...gardenFunctions,
  ...messageFunctions,
  ...movementFunctions,
  ...pinFunctions,
  ...toolFunctions,
};
