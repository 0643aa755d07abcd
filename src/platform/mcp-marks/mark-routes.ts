import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import {
  answerAskSchema,
  askSchema,
  askStateSchema,
  foundMarkSchema,
  givenAnswerSchema,
  givenOutcomeSchema,
  mcpMarkListSchema,
  mcpSessionSchema,
  usedYesSchema,
  useOfYesSchema,
} from '#contracts/mcp-marks';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Guards, SignedInUser } from '../access/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { AskRepository } from './asks.ts';
import { assistantsPagePath } from './assistants-page.ts';
import type { WhichMarks } from './find-mark.ts';
import type { MarkRepository } from './marks.ts';

export interface MarkServices {
  readonly marks: MarkRepository;
  readonly asks: AskRepository;
  /** On the platform of one developer, who signs in for everybody. */
  readonly isOfOneDeveloper: boolean;
  /** What addresses of the platform begin with, once it listens. */
  readonly origin: () => string;
}

const markPath = z.strictObject({ id: z.coerce.number().int().positive() });
const askPath = z.strictObject({ id: z.uuid() });
const noQuery = z.strictObject({});

/** What agents ask and tell of the marks of their MCP sessions, and what people do about them: `#contracts/mcp-marks`. */
export function registerMarkRoutes(server: FastifyInstance, guards: Guards, services: MarkServices): void {
  registerAgentSide(server, guards, services);
  registerPersonSide(server, guards, services);
}

function registerAgentSide(server: FastifyInstance, guards: Guards, { marks, asks, origin }: MarkServices): void {
  const { check: onRequest, of: environmentOf } = guards.environment;
  server.post('/agent/v1/mcp/marks/question', { onRequest }, async (request) => {
    const session = parseInput(mcpSessionSchema, request.body);
    return foundMarkSchema.parse({ mark: await marks.find(environmentOf(request).id, session) });
  });
  server.post('/agent/v1/mcp/marks/answers', { onRequest }, async (request) => {
    const answer = parseInput(givenAnswerSchema, request.body);
    return givenOutcomeSchema.parse(await marks.give(environmentOf(request).id, answer));
  });
  server.post('/agent/v1/mcp/asks', { onRequest }, async (request) => {
    const state = await asks.ask(environmentOf(request).id, parseInput(askSchema, request.body));
    return askStateSchema.parse({ ...state, url: `${origin()}${assistantsPagePath}` });
  });
  server.post('/agent/v1/mcp/asks/uses', { onRequest }, async (request) => {
    const use = parseInput(useOfYesSchema, request.body);
    return usedYesSchema.parse({ isAgreed: await asks.use(environmentOf(request).id, use) });
  });
}

function registerPersonSide(
  server: FastifyInstance,
  guards: Guards,
  { marks, asks, isOfOneDeveloper }: MarkServices,
): void {
  const onRequest = guards.user.check;
  const ownOf = ({ user, environment }: SignedInUser): WhichMarks => ({
    environmentId: environment.id,
    personId: isOfOneDeveloper ? undefined : user.id,
  });
  const decider = (request: FastifyRequest): SignedInUser => {
    const by = guards.user.of(request);
    if (by.credential.kind === 'printed token') throw handedOver();
    return by;
  };
  server.get('/api/mcp-marks', { onRequest }, async (request) => {
    parseInput(noQuery, request.query);
    return mcpMarkListSchema.parse({ marks: await marks.list(ownOf(guards.user.of(request))) });
  });
  server.delete('/api/mcp-marks/:id', { onRequest }, async (request, reply) => {
    const by = decider(request);
    const { id } = parseInput(markPath, request.params);
    if (!(await marks.clear(id, ownOf(by), by.author))) throw noMark();
    return reply.code(204).send();
  });
  server.post('/api/mcp-asks/:id', { onRequest }, async (request, reply) => {
    const by = decider(request);
    const { id } = parseInput(askPath, request.params);
    const { answer } = parseInput(answerAskSchema, request.body);
    if (!(await asks.answer(id, ownOf(by), answer))) throw noAsk();
    return reply.code(204).send();
  });
}

/** A token that was printed for a program may be in the hands of the assistant. */
function handedOver(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'A printed token does not answer for its person.',
    'Sign in at the platform, or use the token of "vendor-cloud login".',
  );
}

export function noMark(): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    'You have no session with this mark in the environment.',
    'List the marks: vendor-cloud mcp marks list',
  );
}

export function noAsk(): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    'You have no such question in the environment, or it was answered, or it has ended.',
    'List what is open: vendor-cloud mcp marks list',
  );
}
