import type { AccountsOffer } from '../accounts/offer.ts';
import { isLocalUrl } from '../core/ip-addresses.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call, PublicRoute } from '../engine/route.ts';
import { requestOrigin } from '../engine/route.ts';

/** Public facts about the server. */
export interface ServerFacts {
  readonly version: string;
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  /** New e-mail addresses must be confirmed. */
  readonly verifies: boolean;
  /** Whether there is a mail server; otherwise messages are files. */
  readonly sendsMail: boolean;
  /** Whether the message broker answers at the WebSocket address in tokens. */
  readonly hasBrokerSocket: boolean;
  /** The server URL for robots, when the request does not show it: `http://192.168.1.20:3000`. Null: unknown. */
  robotAddress(): string | null;
  /** Whether the vendor's web app is installed. */
  readonly hasWebApp: boolean;
  /** The models of robots for which a garden can be seeded. */
  readonly robots: readonly { readonly line: string; readonly model: string; readonly version: string }[];
  readonly accounts: AccountsOffer;
}

const address = (description: string, example: string) =>
  Type.Nullable(Type.String({ description, examples: [example] }));

const serverSchema = ({ robots, version }: ServerFacts) =>
  Type.Object(
    {
      version: Type.String({ examples: [version] }),
      sign_up: Type.OneOf(['open', 'closed'], { description: 'Whether anyone may create an account now.' }),
      is_new: Type.Boolean({
        description: 'There are no accounts except demo accounts: the next sign-up creates the first.',
      }),
      needs_code: Type.Boolean({
        description:
          'The first account needs `administrator_code`, which the server shows when it starts, to administer the server. Where sign-up is closed, it cannot be created without the code.',
      }),
      verifies_addresses: Type.Boolean({
        description: 'New accounts can sign in only after opening the link in a mail.',
      }),
      sends_mail: Type.Boolean({
        description: 'False: the operator finds messages in the folder `outbox` of the data folder.',
      }),
      mqtt_over_websocket: Type.Boolean({
        description: 'Whether the message broker answers at `mqtt_ws` of tokens.',
      }),
      terms_url: address('The terms of service, to which a sign-up agrees.', 'https://garden.example/terms'),
      privacy_url: address('The privacy policy.', 'https://garden.example/privacy'),
      demo_gardens: Type.Boolean({ description: 'Whether `POST /api/demo_gardens` is served.' }),
      web_app: Type.Boolean({ description: "Whether the vendor's web app is installed, at `/app`." }),
      robot_address: address(
        'What is entered as the server on a robot; null where the server does not know the address of its machine.',
        'http://192.168.1.20:3000',
      ),
      robots: Type.Array(
        Type.Object({
          product_line: Type.OneOf(
            robots.map(({ line }) => line),
            { description: 'For `POST /api/device/seed`.', examples: ['genesis_1.8'] },
          ),
          model: Type.String({ examples: ['FarmBot Genesis'] }),
          version: Type.String({ examples: ['1.8'] }),
        }),
        { description: 'The models of robots for which a garden can be seeded.' },
      ),
    },
    { $id: 'ServerInfo' },
  );

/** The server URL for robots: the request's, unless only this machine can use it. Null: unknown. */
function addressForRobots(call: Call, facts: ServerFacts): string | null {
  const origin = requestOrigin(call);
  return isLocalUrl(origin) ? facts.robotAddress() : origin;
}

/** `GET /api/server`: the facts for a visitor before signing in. */
export const serverRoute = (facts: ServerFacts): PublicRoute => ({
  method: 'GET',
  path: '/api/server',
  tag: 'Server',
  access: 'public',
  acceptsAnyVersion: true,
  addition: true,
  summary: 'Show what a visitor may do: sign up, start a demo garden, connect a robot',
  description:
    'Returns whether accounts can be created, how their addresses are confirmed, the terms of service, whether the message broker has a WebSocket, and the address and models of robots.',
  replies: { 200: serverSchema(facts) },
  async handle(server, call) {
    const { signUp, isNew, needsCode, hasDemos } = await facts.accounts.admission(server, call);
    return {
      version: facts.version,
      sign_up: signUp,
      is_new: isNew,
      needs_code: needsCode,
      verifies_addresses: facts.verifies,
      sends_mail: facts.sendsMail,
      mqtt_over_websocket: facts.hasBrokerSocket,
      terms_url: facts.termsUrl,
      privacy_url: facts.privacyUrl,
      demo_gardens: hasDemos,
      web_app: facts.hasWebApp,
      robot_address: addressForRobots(call, facts),
      robots: facts.robots.map(({ line, model, version }) => ({ product_line: line, model, version })),
    };
  },
});
