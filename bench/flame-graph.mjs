// Draws a profile of V8 as an SVG file: each bar is a function, as wide as its share of the time (waiting for the disk included), above its
// callers.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const width = 1200;
const rowHeight = 17;
const margin = 10;
const header = 62;
/** Narrower bars are left out, in px. */
const minWidth = 1.2;
const characterWidth = 6.1;

/** Kinds of work, with their colors. */
const kinds = {
  Potager: '#7cb66a',
  packages: '#e0b54d',
  'Node.js': '#8fb4d9',
  'native code (SQLite, sockets)': '#d98a76',
  'garbage collection': '#b5a1cf',
};

/** Frames in which V8 does no work. */
const ignored = new Set(['(root)', '(idle)', '(program)']);
const escaped = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

function kindOf({ functionName, url }) {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (url.includes('/node_modules/')) return 'packages';
  if (url.includes('/dist/')) return 'Potager';
  return url.startsWith('node:') ? 'Node.js' : 'native code (SQLite, sockets)';
}

/** `commit (dist/sqlite.js)`. */
function labelOf({ functionName, url }) {
  const file = url.replace(/^.*\/node_modules\//, '').replace(/^.*\/(?=(dist|bench)\/)/, '');
  return `${functionName || '(anonymous)'}${file ? ` (${file})` : ''}`;
}

/** Merges the nodes of a profile into a tree of functions by label, with their times in µs. */
function treeOf({ nodes, samples, timeDeltas }) {
  const own = new Map();
  for (const [index, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + Math.max(0, timeDeltas[index] ?? 0));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const add = (parent, { id, callFrame, children = [] }) => {
    if (callFrame.functionName === 'startProfile') return;
    let frame = parent;
    if (!ignored.has(callFrame.functionName)) {
      const label = labelOf(callFrame);
      frame = parent.children.get(label) ?? { label, kind: kindOf(callFrame), time: 0, children: new Map() };
      parent.children.set(label, frame);
      frame.time += own.get(id) ?? 0;
    }
    for (const child of children) add(frame, byId.get(child));
  };
  const root = { children: new Map(), time: 0 };
  add(root, nodes[0]);
  const total = (frame) => {
    for (const child of frame.children.values()) frame.time += total(child);
    return frame.time;
  };
  total(root);
  return root;
}

/** Profiles a server while it works, and draws its time as `<folder>/<name>.svg`. Returns the result of the work. */
export async function drawFlames(folder, name, { ask }, work) {
  await ask('startProfile');
  const result = await work();
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.svg`.toLowerCase().replaceAll(/[ ,/]+/g, '-'));
  writeFileSync(path, flameGraph(await ask('stopProfile'), `${name}, Node ${process.version}`));
  return result;
}

/** Returns the text of an SVG file. `profile`: the result of the inspector's Profiler.stop. */
function flameGraph(profile, title) {
  const root = treeOf(profile);
  const pixels = (width - 2 * margin) / root.time;
  const share = (time) => `${((100 * time) / root.time).toFixed(1)} %`;
  const bars = [];
  const byKind = new Map(Object.keys(kinds).map((kind) => [kind, 0]));
  let deepest = 0;
  const draw = (frame, left, depth) => {
    let x = left;
    for (const child of [...frame.children.values()].sort((a, b) => a.label.localeCompare(b.label))) {
      const inner = [...child.children.values()].reduce((sum, { time }) => sum + time, 0);
      byKind.set(child.kind, byKind.get(child.kind) + child.time - inner);
      const size = child.time * pixels;
      if (size >= minWidth) {
        deepest = Math.max(deepest, depth);
        const characters = Math.floor((size - 6) / characterWidth);
        bars.push({ ...child, x, depth, size, text: characters < 3 ? '' : child.label.slice(0, characters) });
      }
      draw(child, x, depth + 1);
      x += size;
    }
  };
  draw(root, margin, 0);
  const height = header + (deepest + 1) * rowHeight + margin;
  const legend = [...byKind].map(
    ([kind, time], index) =>
      `<rect x="${margin + index * 225}" y="34" width="12" height="12" fill="${kinds[kind]}"/><text x="${margin + 17 + index * 225}" y="44">${escaped(kind)}: ${share(time)}</text>`,
  );
  const drawn = bars.map(({ label, kind, time, x, depth, size, text }) => {
    const y = height - margin - (depth + 1) * rowHeight;
    const bar = `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(size - 0.5, 0.7).toFixed(1)}" height="${rowHeight - 1}" fill="${kinds[kind]}"/>`;
    const words = text && `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${escaped(text)}</text>`;
    return `<g><title>${escaped(label)}: ${share(time)}</title>${bar}${words}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="Verdana, sans-serif" font-size="10">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${margin}" y="22" font-size="14">${escaped(title)}</text>`,
    ...legend,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}
