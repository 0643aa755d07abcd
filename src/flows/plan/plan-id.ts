import { cloudError } from '#kernel/errors/cloud-error';

/** What a plan is good for: this content, on top of this deployment, with these variables, in this environment. */
export interface PlanBase {
  readonly environment: string;
  /** Number of the deployment that is live; `null` before the first. */
  readonly base: number | null;
  /** Newest revision of the variables. */
  readonly variables: number;
  /** SHA-256 of the content. */
  readonly contentDigest: string;
}

/** Digits of the digest that an id carries. */
const digestLength = 16;

/** `production-12-3-0c5f2a9e81b7d640`: a plan is its own memory, and nothing of it is kept anywhere. */
export function planIdOf({ environment, base, variables, contentDigest }: PlanBase): string {
  return [environment, base ?? 0, variables, contentDigest.slice(0, digestLength)].join('-');
}

/** Throws `PLAN_STALE`, or `USAGE_INVALID` for what is not an id of a plan, unless what is to be done now is what was planned. */
export function assertPlanned(id: string, now: PlanBase): void {
  const planned = /^(?<environment>[a-z0-9-]+)-(?<base>\d+)-(?<variables>\d+)-(?<digest>[0-9a-f]{16})$/.exec(
    id,
  )?.groups;
  if (!planned) {
    throw cloudError(
      'USAGE_INVALID',
      `"${id}" is not the id of a plan.`,
      'Make a plan, and take the id that it ends with: vendor-cloud plan',
    );
  }
  const { environment, base, variables, digest } = planned;
  const reasons = [
    ...(environment === now.environment ? [] : [`it was made for the environment "${environment}"`]),
    ...(Number(base) === (now.base ?? 0)
      ? []
      : [`${deployment(Number(base))} was live, and ${deployment(now.base ?? 0)} is now`]),
    ...(Number(variables) === now.variables ? [] : ['the variables have changed']),
    ...(now.contentDigest.startsWith(digest ?? '') ? [] : ['the code or what belongs to it has changed']),
  ];
  if (reasons.length === 0) return;
  throw cloudError(
    'PLAN_STALE',
    `The plan ${id} does not hold any more: ${reasons.join('; ')}.`,
    ['Make a new plan and look at it: vendor-cloud plan', 'Then push that one.'],
    { safeDetails: { plan: id } },
  );
}

function deployment(number: number): string {
  return number === 0 ? 'nothing' : `deployment ${number}`;
}
