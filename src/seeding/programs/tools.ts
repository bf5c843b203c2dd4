import type { SeedProgram } from './nodes.ts';
import { anyLocation, commented, findHome, lua, parameter } from './nodes.ts';

export const mountTool: SeedProgram = {
  name: 'Mount Tool',
  color: 'gray',
  isShared: true,
  locals: [parameter('Tool', anyLocation)],
  steps: () => [commented('Takes the tool out of its slot.', lua('mount_tool(variable("Tool"))'))],
};

export const dismountTool: SeedProgram = {
  name: 'Dismount Tool',
  color: 'gray',
  isShared: true,
  steps: () => [commented('Puts the tool back into its slot.', lua('dismount_tool()'))],
};

export const findHomeOnGenesis: SeedProgram = {
  name: 'Find Home',
  color: 'blue',
  steps: () => [commented('Find the ends of all axes.', findHome('all'))],
};

export const findHomeOnExpress: SeedProgram = {
  name: 'Find Home',
  color: 'blue',
  steps: () => [
    commented('Find the end of the y axis.', findHome('y')),
    commented('Find the end of the x axis.', findHome('x')),
  ],
};
