import { describe, expect, it } from 'vitest';
import { checkProgram } from '../programs/checker.ts';
import { Reference } from '../programs/references.ts';
import { sequenceTree } from '../programs/tree.ts';
import { cropPositions, crops } from './demo-crops.ts';
import type { Frame, ProductLine } from './product-lines.ts';
import { findSeedPlan, productOptions } from './product-lines.ts';
import { programBody } from './program-seeds.ts';
import { stressPosition } from './stress-garden.ts';

const products = productOptions.filter((offer): offer is ProductLine => 'frame' in offer && offer.frame !== null);

describe('the table of product lines', () => {
  it('has unique names', () => {
    const names = productOptions.map(({ line }) => line);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toHaveLength(25);
  });

  it('finds a robot by name, none for the empty garden, and the base line’s for a stress line', () => {
    expect(findSeedPlan('genesis_1.5')).toMatchObject({ product: { line: 'genesis_1.5' }, stressCount: 0 });
    expect(findSeedPlan('none')).toEqual({ product: null, stressCount: 0 });
    expect(findSeedPlan('genesis_xl_1.8_stress_750')).toMatchObject({
      product: { line: 'genesis_xl_1.8' },
      stressCount: 750,
    });
    for (const name of ['', 'genesis', 'GENESIS_1.5', 'demo_account', '__proto__'])
      expect(findSeedPlan(name)).toBeUndefined();
  });

  it('has at most one slot per tool, and only for tools of the robot', () => {
    for (const { line, tools, slots } of products) {
      const placed = slots.map(({ tool }) => tool);
      expect([line, placed.filter((tool) => !tools.includes(tool))]).toEqual([line, []]);
      expect([line, new Set(placed).size]).toEqual([line, placed.length]);
      expect([line, new Set(tools).size]).toEqual([line, tools.length]);
      const pins = products.flatMap((one) => (one.line === line ? Object.values(one.pins) : []));
      expect([line, new Set(pins).size]).toEqual([line, pins.length]);
    }
  });
});

describe('the programs of a product line', () => {
  it.each(products)('$line pass the checker and name only records created before them', (product) => {
    const created: string[] = [];
    const known = (names: readonly string[], name: string): number => {
      expect(names).toContain(name);
      return names.indexOf(name) + 1;
    };
    for (const program of product.programs) {
      const { args, body } = programBody(program, {
        peripheral: (label) => known(Object.keys(product.pins), label),
        sensor: (name) =>
          known(
            product.frame.sensors.map(({ label }) => label),
            name,
          ),
        tool: (name) => known(product.tools, name),
        group: (name) => known(['All plants', 'All points', 'All weeds'], name),
        sequence: (name) => known(created, name),
      }) as { args: object; body: object[] };
      const { diagnostics } = checkProgram(sequenceTree({ ...args }, body), 'all');
      // References are not problems here: the ids are made up.
      expect([program.name, diagnostics.filter((diagnostic) => !(diagnostic instanceof Reference))]).toEqual([
        program.name,
        [],
      ]);
      for (const step of body)
        expect([program.name, step]).toEqual([
          program.name,
          expect.objectContaining({ comment: expect.stringMatching(/.\.$/) }),
        ]);
      created.push(program.name);
    }
    expect(new Set(created).size).toBe(created.length);
  });
});

describe('the garden of a demo', () => {
  it.each<[Frame['bed'], number[]]>([
    ['standard', [26, 4, 54]],
    ['express_xl', [56, 18, 114]],
    ['genesis_xl', [112, 27, 114]],
  ])('%s has the right number of plants of each crop', (bed, counts) => {
    expect(crops.map((crop) => cropPositions(crop, bed).length)).toEqual(counts);
  });

  it('grows in rows along x', () => {
    const [spinach] = crops;
    expect(spinach && cropPositions(spinach, 'genesis_xl').slice(0, 5)).toEqual([
      { x: 400, y: 100, column: 0 },
      { x: 400, y: 300, column: 1 },
      { x: 400, y: 2600, column: 2 },
      { x: 400, y: 2800, column: 3 },
      { x: 600, y: 100, column: 0 },
    ]);
  });
});

describe('the positions of stress test records', () => {
  it('fill the map and stay within it', () => {
    const map = [5900, 2730] as const;
    // 32 columns and 32 rows; the last row has eight.
    expect(stressPosition(0, 1000, map, { dx: 0, dy: 0 })).toEqual({ x: 100, y: 100 });
    expect(stressPosition(31, 1000, map, { dx: 0, dy: 0 })).toEqual({ x: 5800, y: 100 });
    expect(stressPosition(32, 1000, map, { dx: 35, dy: 20, isRounded: true })).toEqual({ x: 140, y: 200 });
    expect(stressPosition(31, 1000, map, { dx: 140, dy: 80 })).toEqual({ x: 5900, y: 180 });
    expect(stressPosition(999, 1000, map, { dx: 0, dy: 0 })).toEqual({ x: 1387, y: 2630 });
  });
});
