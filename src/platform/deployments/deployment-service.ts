import type { CreateDeployment, Deployment, DeploymentList, DeploymentLog } from '#contracts/deployments';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { canonicalJson } from '#kernel/json/canonical-json';
import { fullNameOf } from '#kernel/text/full-name';
import { sha256Hex } from '#node/system/digest';
import { authorise } from '../access/authorise.ts';
import type { SignedInUser } from '../access/guards.ts';
import type { VariableService } from '../variables/variable-service.ts';
import type { VersionRepository } from '../versions/version-repository.ts';
import type { AdvanceEnvironment } from './advance-deployment.ts';
import type { DeploymentRecord, DeploymentRepository } from './deployment-repository.ts';
import { findDeployableVersion } from './host-orders.ts';
import type { PlatformCheck } from './platform-check.ts';

/** Deployments, for people and for hosts. */
export interface DeploymentService {
  /**
   * Make a version the one that an environment serves; resolves before it does. Rejects with `REQUEST_FORBIDDEN`,
   * `REQUEST_NOT_FOUND`, `REQUEST_UNPROCESSABLE`, or `REQUEST_CONFLICT` when another deployment than the base is live.
   */
  create(by: SignedInUser, input: CreateDeployment): Promise<Deployment>;
  list(by: SignedInUser, limit: number, before: number | undefined): Promise<DeploymentList>;
  find(by: SignedInUser, number: number): Promise<Deployment>;
  log(by: SignedInUser, number: number, after: number): Promise<DeploymentLog>;
  /** Look at the hosts, and take the deployments of the environment as far as that allows. */
  advance(environmentId: number): Promise<void>;
}

export interface DeploymentParts {
  readonly deployments: DeploymentRepository;
  readonly versions: VersionRepository;
  readonly variables: VariableService;
  readonly advance: AdvanceEnvironment;
  readonly platformCheck: Pick<PlatformCheck, 'begin'>;
}

export function createDeploymentService(parts: DeploymentParts): DeploymentService {
  const { deployments, versions, variables } = parts;

  const advance: DeploymentService['advance'] = async (environmentId) => {
    const waiting = await parts.advance(environmentId);
    if (waiting !== undefined) parts.platformCheck.begin(environmentId);
  };

  const existing = async ({ environment }: SignedInUser, number: number): Promise<DeploymentRecord> => {
    const found = await deployments.find(environment.id, number);
    if (found) return found;
    throw notFound(
      `The environment "${environment.name}" has no deployment ${number}.`,
      `List them: vendor-cloud versions --env ${environment.name}`,
    );
  };

  const wantedBy = async (by: SignedInUser, target: CreateDeployment['target']) => {
    if ('deployment' in target) return existing(by, target.deployment);
    return {
      versionNumber: target.version,
      variablesRevision: await variables.newestRevision(by.environment.id),
    };
  };

  return {
    async create(by, { target, base, idempotencyKey }) {
      const { environment, user, author } = by;
      authorise(by, `deploy to ${environment.type}`);
      const wanted = await wantedBy(by, target);
      await findDeployableVersion(versions, environment.projectId, wanted.versionNumber);
      const requestHash = sha256Hex(canonicalJson({ target, base, authorId: user.id }));
      const number = await deployments.change(environment.id, async (change) => {
        const earlier = await change.findByKey(idempotencyKey);
        if (earlier && earlier.requestHash !== requestHash) throw keyTaken(earlier.number);
        if (earlier) return earlier.number;
        const { newest } = await change.current();
        if ((newest?.number ?? null) !== base) throw baseReplaced(newest);
        // What served before needs no check: going back is a swap.
        const isChecked = (await change.hasServed(wanted.versionNumber, wanted.variablesRevision)) ? 1 : 0;
        const rollbackTo = 'deployment' in target ? target.deployment : undefined;
        const asked = { author, rollbackTo, idempotencyKey, requestHash };
        const { versionNumber, variablesRevision } = wanted;
        return change.add({ versionNumber, variablesRevision, isChecked, ...asked });
      });
      await advance(environment.id);
      return deploymentOf(await existing(by, number));
    },
    ...deploymentReads(parts, existing),
    advance,
  };
}

function deploymentReads(
  { deployments, variables }: Pick<DeploymentParts, 'deployments' | 'variables'>,
  existing: (by: SignedInUser, number: number) => Promise<DeploymentRecord>,
): Pick<DeploymentService, 'list' | 'find' | 'log'> {
  return {
    async list(by, limit, before) {
      authorise(by, 'read the project');
      // One more than asked for tells whether there is a next page.
      const records = await deployments.list(by.environment.id, limit + 1, before);
      const page = records.slice(0, limit);
      return {
        live: (await deployments.current(by.environment.id)).live?.number ?? null,
        newestVariables: await variables.newestRevision(by.environment.id),
        deployments: page.map(deploymentOf),
        nextBefore: records.length > limit ? (page.at(-1)?.number ?? null) : null,
      };
    },
    async find(by, number) {
      authorise(by, 'read the project');
      return deploymentOf(await existing(by, number));
    },
    async log(by, number, after) {
      authorise(by, 'read logs');
      const { state } = await existing(by, number);
      const lines = await deployments.lines(by.environment.id, number, after);
      return { state, lines: lines.map(({ at, ...line }) => ({ ...line, at: isoTime(at) })) };
    },
  };
}

function deploymentOf(record: DeploymentRecord): Deployment {
  const { number, versionNumber: version, variablesRevision, state, note, author, createdAt, finishedAt } = record;
  return {
    number,
    version,
    variablesRevision,
    state,
    note,
    author: { name: fullNameOf(author), email: author.email },
    createdAt: isoTime(createdAt),
    finishedAt: finishedAt === null ? null : isoTime(finishedAt),
  };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

function notFound(message: string, nextStep: string): CloudError {
  return cloudError('REQUEST_NOT_FOUND', message, nextStep);
}

function baseReplaced(newest: DeploymentRecord | undefined): CloudError {
  const state = newest?.state === 'live' ? 'is live by now' : 'is being carried out';
  const what = newest
    ? `Deployment ${newest.number} (version ${newest.versionNumber}, by ${fullNameOf(newest.author)}) ${state}.`
    : 'No deployment is live.';
  return cloudError(
    'REQUEST_CONFLICT',
    `Somebody else deployed meanwhile. ${what}`,
    ['See what it changes: vendor-cloud plan', 'Then deploy again: vendor-cloud push'],
    { details: { newest: newest?.number ?? null } },
  );
}

function keyTaken(number: number): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    `The idempotency key made deployment ${number} before, from another request.`,
    'Use a new key for a new deployment.',
  );
}
