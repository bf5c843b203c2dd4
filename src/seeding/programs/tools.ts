import type { SeedProgram } from './nodes.ts';
import { anyLocationNode, commented, findHomeNode, luaNode, parameterNode } from './nodes.ts';

export const mountTool: SeedProgram = {
  name: 'Mount Tool',
  color: 'gray',
  isShared: true,
  locals: [parameterNode('Tool', anyLocationNode)],
  steps: () => [commented('Takes the tool out of its slot.', luaNode('mount_tool(variable("Tool"))'))],
};

export const dismountTool: SeedProgram = {
  name: 'Dismount Tool',
  color: 'gray',
  isShared: true,
  steps: () => [commented('Puts the tool back into its slot.', luaNode('dismount_tool()'))],
};

export const findHomeOnGenesis: SeedProgram = {
  name: 'Find Home',
  color: 'blue',
  steps: () => [commented('Find the ends of all axes.', findHomeNode('all'))],
};

export const findHomeOnExpress: SeedProgram = {
  name: 'Find Home',
  color: 'blue',
  steps: () => [
    commented('Find the end of the y axis.', findHomeNode('y')),
    commented('Find the end of the x axis.', findHomeNode('x')),
  ],
};
