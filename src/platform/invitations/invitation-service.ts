import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import {
  type AcceptInvitation,
  acceptInvitationSchema,
  type CreatedInvitation,
  type CreateInvitation,
  createInvitationSchema,
  type Invitation,
} from '#contracts/people';
import { cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { sha256Hex } from '#node/system/digest';
import { authorise } from '../access/authorise.ts';
import type { Guards, SignedInUser } from '../access/guards.ts';
import { authorOf } from '../audit/admin-log.ts';
import type { PasswordHashes } from '../passwords/password-hash.ts';
import type { PasswordRepository } from '../passwords/password-repository.ts';
import { type PasswordService, refuseEmailAsPassword } from '../passwords/password-service.ts';
import type { PeopleRepository } from '../people/people-repository.ts';
import { rolesNamed, severalOf } from '../people/people-service.ts';
import { clientAddress } from '../server/client-address.ts';
import { parseInput } from '../server/parse-input.ts';
import {
  type InvitationRecord,
  type InvitationRepository,
  type JoiningPerson,
  notOpen,
} from './invitation-repository.ts';

const lifetimeMs = 7 * 24 * 60 * 60_000;

/** How people join a project. Accepting needs the link only; everything else asks for the right to manage people. */
export interface InvitationService {
  /** Rejects with `REQUEST_CONFLICT` for somebody who is a member. */
  create(by: SignedInUser, input: CreateInvitation): Promise<CreatedInvitation>;
  list(by: SignedInUser): Promise<Invitation[]>;
  /** Rejects with `REQUEST_NOT_FOUND` for one that is not open. */
  revoke(by: SignedInUser, id: number): Promise<void>;
  /** What whoever holds the secret may know before they accept. Rejects with `REQUEST_CONFLICT` for one that is not open. */
  introduce(secret: string): Promise<{ readonly project: string; readonly inviter: string; readonly email: string }>;
  /** @param address where the request came from, for the log and the count of wrong passwords. */
  accept(
    input: AcceptInvitation,
    address: string | undefined,
  ): Promise<Pick<Invitation, 'email'> & { readonly userId: number }>;
}

export interface InvitationServices {
  readonly invitations: InvitationRepository;
  readonly people: PeopleRepository;
  readonly passwords: PasswordRepository;
  readonly passwordService: PasswordService;
  readonly hashes: PasswordHashes;
  readonly clock: Clock;
  readonly random: Random;
  /** What links begin with. */
  readonly origin: () => string;
}

export function createInvitationService(services: InvitationServices): InvitationService {
  const { invitations, people, clock, random, origin } = services;
  const requireOpen = async (secret: string) => {
    const invitation = await invitations.findBySecret(sha256Hex(secret));
    if (!invitation) throw notOpen('is unknown');
    const state = stateOf(invitation, clock.now());
    if (state !== 'open') throw notOpen(reasons[state]);
    return invitation;
  };
  return {
    create: async (by, { email, level, ...named }) => {
      authorise(by, 'manage people');
      const { projectId } = by.environment;
      const [first, ...furtherRoles] = await rolesNamed(people, projectId, severalOf(named.role, named.roles) ?? []);
      if (!first) throw invalidRequest('A role is missing.', 'Name a role of the project.');
      const [team = null, ...furtherTeams] = severalOf(named.team, named.teams) ?? [];
      const further = [
        ...furtherRoles.map(({ name }) => ({ kind: 'role' as const, name })),
        ...furtherTeams.map((name) => ({ kind: 'team' as const, name })),
      ];
      const secret = random.hex(32);
      const expiresAt = clock.now() + lifetimeMs;
      const who = { projectId, email, permissionLevel: level, roleId: first.id, team, further };
      const made = await invitations.add({ ...who, secretHash: sha256Hex(secret), author: by.author, expiresAt });
      return { ...invitationOf(made, clock.now()), link: `${origin()}/join#${secret}` };
    },
    list: async (by) => {
      authorise(by, 'manage people');
      const all = await invitations.list(by.environment.projectId);
      return all.map((invitation) => invitationOf(invitation, clock.now()));
    },
    revoke: async (by, id) => {
      authorise(by, 'manage people');
      if (await invitations.revoke(by.environment.projectId, id, by.author)) return;
      throw cloudError(
        'REQUEST_NOT_FOUND',
        `The project has no open invitation ${id}.`,
        'List the invitations with GET /api/invitations.',
      );
    },
    introduce: async (secret) => {
      const { project, inviter, email } = await requireOpen(secret);
      return { project, inviter: `${inviter.firstName} ${inviter.lastName}`.trim(), email };
    },
    accept: async ({ secret, firstName, lastName, password }, address) => {
      const invitation = await requireOpen(secret);
      refuseEmailAsPassword(password, invitation.email);
      const member = { firstName, lastName };
      const joining = await withPassword(services, invitation, member, password, address);
      const userId = await invitations.accept(invitation, joining, (joined) => authorOf(joined, address));
      return { email: invitation.email, userId };
    },
  };
}

const reasons = {
  accepted: 'was accepted before',
  revoked: 'was revoked or replaced by a newer one',
  expired: 'has expired',
} as const;

/**
 * An invitation makes no new password for an account that has one, or that works in other projects. Whoever invites would
 * otherwise be able to sign in there as the person.
 */
async function withPassword(
  { passwords, passwordService, hashes, people }: InvitationServices,
  { email }: InvitationRecord,
  member: JoiningPerson,
  password: string,
  address: string | undefined,
): Promise<JoiningPerson> {
  const account = await passwords.findByEmail(email);
  if (account?.hash !== undefined) {
    if ((await passwordService.check({ email, address }, password)) !== undefined) return member;
    throw cloudError(
      'REQUEST_UNAUTHENTICATED',
      'You have an account on this platform already, and this is not its password, or there were too many tries.',
      'Give the password of your account.',
    );
  }
  if (account && (await people.isManagedElsewhere(account.userId, 0))) {
    throw cloudError(
      'REQUEST_CONFLICT',
      'You have an account on this platform already, and it has no password yet.',
      'Ask an administrator of your other project for a link to set one, then accept the invitation.',
    );
  }
  return { ...member, passwordHash: await hashes.hash(password) };
}

function invitationOf(record: InvitationRecord, now: number): Invitation {
  const { id, email, permissionLevel, roleName, team, createdAt, expiresAt, further } = record;
  const furtherNames = (kind: 'role' | 'team') => further.filter((each) => each.kind === kind).map(({ name }) => name);
  return {
    id,
    email,
    level: permissionLevel,
    role: roleName,
    team,
    roles: [roleName, ...furtherNames('role')],
    teams: [...(team === null ? [] : [team]), ...furtherNames('team')],
    state: stateOf(record, now),
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

function stateOf({ acceptedAt, revokedAt, expiresAt }: InvitationRecord, now: number): Invitation['state'] {
  if (acceptedAt !== null) return 'accepted';
  if (revokedAt !== null) return 'revoked';
  return expiresAt <= now ? 'expired' : 'open';
}

const invitationPath = z.object({ id: z.coerce.number().int().positive() });
const noQuery = z.strictObject({});

/** The routes of invitations in `#contracts/people`. */
export function registerInvitationRoutes(
  server: FastifyInstance,
  guards: Guards,
  invitations: InvitationService,
): void {
  const onRequest = guards.user.check;
  server.get('/api/invitations', { onRequest }, async (request) => {
    parseInput(noQuery, request.query);
    return { invitations: await invitations.list(guards.user.of(request)) };
  });
  server.post('/api/invitations', { onRequest }, async (request, reply) => {
    const input = parseInput(createInvitationSchema, request.body);
    return reply.code(201).send(await invitations.create(guards.user.of(request), input));
  });
  server.delete('/api/invitations/:id', { onRequest }, async (request, reply) => {
    await invitations.revoke(guards.user.of(request), parseInput(invitationPath, request.params).id);
    return reply.code(204).send();
  });
  server.post('/api/invitations/accept', async (request, reply) => {
    await invitations.accept(parseInput(acceptInvitationSchema, request.body), clientAddress(request));
    return reply.code(204).send();
  });
}
