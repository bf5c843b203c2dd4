import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EventReader } from '../support/event-reader.ts';
import type { Json } from '../support/json.ts';
import { at, textAt } from '../support/json.ts';
import { scriptsIn, shellBlocks, Terminal } from '../support/pasted-blocks.ts';
import { anyPort, suiteServer } from '../support/servers.ts';

const page = 'docs/recipes.md';
const scripts = scriptsIn(page, 'python');
const user = { name: 'Ada', email: 'ada@example.com', password: 'a-long-password' };

/** Returns the shell block of the page that begins with a text. */
const block = (beginning: string): string =>
  shellBlocks(page).find((each) => each.startsWith(beginning)) ?? expect.unreachable(`no block: ${beginning}`);

describe('the recipes in Python', () => {
  const server = suiteServer('sqlite', { EMAIL_VERIFICATION: 'off', MQTT_PORT: anyPort, FETCH_ALLOW: '127.0.0.1' });
  let terminal: Terminal;
  let token: string;
  let rights: string;

  async function send(method: string, path: string, body?: Json): Promise<Json> {
    const response = await server.client.send(method, path, { token, ...(body !== undefined && { body }) });
    expect(response.status, `${method} ${path} ${response.text}`).toBe(200);
    return response.json;
  }

  /** The lines that sign in, with the address of the server. */
  const signIn = () => block('API=').replace('localhost:3000', `127.0.0.1:${server.port}`);

  /** Runs commands that may fail; the last line of their output is the exit code. */
  const outcome = (commands: string): Promise<string> => terminal.paste(`${commands} 2>&1; echo $?`);

  /** Runs commands that open the valve; returns their output, and the places where it was open. */
  async function watering(commands: string): Promise<{ output: string; places: string[] }> {
    const stream = await EventReader.open(`${server.base}/api/events?resources=Tool&live=status`, token);
    const output = await terminal.paste(commands);
    const valves = () => stream.events.map(({ data }) => data.pins?.['8']?.value);
    // The last status has arrived when the valve is closed again.
    await expect.poll(() => [valves().includes(1), valves().at(-1)]).toEqual([true, 0]);
    stream.close();
    const places = stream.events
      .filter((_, index) => valves()[index] === 1)
      .map(({ data }) => `${data.location_data.position.x} ${data.location_data.position.y}`);
    return { output, places: [...new Set(places)] };
  }

  beforeAll(async () => {
    await server.client.post('/api/users', { ...user, password_confirmation: user.password });
    token = textAt((await server.client.post('/api/tokens', { user })).json, 'token.encoded');
    terminal = new Terminal({ folder: server.folder, env: { PATH: process.env.PATH ?? '', HOME: server.folder } });
    rights = await terminal.paste(signIn() + block('mkdir'));
    for (const [name, code] of scripts) await writeFile(join(server.folder, 'garden', name), code);
    expect(await terminal.paste(block('curl $API/device/seed'))).toContain('"connected":true');
    const isSeeded = async () =>
      expect(await send('GET', '/api/sensors')).toMatchObject([{ type: 'soil_moisture' }, {}]);
    await vi.waitFor(isSeeded, { timeout: 60_000 });
    // A quick robot in a flat garden.
    const speeds = ['x', 'y', 'z', 'z2'].map((axis) => [`movement_max_spd_${axis}`, 30_000]);
    await send('PATCH', '/api/firmware_config', Object.fromEntries(speeds));
    await send('PATCH', '/api/fbos_config', { soil_height: -100 });
  });
  afterAll(() => terminal.close());

  it('have a token for nothing else, in a file that others cannot read', async () => {
    expect(rights).toMatch(/^\{"role":"owner","scopes":\["read","garden","control"\]/m);
    expect(await terminal.paste('stat -c %a environment')).toMatch(/^600$/m);
  });

  it('print what the server says to a wrong password, and write no token', async () => {
    const wrong = signIn().replace(user.password, 'a-wrong-password');
    expect(await outcome(`(${wrong})`)).toMatch(/^\{"auth":"[^"]+"\}\n1$/m);
    const none = `(SESSION= && cd "$(mktemp -d)" && ${block('mkdir')} cat environment)`;
    expect(await outcome(none)).toMatch(/^\{"error":.+\}\n\ncat: environment: No such file or directory\n1$/m);
  });

  it('plant a bed from a table, once', async () => {
    await terminal.paste(block('cat > bed.csv'));
    expect(await terminal.paste(block('python3 bed.py'))).toMatch(/^Carrot: carrot, every 50 mm.*^9 plants added$/ms);
    expect(await terminal.paste(block('python3 bed.py'))).toMatch(/^0 plants added$/m);
    const plants = (await send('GET', '/api/points?pointer_type=Plant')) as {
      openfarm_slug: string;
      x: number;
      y: number;
    }[];
    expect(plants.map(({ openfarm_slug, x, y }) => `${openfarm_slug} ${x} ${y}`)).toEqual([
      ...['carrot 200 200', 'carrot 250 200', 'carrot 300 200', 'carrot 200 450', 'carrot 250 450', 'carrot 300 450'],
      ...['lettuce 1500 1000', 'lettuce 1750 1000', 'lettuce 2000 1000'],
    ]);
    const unknown = "printf 'crop,rows,plants,x,y\\nXyzzy,1,1,0,0\\n' > bad.csv; python3 bed.py bad.csv";
    expect(await outcome(unknown)).toMatch(/the catalog has no Xyzzy\.\n1$/m);
  });

  it('water what is dry, and nothing else', async () => {
    const { output, places } = await watering(block('python3 measure.py'));
    expect(output.match(/^measured /gm)).toHaveLength(9);
    expect(output.match(/^watering: Lettuce /gm)).toHaveLength(3);
    expect(output.match(/^wet enough: Carrot /gm)).toHaveLength(6);
    expect(places).toEqual(['1500 1000', '1750 1000', '2000 1000']);
  });

  it('water where values are high if these mean dry soil, and no plant that was not measured', async () => {
    await send('POST', '/api/points', { pointer_type: 'Plant', name: 'Mint', x: 1480, y: 1000, z: 0 });
    const other = ['s/^HIGH_IS_WET = True/HIGH_IS_WET = False/', 's/^SECONDS = 5/SECONDS = 1/'].join(';');
    const { output, places } = await watering(`sed '${other}' water.py > other.py && python3 other.py`);
    expect(output).toMatch(/^not measured: Mint \(1480, 1000\)$/m);
    expect(output.match(/^wet enough: Lettuce /gm)).toHaveLength(3);
    expect(places).toEqual(['200 200', '250 200', '300 200', '200 450', '250 450', '300 450']);
  });

  it('leave the sensor above the soil', async () => {
    await terminal.paste('python3 measure.py Mint');
    const position = async () => at(await send('GET', '/api/robot'), 'status.position');
    await expect.poll(position).toMatchObject({ x: 1480, y: 1000, z: 0 });
  });

  it('draw the moisture of each measured plant', async () => {
    expect(await terminal.paste(block('python3 chart.py'))).toMatch(/^moisture\.svg: 10 plants$/m);
    const read = `import sys, xml.etree.ElementTree as tree
drawn = tree.parse("moisture.svg").getroot()
of = lambda name: drawn.findall("{http://www.w3.org/2000/svg}" + name)
print(len(of("polyline")), [each.text for each in of("text") if "Lettuce" in each.text])`;
    expect(await terminal.paste(`python3 - <<'END'\n${read}\nEND`)).toMatch(
      /^10 \['Lettuce \(1500, 1000\): \d+', 'Lettuce \(1750, 1000\): \d+', 'Lettuce \(2000, 1000\): \d+'\]$/m,
    );
  });

  it('give Node-RED its variables', async () => {
    await terminal.paste(block('export POTAGER_API=') + block('export POTAGER_SECRET='));
    const printed = await terminal.paste('echo $POTAGER_API $POTAGER_TOKEN $POTAGER_SECRET');
    expect(printed).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api pot_\S+ whsec_\S+$/m);
  });

  it('end with the reason when the robot does not work, and when a token does not suffice', async () => {
    expect(await outcome('python3 measure.py Nothing')).toBe('0\n');
    await send('POST', '/api/robot/emergency_stop');
    expect(await outcome('python3 measure.py')).toMatch(/^The robot: .+\n1$/m);
    // The reason, and that the valve could not be closed.
    expect(await outcome('python3 other.py Carrot')).toMatch(/^watering: .+\n(The robot: .+\n){2}1$/m);
    await send('PUT', '/api/virtual_robot', { running: false });
    expect(await outcome('python3 measure.py')).toMatch(/^The robot: No robot is connected\.\n1$/m);
    const reader = textAt(await send('POST', '/api/personal_tokens', { name: 'Reader', scopes: ['read'] }), 'token');
    expect(await outcome(`TOKEN=${reader} python3 measure.py`)).toMatch(
      /^POST \/commands: 403 .*The token does not have the scope control.*\n1$/m,
    );
  });
});
