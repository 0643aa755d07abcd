import type { FastifyServerOptions } from 'fastify';

/**
 * Fastify loads a validator and a serialiser of JSON schemas for each server, a hundred files that take 30 ms and some megabytes. Routes
 * here have no schemas of Fastify: input is read with zod, and answers are written as they are.
 */
export const withoutSchemas: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: {
    buildValidator: () => refuse,
    buildSerializer: () => refuse,
  },
};

function refuse(): never {
  throw new TypeError('Routes have no schemas of Fastify.');
}
