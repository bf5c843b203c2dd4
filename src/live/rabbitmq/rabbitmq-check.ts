import { rabbitMqAddress, rabbitMqTrouble } from './rabbitmq-address.ts';
import { RabbitMqLink } from './rabbitmq-link.ts';
import { RabbitMqManagement } from './rabbitmq-management.ts';

export interface ExaminationOptions {
  readonly url: string;
  readonly adminPassword: string | null;
  readonly managementUrl: string | null;
}

/** One thing that was looked at, with a sentence for people. */
export interface RabbitMqCheckResult {
  readonly name: 'broker' | 'broker management';
  readonly ok: boolean;
  readonly message: string;
}

/** A key that nobody reads, for a message that shows whether messages are taken. */
const trialKey = 'potager.doctor';
/** The longest that the whole may take, in ms. */
const patience = 10_000;

/** Looks whether RabbitMQ lets the server in, takes messages, and can be told to end connections. Changes nothing. */
export async function checkRabbitMq(options: ExaminationOptions): Promise<RabbitMqCheckResult[]> {
  return [await connection(options), await management(options)];
}

async function connection({ url, adminPassword }: ExaminationOptions): Promise<RabbitMqCheckResult> {
  const name = 'broker';
  let address: ReturnType<typeof rabbitMqAddress>;
  try {
    address = rabbitMqAddress(url, adminPassword);
  } catch (error) {
    return { name, ok: false, message: sentence(error) };
  }
  if (address.password === '')
    return {
      name,
      ok: false,
      message: `BROKER_ADMIN_PASSWORD is not set, so RabbitMQ at ${address.name} will not let this server in.`,
    };
  try {
    const link = await RabbitMqLink.open(address, [], AbortSignal.timeout(patience));
    const timer = setTimeout(() => link.drop(new Error(link.blocked ?? 'it takes no messages')), patience);
    try {
      await link.publish(trialKey, Buffer.alloc(0));
    } finally {
      clearTimeout(timer);
      await link.close();
    }
    return { name, ok: true, message: `RabbitMQ at ${address.name} lets this server in and takes messages.` };
  } catch (error) {
    const trouble = rabbitMqTrouble(address, error);
    // RabbitMQ asks the server who may come in; while it does not run, nobody may.
    const hint = trouble.includes('refused the user') ? ' Does `serve` run?' : '';
    return { name, ok: false, message: `${trouble}${hint}` };
  }
}

async function management({ managementUrl, adminPassword }: ExaminationOptions): Promise<RabbitMqCheckResult> {
  const name = 'broker management';
  if (managementUrl === null)
    return {
      name,
      ok: true,
      message:
        'BROKER_MANAGEMENT_URL is not set: clients whose token was revoked stay connected until they leave by themselves; new logins are refused.',
    };
  try {
    const rabbitMq = new RabbitMqManagement({ url: managementUrl, adminPassword });
    await rabbitMq.check();
    return { name, ok: true, message: `RabbitMQ's management interface at ${rabbitMq.address} answers.` };
  } catch (error) {
    return { name, ok: false, message: sentence(error) };
  }
}

const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error));
