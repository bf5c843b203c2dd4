// Measures the console in Chromium: npm run bench:console
// STARTS (5): starts of the map with an empty cache; IDLE (20): seconds of an idle page.
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBrowser, openGarden, openWindow } from '../test/browsers/console-garden.mjs';

const starts = Number(process.env.STARTS ?? 5);
const idleSeconds = Number(process.env.IDLE ?? 20);
const viewport = { width: 1280, height: 800 };
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const marks = '[data-point]';

/** Records, before other scripts, when the first picture with so many marks was ready, and timers of less than a second. */
const observe = (count) => `
  performance.setResourceTimingBufferSize(1000);
  const look = () => {
    if (document.querySelectorAll('${marks}').length < ${count}) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => { window.firstPicture = performance.now(); }, 0));
  };
  requestAnimationFrame(look);
  window.fastTimers = [];
  for (const name of ['setTimeout', 'setInterval']) {
    const original = window[name];
    window[name] = (run, delay = 0, ...values) => {
      if (delay < 1000) window.fastTimers.push(name + ' ' + delay);
      return original(run, delay, ...values);
    };
  }`;

/** Plants in a grid. */
const plants = (count) =>
  Array.from({ length: count }, (_, number) => ({
    pointer_type: 'Plant',
    name: `Plant ${number}`,
    radius: 15,
    z: 0,
    openfarm_slug: ['tomato', 'spinach', 'carrot', 'beet'][number % 4],
    x: 20 + 50 * (number % 58),
    y: 20 + 34 * Math.floor(number / 58),
  }));

/** Plants more, `from` a place of the grid on, most of them at ages of up to 90 days. */
async function plant({ call }, count, from = 0) {
  const bodies = plants(from + count)
    .slice(from)
    .map((body, number) => ({
      ...body,
      plant_stage: number % 5 === 0 ? 'planned' : 'planted',
      planted_at: new Date(Date.now() - (number % 90) * 86_400_000).toISOString(),
    }));
  while (bodies.length > 0)
    await call(
      'POST',
      '/api/batch',
      bodies.splice(0, 100).map((body) => ({ method: 'POST', path: '/api/points', body })),
    );
}

