import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import {
  approvalOutcomeSchema,
  commentOnApprovalSchema,
  fileApprovalSchema,
  grantApprovalSchema,
  maxApprovalBytes,
  refuseApprovalSchema,
  tellApproversSchema,
} from '#contracts/approvals';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import { type Guards, impersonableRoute } from '../access/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import { type ApprovalMailParts, ApprovalMails } from './approval-mails.ts';
import {
  type AgentApprovals,
  type ApprovalParts,
  type ApprovalService,
  createAgentApprovals,
  createApprovalService,
} from './approval-service.ts';

const approvalPath = z.strictObject({ id: z.coerce.number().int().positive() });
const noQuery = z.strictObject({});
const lookEveryMs = 5_000;
const longestStopMs = 2_000;

/** Requests to run actions that need an approval: `#contracts/approvals`. */
export function registerApprovals(server: FastifyInstance, guards: Guards, parts: ApprovalParts, logger: Logger): void {
  registerAgentSide(server, guards, createAgentApprovals(parts));
  registerPersonSide(server, guards, createApprovalService(parts));
  const sweeps = lookOften(
    () => parts.approvals.sweep(),
    (error) => logger.log('Warn', 'Requests that have lapsed could not be looked for.', { error }),
  );
  server.addHook('onClose', sweeps.stop);
}

/** Send mails about requests until the server closes. A mail on its way has a moment to arrive. */
export function sendApprovalMails(server: FastifyInstance, parts: ApprovalMailParts): void {
  const { queue, logger } = parts;
  const mails = new ApprovalMails(parts);
  const stopping = new AbortController();
  let isChecked = false;
  const work = async () => {
    if (!isChecked) await mails.checkServer(stopping.signal);
    isChecked = true;
    await mails.sendDue(stopping.signal);
  };
  const sending = lookOften(work, (error) => logger.log('Warn', 'Mails about requests could not be sent.', { error }));
  const unlisten = queue.onQueued(sending.look);
  server.addHook('onClose', async () => {
    unlisten();
    const timer = setTimeout(() => stopping.abort(), longestStopMs);
    await sending.stop();
    clearTimeout(timer);
  });
}

function registerAgentSide(server: FastifyInstance, guards: Guards, approvals: AgentApprovals): void {
  const { check: onRequest, of: environmentOf } = guards.environment;
  server.post('/agent/v1/approvals', { onRequest }, async (request, reply) => {
    const filed = parseInput(fileApprovalSchema, request.body);
    if (Buffer.byteLength(JSON.stringify(filed.content)) > maxApprovalBytes) throw tooLarge();
    return reply.code(201).send(await approvals.file(environmentOf(request), filed));
  });
  server.post('/agent/v1/approvals/:id/approvers', { onRequest }, async (request, reply) => {
    const { id } = parseInput(approvalPath, request.params);
    const { personIds } = parseInput(tellApproversSchema, request.body);
    await approvals.tellApprovers(environmentOf(request), id, personIds);
    return reply.code(204).send();
  });
  server.get('/agent/v1/approvals/:id', { onRequest }, async (request) =>
    approvals.open(environmentOf(request), parseInput(approvalPath, request.params).id),
  );
  server.post('/agent/v1/approvals/:id/grant', { onRequest }, async (request) => {
    const { id } = parseInput(approvalPath, request.params);
    return approvals.grant(environmentOf(request), id, parseInput(grantApprovalSchema, request.body));
  });
  server.post('/agent/v1/approvals/:id/outcome', { onRequest }, async (request, reply) => {
    const { id } = parseInput(approvalPath, request.params);
    await approvals.end(environmentOf(request), id, parseInput(approvalOutcomeSchema, request.body));
    return reply.code(204).send();
  });
}

function registerPersonSide(server: FastifyInstance, guards: Guards, approvals: ApprovalService): void {
  const { check: onRequest, of: personOf } = guards.user;
  server.get('/api/approvals', { onRequest, config: impersonableRoute }, async (request) => {
    parseInput(noQuery, request.query);
    return { approvals: await approvals.list(personOf(request)) };
  });
  server.get('/api/approvals/:id', { onRequest, config: impersonableRoute }, async (request) => {
    parseInput(noQuery, request.query);
    return approvals.find(personOf(request), parseInput(approvalPath, request.params).id);
  });
  server.post('/api/approvals/:id/refuse', { onRequest }, async (request) => {
    const { comment } = parseInput(refuseApprovalSchema, request.body ?? {});
    return approvals.refuse(personOf(request), parseInput(approvalPath, request.params).id, comment);
  });
  server.post('/api/approvals/:id/comments', { onRequest }, async (request, reply) => {
    const { comment } = parseInput(commentOnApprovalSchema, request.body);
    const { id } = parseInput(approvalPath, request.params);
    return reply.code(201).send(await approvals.comment(personOf(request), id, comment));
  });
  server.delete('/api/approvals/:id', { onRequest }, async (request) =>
    approvals.withdraw(personOf(request), parseInput(approvalPath, request.params).id),
  );
}

/** Do some work now, every few seconds, and when told; once at a time. */
function lookOften(work: () => Promise<void>, onError: (error: unknown) => void) {
  let looking: Promise<void> = Promise.resolve();
  const look = () => {
    looking = looking.then(work).catch(onError);
  };
  look();
  const timer = setInterval(look, lookEveryMs).unref();
  return {
    look,
    stop: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}

function tooLarge() {
  return cloudError(
    'REQUEST_TOO_LARGE',
    `The form values and the records of a request have more than ${maxApprovalBytes / 1024} KiB.`,
    'Select fewer records, or give the action smaller files.',
  );
}
