// Runs commands of the built program one after the other, each with a folder, settings and an input of its own.
// The process that starts it sends them, and reads the output up to the end that this writes.
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const [program] = process.argv.slice(2);
const { run } = await import(pathToFileURL(program).href);

class Exit extends Error {
  constructor(code) {
    super('the command exits');
    this.code = code;
  }
}
process.exit = (code) => {
  throw new Exit(code ?? process.exitCode ?? 0);
};

process.on('message', async ({ words, folder, env, input, end }) => {
  process.chdir(folder);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.exitCode = undefined;
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
  Object.defineProperty(process, 'stdin', { configurable: true, value: stdin });
  let code;
  try {
    await run([process.execPath, program, ...words]);
    code = process.exitCode ?? 0;
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    code = error.code;
  }
  process.stdout.removeAllListeners('error');
  process.exitCode = undefined;
  process.stdout.write(`${end}${code}\n`);
  process.stderr.write(`${end}\n`);
});
process.send('ready');
