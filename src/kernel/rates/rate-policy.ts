/** This many units in this many seconds. */
export interface RatePolicy {
  /** As headers name it. */
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
}

/** Where a caller stands with a policy. */
export interface PolicyState {
  readonly policy: RatePolicy;
  /** Microseconds since the epoch. The quota is whole again then. */
  readonly spentUntil: number;
  /** Whole units that are left. */
  readonly remaining: number;
  /** Microseconds until there is one unit more; 0 for a whole quota. */
  readonly untilNext: number;
  /** Microseconds until the units that were asked for are there; 0 where they are. */
  readonly untilEnough: number;
}

/** How far the clocks of the machines of a platform may be apart, in microseconds. */
const largestSkew = 60_000_000;

/**
 * The generic cell rate algorithm: units come back one by one, evenly over the window, so that no border of a window lets through
 * twice the quota at once. The only state is the time at which the quota is whole again. Nothing is taken where
 * `untilEnough` is above 0.
 *
 * @param spentUntil the state before; `undefined` for a caller that was never seen.
 * @param now microseconds since the epoch.
 * @param cost units that are asked for; 0 only looks.
 */
export function applyPolicy(
  policy: RatePolicy,
  spentUntil: number | undefined,
  now: number,
  cost: number,
): PolicyState {
  const unit = unitMicroseconds(policy);
  const whole = unit * policy.quota;
  // Nobody can have spent that much: the clock was set back since.
  const isImpossible = spentUntil !== undefined && spentUntil > now + whole + largestSkew;
  const before = isImpossible ? now : Math.max(spentUntil ?? now, now);
  const asked = before + cost * unit;
  const untilEnough = Math.max(0, asked - now - whole);
  const after = untilEnough > 0 ? before : asked;
  const remaining = Math.max(0, Math.floor((now + whole - after) / unit));
  const untilNext = remaining >= policy.quota ? 0 : after - now - whole + (remaining + 1) * unit;
  return { policy, spentUntil: after, remaining, untilNext, untilEnough };
}

function unitMicroseconds({ quota, windowSeconds }: RatePolicy): number {
  return Math.ceil((windowSeconds * 1_000_000) / quota);
}

/**
 * How many seconds the header `Retry-After` asks to wait, which it says as a number or as a date; `undefined` for anything else.
 *
 * @param now milliseconds since the epoch.
 */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d{1,6}$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