/** Opens the map; returns the page, and a function that reads the figures of its main thread, in s. */
async function openMap(browser, garden, count) {
  const page = await openWindow(browser, { viewport }, garden);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const metrics = async () =>
    new Map((await session.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
  await page.addInitScript(observe(count));
  // The server stores at most 1,000 points for a garden; more of them are the bench's answer.
  if (count > 1000) {
    const example = (await garden.call('GET', '/api/points')).find(({ pointer_type }) => pointer_type === 'Plant');
    await page.route('**/api/points*', (route) =>
      route.fulfill({ json: plants(count).map((body, index) => ({ ...example, ...body, id: 1_000_000 + index })) }),
    );
  }
  await page.goto(`${garden.base}/console/map`);
  while (!(await page.evaluate('window.firstPicture'))) await sleep(20);
  return { page, metrics };
}

/** Returns the time until the first picture and the CPU time of the main thread until then in ms, and the scripts that the page requested until some seconds later: sizes in KB, times in ms. */
async function firstPicture(browser, garden, count) {
  const { page, metrics } = await openMap(browser, garden, count);
  const work = (await metrics()).get('ThreadTime') * 1000;
  await sleep(4000);
  const time = await page.evaluate('window.firstPicture');
  const scripts = await page.evaluate(
    `performance.getEntriesByType('resource').filter(({ name }) => new URL(name).pathname.endsWith('.js'))
      .map(({ name, encodedBodySize, startTime }) => (
        { name: name.split('/').pop(), size: encodedBodySize / 1000, time: startTime }))`,
  );
  await page.context().close();
  return { time, work, scripts };
}

const sum = (scripts) => scripts.reduce((total, { size }) => total + size, 0);
const names = (scripts) =>
  scripts
    .filter(({ size }) => size >= 3)
    .toSorted((a, b) => b.size - a.size)
    .map(({ name, size }) => `${name} ${size.toFixed(0)}`)
    .join(', ');

/** Calls `move` for each step, and returns the tasks of the main thread in ms per frame meanwhile, and the number of frames. */
async function workPerFrame({ page, metrics }, steps, move) {
  await page.evaluate('window.frames_ = 0; (function next() { window.frames_++; requestAnimationFrame(next); })()');
  const before = await metrics();
  const framesBefore = await page.evaluate('window.frames_');
  for (let step = 0; step < steps; step++) await move(step);
  const frames = (await page.evaluate('window.frames_')) - framesBefore;
  const after = await metrics();
  return { milliseconds: ((after.get('TaskDuration') - before.get('TaskDuration')) * 1000) / frames, frames };
}

/** Pans the map with the mouse. */
async function panning(browser, garden, count) {
  const map = await openMap(browser, garden, count);
  const { mouse } = map.page;
  await sleep(2000);
  await mouse.move(1200, 700);
  await mouse.down();
  const work = await workPerFrame(map, 120, (step) => mouse.move(1200 - 4 * step, 700 - 2 * step));
  await mouse.up();
  await map.page.context().close();
  return work;
}

/** Drags the slider of the garden over time. */
async function scrubbing(browser, garden, count) {
  const map = await openMap(browser, garden, count);
  const { page } = map;
  await page.getByRole('button', { name: 'The garden over time' }).click();
  const { x, y, width, height } = await page.getByRole('slider').boundingBox();
  await sleep(2000);
  await page.mouse.move(x + 10, y + height / 2);
  await page.mouse.down();
  const work = await workPerFrame(map, 240, (step) => page.mouse.move(x + 10 + (step * (width - 20)) / 240, y + 10));
  await page.mouse.up();
  await page.context().close();
  return work;
}

/** Returns the share of a core that an idle page uses, and its timers of less than a second. */
async function idle(browser, garden, count) {
  const { page } = await openMap(browser, garden, count);
  const session = await browser.newBrowserCDPSession();
  const cpuTime = async () =>
    (await session.send('SystemInfo.getProcessInfo')).processInfo
      .filter(({ type }) => type === 'renderer')
      .reduce((sum, process) => sum + process.cpuTime, 0);
  await sleep(5000);
  await page.evaluate('window.fastTimers.length = 0');
  const before = await cpuTime();
  await sleep(idleSeconds * 1000);
  const share = (await cpuTime()) - before;
  const timers = await page.evaluate('window.fastTimers');
  await page.context().close();
  return { percent: (100 * share) / idleSeconds, timers };
}

const garden = await openGarden();
const browser = await openBrowser();
try {
  await garden.call('POST', '/api/device/seed', { product_line: 'genesis_1.8' });
  await plant(garden, 500);
  const opened = [];
  for (let start = 0; start < starts; start++) opened.push(await firstPicture(browser, garden, 500));
  const resting = await idle(browser, garden, 500);
  await plant(garden, 490, 500);
  const scrub = await scrubbing(browser, garden, 990);
  const pan = await panning(browser, garden, 2000);
  const [{ time, scripts }] = opened;
  const initial = scripts.filter((script) => script.time <= time);
  const later = scripts.filter((script) => script.time > time);
  console.info(`Load of the machine: ${loadavg()[0].toFixed(1)}\n`);
  console.info('| | measured | target |\n|---|---:|---:|');
  const row = (...cells) => console.info(`| ${cells.join(' | ')} |`);
  row('scripts requested until the first picture, KB (brotli)', sum(initial).toFixed(0), 200);
  row('scripts after it, when the browser is idle, KB', sum(later).toFixed(0), '');
  row(
    `first picture of 500 plants, empty cache, ms (median of ${starts})`,
    median(opened.map(({ time }) => time)).toFixed(0),
    1000,
  );
  row('CPU time of the main thread until then, ms', median(opened.map(({ work }) => work)).toFixed(0), '');
  row(`main thread per frame of panning 2,000 plants, ms (${pan.frames} frames)`, pan.milliseconds.toFixed(1), 8);
  row(`the same of dragging through the time of 990 plants (${scrub.frames} frames)`, scrub.milliseconds.toFixed(1), 8);
  row('an idle map, % of a core', resting.percent.toFixed(2), 1);
  row(`its timers of less than a second, in ${idleSeconds} s`, resting.timers.length, 0);
  console.info(`\nUntil the first picture: ${names(initial)}`);
  console.info(`\nAfter it: ${names(later)}`);
  if (resting.timers.length > 0) console.info(`\nTimers: ${[...new Set(resting.timers)].join(', ')} ms`);
} finally {
  await browser.close();
  await garden.close();
}
