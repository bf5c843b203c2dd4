import { messagesIn } from '../core/message.ts';

/** Messages of message brokers about themselves. */
export const sayOfBroker = messagesIn({
  en: {
    notRunning: 'The built-in message broker is not running.',
    listening: (ports: readonly number[], clients: number) =>
      `The built-in message broker listens on ${ports.length > 1 ? 'ports' : 'port'} ${ports.join(' and ')}; ${clients === 1 ? '1 client is' : `${clients} clients are`} connected.`,
    waiting: (count: number) => `${count} messages are waiting.`,
    full: (count: number) => `${count} messages are waiting for RabbitMQ already.`,
    notConnected: (name: string) => `RabbitMQ at ${name} is not connected yet.`,
    connected: (name: string) => `RabbitMQ at ${name} is connected.`,
    noManagement:
      'Without BROKER_MANAGEMENT_URL, clients with a revoked token stay connected until they disconnect; they cannot sign in again.',
    accepting: (name: string, reason: string) => `RabbitMQ at ${name} accepts no messages at the moment (${reason}).`,
    refusing: (name: string) => `RabbitMQ at ${name} refuses connections: it may not be running.`,
    unresolved: (name: string) => `The host name in ${name} cannot be resolved.`,
    silent: (name: string) => `RabbitMQ at ${name} does not respond.`,
    wrongPassword: (name: string, user: string) =>
      `RabbitMQ at ${name} refused the user ${user}: BROKER_ADMIN_PASSWORD or the password in BROKER_URL is wrong, or RabbitMQ cannot reach this server's hooks (/api/rmq/user).`,
    otherHost: (name: string, user: string, vhost: string) =>
      `RabbitMQ at ${name} does not allow the user ${user} to use the virtual host ${vhost}.`,
    closed: (name: string) => `RabbitMQ at ${name} was stopped, or closed the connection.`,
    timedOut: (name: string) => `The connection to RabbitMQ at ${name} timed out.`,
  },
  fr: {
    notRunning: 'Le courtier de messages intégré ne fonctionne pas.',
    listening: (ports, clients) =>
      `Le courtier de messages intégré écoute sur ${ports.length > 1 ? 'les ports' : 'le port'} ${ports.join(' et ')} ; ${clients === 1 ? '1 client est connecté' : `${clients} clients sont connectés`}.`,
    waiting: (count) => `${count} messages attendent.`,
    full: (count) => `${count} messages attendent déjà RabbitMQ.`,
    notConnected: (name) => `RabbitMQ à ${name} n’est pas encore connecté.`,
    connected: (name) => `RabbitMQ à ${name} est connecté.`,
    noManagement:
      'Sans BROKER_MANAGEMENT_URL, les clients dont le jeton a été révoqué restent connectés jusqu’à ce qu’ils se déconnectent ; ils ne peuvent pas se reconnecter.',
    accepting: (name, reason) => `RabbitMQ à ${name} n’accepte pas de messages en ce moment (${reason}).`,
    refusing: (name) => `RabbitMQ à ${name} refuse les connexions : il ne fonctionne peut-être pas.`,
    unresolved: (name) => `Le nom d’hôte dans ${name} est introuvable.`,
    silent: (name) => `RabbitMQ à ${name} ne répond pas.`,
    wrongPassword: (name, user) =>
      `RabbitMQ à ${name} a refusé l’utilisateur ${user} : BROKER_ADMIN_PASSWORD ou le mot de passe dans BROKER_URL est faux, ou RabbitMQ n’atteint pas ce serveur (/api/rmq/user).`,
    otherHost: (name, user, vhost) =>
      `RabbitMQ à ${name} ne permet pas à l’utilisateur ${user} l’hôte virtuel ${vhost}.`,
    closed: (name) => `RabbitMQ à ${name} a été arrêté, ou a fermé la connexion.`,
    timedOut: (name) => `La connexion à RabbitMQ à ${name} a pris trop de temps.`,
  },
});
