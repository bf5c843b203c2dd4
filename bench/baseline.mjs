// The baseline: a bare Fastify with a constant response.
import Fastify from 'fastify';

const app = Fastify();
app.get('/', (_request, reply) => reply.type('application/json; charset=utf-8').send('{"id":1}'));
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
