import { describe, expect, it } from 'vitest';
import { groupsOf, legsOf, orderOf } from './travel.ts';

const origin = { x: 0, y: 0, z: 0 };
const far = { x: 10, y: 20, z: -30 };

describe('the order of axes', () => {
  it('is parsed from groupings and includes all axes', () => {
    expect(groupsOf('xy,z')).toEqual([['x', 'y'], ['z']]);
    expect(groupsOf('z,y,x')).toEqual([['z'], ['y'], ['x']]);
    expect(groupsOf('y')).toEqual([['y'], ['x', 'z']]);
    expect(groupsOf('nonsense')).toEqual([['x', 'y', 'z']]);
  });

  it('is parsed from the setting', () => {
    expect(orderOf('safe_z', -5)).toEqual({ by: 'safe height', height: -5 });
    expect(orderOf('x,yz;low', 0)).toEqual({ by: 'groups', groups: [['x'], ['y', 'z']], route: 'low' });
  });

  it('follows the groups as written', () => {
    expect(legsOf(origin, far, orderOf('z,xy;in_order', 0))).toEqual([{ x: 0, y: 0, z: -30 }, far]);
  });

  it('moves z up first and down last on the high route', () => {
    const order = orderOf('z,xy;high', 0);
    expect(legsOf(origin, far, order)).toEqual([{ x: 10, y: 20, z: 0 }, far]);
    expect(legsOf(far, origin, order)).toEqual([{ x: 10, y: 20, z: 0 }, origin]);
  });

  it('moves z down first and up last on the low route', () => {
    const order = orderOf('xy,z;low', 0);
    expect(legsOf(origin, far, order)).toEqual([{ x: 0, y: 0, z: -30 }, far]);
    expect(legsOf(far, origin, order)).toEqual([{ x: 0, y: 0, z: -30 }, origin]);
  });

  it('moves up to the safe height, across and down', () => {
    const from = { x: 0, y: 0, z: -40 };
    const order = orderOf('safe_z', -5);
    expect(legsOf(from, far, order)).toEqual([{ x: 0, y: 0, z: -5 }, { x: 10, y: 20, z: -5 }, far]);
    expect(legsOf(from, { ...from, z: -10 }, order)).toEqual([{ x: 0, y: 0, z: -10 }]);
    expect(legsOf(origin, { x: 1, y: 0, z: 0 }, order)).toEqual([{ x: 1, y: 0, z: 0 }]);
  });

  it('has no waypoints if both positions are equal', () => {
    expect(legsOf(far, far, orderOf('xy,z;high', 0))).toEqual([]);
    expect(legsOf(far, far, orderOf('safe_z', 0))).toEqual([]);
  });
});
